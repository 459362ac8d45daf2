// How a process is connected to the simulated store: as a client of node-redis, through a Keyv, or as a host does it.
import { EventEmitter } from 'node:events'
import { Keyv } from 'keyv'
import type { RedisClient, redisStore, TokenStore } from '../../../../../lib/index.ts'
import type { Call } from './simulated-store.ts'

export type Listener = (key: string | null) => void

/** What a process hears of its connection. */
export interface Hearing {
  /** Of a change, or that changes may have been missed. */
  onReport: Listener
  /** Of a new connection. */
  onReady(): void
}

type Request = (call: Call) => Promise<unknown>

/** A client of node-redis, with what it does behind the back of its user. */
export class SimulatedClient extends EventEmitter implements RedisClient, Hearing {
  readonly isReady = true
  readonly options = { emitInvalidate: true, maintNotifications: 'auto' }
  readonly #request: Request

  constructor(request: Request) {
    super()
    this.#request = request
    this.on('error', () => {})
  }

  async get(key: string): Promise<unknown> {
    const value = await this.#request({ get: key })
    return value === undefined ? null : JSON.stringify({ value })
  }

  set(key: string, json: string, { PX }: { PX: number }): Promise<unknown> {
    return this.#request({ set: key, value: JSON.parse(json).value, ttl: PX })
  }

  del(key: string): Promise<unknown> {
    return this.#request({ delete: key })
  }

  clientTracking(_isOn: boolean, options?: { PREFIX: string[] }): Promise<unknown> {
    return this.#request({ track: options?.PREFIX ?? null })
  }

  clientTrackingInfo(): Promise<unknown> {
    return this.#request({ trackingInfo: true })
  }

  onReport(key: string | null): void {
    if (key === null) this.emit('error', new Error('the connection was lost'))
    else this.emit('invalidate', Buffer.from(key))
  }

  onReady(): void {
    this.emit('ready')
  }
}

/** The store of a client: a host that is told to switch off `maintNotifications` does so. */
export function storeOf(client: SimulatedClient, makeStore: typeof redisStore): TokenStore {
  try {
    return makeStore(client)
  } catch {
    client.options.maintNotifications = 'disabled'
    return makeStore(client)
  }
}

/** A Keyv whose adapter asks the store. It judges by the clock of its process what has expired. */
export function keyvOn(request: Request): TokenStore {
  const adapter = {
    opts: {},
    namespace: undefined,
    get: (key: string) => request({ get: key }),
    set: (key: string, stored: string, ttl?: number) =>
      request({ set: key, value: JSON.parse(stored).value, stored, ttl: ttl ?? Infinity }),
    delete: async (key: string) => (await request({ delete: key })) !== false,
    clear: async () => {}
  }
  return new Keyv({ store: adapter, useKeyPrefix: false })
}

/** The store of a host that has reports of its own. */
export function ownStore(request: Request, isReporting: boolean, isProven: boolean): TokenStore & Hearing {
  let listener: Listener = () => {}
  return {
    get: key => request({ get: key }),
    set: (key, value, ttl) => request({ set: key, value, ttl }),
    delete: key => request({ delete: key }),
    ...(isReporting && {
      onChange: (it: Listener) => {
        listener = it
      }
    }),
    ...(isProven && { ping: () => request({ ping: true }) }),
    onReport: key => listener(key),
    onReady() {}
  }
}
