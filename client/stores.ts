// Places for a token, a draft or the texts of a client.

/**
 * Keeps a text when the client restarts. A promise is waited for. A store that throws or rejects has kept nothing.
 */
export interface Store {
  read(): string | null | Promise<string | null>
  write(text: string): unknown
  clear(): unknown
  /**
   * Calls the listener with each text that another client has written here where there was none, and with null when
   * another has cleared the one that is here. Returns a function that ends it.
   */
  watch?(listener: (text: string | null) => void): () => void
}

/** What a {@link webStore} needs of a `Storage`. */
export interface WebStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

type Channel = InstanceType<typeof BroadcastChannel>

/** Milliseconds in which the other tabs must have replied. */
const PATIENCE = 150

/** Calls what the host has given; null when that throws or rejects. */
export async function attempt<Value>(call: () => Value | Promise<Value>): Promise<Value | null> {
  try {
    return await call()
  } catch {
    return null
  }
}

/**
 * A store in `sessionStorage` or `localStorage`. Where the browser allows none, it is in memory.
 *
 * @param storage as a function, because with some settings of a browser it throws even to name it
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
 * A store whose text the tabs of a browser share, without a copy on the disk: a new tab asks the others, and waits for
 * 150 ms at most. What one tab writes is taken by those that have nothing; what one clears is cleared in those that have
 * the same.
 *
 * @param name of the `BroadcastChannel`: another one for each service
 *
 * @example
 * sharedStore(webStore(() => sessionStorage, 'token'), 'token')
 */
export function sharedStore(store: Store, name: string): Store {
  let mine: string | null = null
  let channel: Channel | null = null
  let onReply: ((text: string) => void) | null = null
  const listeners = new Set<(text: string | null) => void>()

  function tell(kind: 'ask' | 'text' | 'end', text: string | null): void {
    open().postMessage([kind, text])
  }

  function open(): Channel {
    if (channel !== null) return channel
    channel = new BroadcastChannel(name)
    // In Node it must not keep the process alive.
    ;(channel as { unref?(): void }).unref?.()
    channel.onmessage = (event: unknown) => hear(...(event as { data: [string, string | null] }).data)
    return channel
  }

  function hear(kind: string, text: string | null): void {
    if (kind === 'ask' && mine !== null) tell('text', mine)
    else if (kind === 'text' && mine === null && text !== null) {
      mine = text
      attempt(() => store.write(text))
      if (onReply !== null) onReply(text)
      else for (const listener of listeners) listener(text)
    } else if (kind === 'end' && mine !== null && mine === text) {
      mine = null
      attempt(() => store.clear())
      for (const listener of listeners) listener(null)
    }
  }

  return {
    async read() {
      mine = await attempt(() => store.read())
      if (mine !== null) {
        open()
        return mine
      }
      const reply = new Promise<null | string>(resolve => {
        onReply = resolve
        setTimeout(resolve, PATIENCE, null)
      })
      tell('ask', null)
      const text = await reply
      onReply = null
      return text
    },
    async write(text) {
      mine = text
      tell('text', text)
      await store.write(text)
    },
    async clear() {
      const ended = mine
      mine = null
      if (ended !== null) tell('end', ended)
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
