import { setImmediate } from 'node:timers/promises'
import {
  type OpaqueTokens,
  type OpaqueTokensOptions,
  opaqueTokens,
  type ScreenUser,
  type SessionTimes,
  type TokenStore
} from '../../../../lib/index.ts'
import { ADA } from '../../../helpers.ts'

export const EVE: ScreenUser = { username: 'eve', displayName: 'Eve' }

export const FAILED = 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED'

/** A token that no login has issued. */
export const UNKNOWN = 'A'.repeat(67)

/** Seconds: longer than any call takes, even on a busy machine. */
const LONG = 600

/** An in-memory store that records its calls, and whose replies the test can delay. */
export class TestStore implements TokenStore {
  readonly entries = new Map<string, { value: unknown; ends: number }>()
  /** Each call with the kind of its key, and the TTL if it has one. */
  readonly calls: string[] = []
  #held: { pattern: RegExp; until: Promise<void> } | undefined

  async get(key: string): Promise<unknown> {
    this.calls.push(`get ${kindOf(key)}`)
    const entry = this.entries.get(key)
    const value = entry !== undefined && entry.ends > Date.now() ? structuredClone(entry.value) : undefined
    await this.wait('get', key)
    return value
  }

  async set(key: string, value: unknown, ttl: number): Promise<void> {
    this.calls.push(`set ${kindOf(key)} ${ttl}`)
    await this.wait('set', key)
    this.entries.set(key, { value: structuredClone(value), ends: Date.now() + ttl })
  }

  async delete(key: string): Promise<void> {
    this.calls.push(`delete ${kindOf(key)}`)
    await this.wait('delete', key)
    this.entries.delete(key)
  }

  /** Returns the calls that `act` makes, without the heartbeat. */
  async callsDuring(act: () => unknown): Promise<string[]> {
    const before = this.calls.length
    await act()
    return this.calls.slice(before).filter(call => call !== 'ping')
  }

  /** Delays the replies to matching calls until the returned function is called. */
  hold(pattern: RegExp): () => void {
    let release!: () => void
    this.#held = { pattern, until: new Promise(resolve => (release = resolve)) }
    return () => {
      this.#held = undefined
      release()
    }
  }

  protected async wait(call: string, key: string): Promise<void> {
    if (this.#held?.pattern.test(`${call} ${key}`)) await this.#held.until
  }
}

const kindOf = (key: string) => key.replace(/^screen_auth_(\w+):.*/, '$1')

/** A store that reports its changes to all processes, and proves it with `ping`. */
export class ReportingStore extends TestStore {
  readonly #listeners: ((key: string | null) => void)[] = []

  onChange(listener: (key: string | null) => void): void {
    this.#listeners.push(listener)
  }

  async ping(): Promise<void> {
    this.calls.push('ping')
    await this.wait('ping', '')
  }

  override async set(key: string, value: unknown, ttl: number): Promise<void> {
    await super.set(key, value, ttl)
    this.report(key)
  }

  override async delete(key: string): Promise<void> {
    await super.delete(key)
    this.report(key)
  }

  report(key: string | null): void {
    for (const listener of this.#listeners) listener(key)
  }

  /** Sends no reports, and does not respond to `ping`, until `act` resolves. */
  async silently(act: () => Promise<unknown>): Promise<void> {
    this.report = () => {}
    this.ping = () => new Promise(() => {})
    await act()
    this.report = ReportingStore.prototype.report
    this.ping = ReportingStore.prototype.ping
  }
}

/** Two processes with a store that reports its changes to both. `options` apply to the second one. */
export async function setUpTwo(options: Partial<OpaqueTokensOptions> = {}, store = new ReportingStore()) {
  const one = processWith(store, { cache: LONG })
  const two = processWith(store, { cache: LONG, ...options })
  for (const { tokens } of [one, two]) await startListening(tokens)
  return { store, one, two }
}

/** Starts the heartbeat with a first request, whose result is not cached. */
export async function startListening({ verify }: OpaqueTokens): Promise<void> {
  await verify(UNKNOWN)
  await setImmediate()
}

/** A store whose methods all run `call`. */
export const storeThat = (call: () => unknown): TokenStore => ({ get: call, set: call, delete: call })

/** One of the processes that share a store. */
export function processWith(store: TokenStore, options: Partial<OpaqueTokensOptions> = {}) {
  const tokens = opaqueTokens({ store, timeout: LONG, ...options })
  return {
    tokens,
    issue: (user = ADA, times: SessionTimes = {}) => tokens.issue(user, null, times),
    /** Verifies a token, as the guard does. */
    userOf: async (token: string) => tokens.verify(token),
    /** Whether the session is cached. */
    isCached(token: string): boolean {
      const user = tokens.verify(token)
      if (user instanceof Promise) user.catch(() => {})
      return !(user instanceof Promise)
    }
  }
}

/** A process with its own store. */
export function setUp(options: Partial<OpaqueTokensOptions> = {}) {
  const store = new TestStore()
  return { store, ...processWith(store, options) }
}
