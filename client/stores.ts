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
   * Calls the listener when another client changes the text: with a text that was written while this store was empty,
   * and with null when the text of this store was cleared. Returns a function that removes the listener.
   */
  watch?(listener: (text: string | null) => void): () => void
}

/** The methods of a `Storage` that {@link webStore} needs. */
export interface WebStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

type Channel = InstanceType<typeof BroadcastChannel>

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
    read: () => using(storage => storage.getItem(key)) ?? memory,
    write(text) {
      memory = text
      using(storage => storage.setItem(key, text))
    },
    clear() {
      memory = null
      using(storage => storage.removeItem(key))
    }
  }
}

/**
 * Creates a store whose text the tabs of a browser share, without a copy on the disk. A new tab requests the text from
 * the other tabs, and waits at most 150 ms. A tab without a text takes the text that another tab writes. When a tab
 * clears its text, all tabs with the same text clear theirs too.
 *
 * @param name the name of the `BroadcastChannel`; use another name for each service
 *
 * @example
 * sharedStore(webStore(() => sessionStorage, 'token'), 'token')
 */
export function sharedStore(store: Store, name: string): Store {
  let current: string | null = null
  let channel: Channel | null = null
  let onReply: ((text: string) => void) | null = null
  const listeners = new Set<(text: string | null) => void>()

  function post(kind: 'ask' | 'text' | 'end', text: string | null): void {
    open().postMessage([kind, text])
  }

  function open(): Channel {
    if (channel !== null) return channel
    channel = new BroadcastChannel(name)
    // In Node, an open channel would keep the process alive.
    ;(channel as { unref?(): void }).unref?.()
    channel.onmessage = (event: unknown) => onMessage(...(event as { data: [string, string | null] }).data)
    return channel
  }

  function onMessage(kind: string, text: string | null): void {
    if (kind === 'ask' && current !== null) post('text', current)
    else if (kind === 'text' && current === null && text !== null) {
      current = text
      attempt(() => store.write(text))
      if (onReply !== null) onReply(text)
      else for (const listener of listeners) listener(text)
    } else if (kind === 'end' && current !== null && current === text) {
      current = null
      attempt(() => store.clear())
      for (const listener of listeners) listener(null)
    }
  }

  return {
    async read() {
      current = await attempt(() => store.read())
      if (current !== null) {
        open()
        return current
      }
      const reply = new Promise<null | string>(resolve => {
        onReply = resolve
        setTimeout(resolve, REPLY_TIMEOUT, null)
      })
      post('ask', null)
      const text = await reply
      onReply = null
      return text
    },
    async write(text) {
      current = text
      post('text', text)
      await store.write(text)
    },
    async clear() {
      const ended = current
      current = null
      if (ended !== null) post('end', ended)
      await store.clear()
    },
    watch(listener) {
      listeners.add(listener)
      open()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        channel?.close()
        channel = null
      }
    }
  }
}
