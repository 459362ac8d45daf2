// Stores for a token, a draft or the texts of a client.

/**
 * Stores a text, so that it survives a restart of the client. The methods may return promises. If a method throws or
 * rejects, the session continues. If `read` fails, the store counts as empty.
 */
export interface Store {
  read(): string | null | Promise<string | null>
  write(text: string): unknown
  clear(): unknown
  /**
   * Calls the listener when another client changes the text: with the new text, or with null after a clear. Returns a
   * function that removes the listener.
   */
  watch?(listener: (text: string | null) => void): () => void
}

/** The methods of a `Storage` that {@link webStore} needs. */
export interface WebStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** How long to wait for a reply of another tab, in milliseconds. */
const REPLY_TIMEOUT = 150

/** Calls a function of the host. Resolves to null if it throws or rejects. */
export async function attempt<Value>(call: () => Value | Promise<Value>): Promise<Value | null> {
  try {
    return await call()
  } catch {
    return null
  }
}

/** A store in memory. */
export function memoryStore(): Store {
  let memory: string | null = null
  return {
    read: () => memory,
    write(text) {
      memory = text
    },
    clear() {
      memory = null
    }
  }
}

/**
 * Creates a store in `sessionStorage` or `localStorage`. If the browser forbids that storage, the text is in memory.
 *
 * @param storage a function, because with some browser settings the access to `sessionStorage` itself throws
 *
 * @example
 * webStore(() => sessionStorage, 'token')
 */
export function webStore(storage: WebStorage | (() => WebStorage), key: string): Store {
  let memory: string | null = null
  const using = <Value>(use: (storage: WebStorage) => Value) => {
    try {
      return use(typeof storage === 'function' ? storage() : storage)
    } catch {
      return null
    }
  }
  return {
    read: () => memory ?? using(storage => storage.getItem(key)),
    write(text) {
      memory = using(storage => storage.setItem(key, text)) === null ? text : null
    },
    clear() {
      memory = null
      using(storage => storage.removeItem(key))
    }
  }
}

/**
 * Creates a store whose text all tabs of a browser share: a write or a clear in one tab replaces the text of each tab.
 * A tab without a text requests it from the other tabs, and waits at most 150 ms. `localStorage` contains only the
 * number of the last change, so that a tab that missed this change drops its text. The text is where the given store
 * keeps it: a browser may write `sessionStorage` to the disk, and restores it with a closed tab.
 *
 * @param name the name of the `BroadcastChannel`; use another name for each service
 *
 * @example
 * sharedStore(webStore(() => sessionStorage, 'token'), 'token')
 */
export function sharedStore(store: Store, name: string): Store {
  const newest = webStore(() => (globalThis as unknown as { localStorage: WebStorage }).localStorage, `${name} version`)
  const channel = new BroadcastChannel(name)
  const listeners = new Set<(text: string | null) => void>()
  /** The number of the change that has set the current text. */
  let version = 0
  let current: string | null = null
  let onReply = () => {}

  function latest(): number {
    return Math.max(version, Number(newest.read()) || 0)
  }

  async function keep(number: number, text: string | null): Promise<void> {
    version = number
    current = text
    newest.write(`${number}`)
    await (text === null ? store.clear() : store.write(JSON.stringify([number, text])))
  }

  async function change(text: string | null): Promise<void> {
    // Random, because two tabs may make a change at the same time.
    const number = Math.max(Date.now(), latest() + 1) + Math.random()
    channel.postMessage([number, text])
    await keep(number, text)
  }

  channel.onmessage = (event: unknown) => {
    const [number, text] = (event as { data: [number, string | null] }).data
    const before = current
    if (number >= latest()) attempt(() => keep(number, text))
    else if (current !== null && number < version) channel.postMessage([version, current])
    if (current !== null) onReply()
    if (current !== before) for (const listener of listeners) listener(current)
  }
  // In Node, an open channel would keep the process alive.
  ;(channel as { unref?(): void }).unref?.()

  return {
    async read() {
      const own = await attempt(async () => JSON.parse((await store.read()) as string))
      if (own?.[0] >= latest()) [version, current] = own
      else if (version < latest()) current = null
      if (current !== null) return current
      await new Promise<void>(resolve => {
        onReply = resolve
        setTimeout(resolve, REPLY_TIMEOUT)
        channel.postMessage([0, null])
      })
      return current
    },
    write: change,
    async clear() {
      // If another tab has a newer text, this tab takes that text.
      if (version < latest()) channel.postMessage([0, null])
      else if (current !== null) return change(null)
      current = null
      await store.clear()
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
