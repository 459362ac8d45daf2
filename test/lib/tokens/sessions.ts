import type { OpaqueTokensOptions, ScreenUser, SessionTimes, Store } from '../../../lib/index.ts'
import { opaqueTokens } from '../../../lib/index.ts'
import { ADA } from '../../helpers.ts'

export const EVE: ScreenUser = { username: 'eve', displayName: 'Eve' }

export const FAILED = 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED'

/** A token that no login has issued. */
export const UNKNOWN = 'A'.repeat(67)

/** Seconds: longer than any call takes, even on a busy machine. */
const LONG = 600

/** An in-memory store that records its calls, and whose replies the test can delay. */
export class TestStore implements Store {
  readonly entries = new Map<string, { value: unknown; ends: number }>()
  /** Each call with the kind of its key, and the milliseconds if it has some. */
  readonly calls: string[] = []
  #held: { pattern: RegExp; until: Promise<void> } | undefined

  async get(key: string): Promise<unknown> {
    const entry = this.entries.get(key)
    const value = entry !== undefined && entry.ends > Date.now() ? structuredClone(entry.value) : null
    await this.#record(`get ${kindOf(key)}`)
    return value
  }

  async set(key: string, value: unknown, ms: number): Promise<void> {
    await this.#record(`set ${kindOf(key)} ${ms}`)
    this.entries.set(key, { value: structuredClone(value), ends: Date.now() + ms })
  }

  async delete(key: string): Promise<void> {
    await this.#record(`delete ${kindOf(key)}`)
    this.entries.delete(key)
  }

  async touch(key: string, ms: number): Promise<void> {
    await this.#record(`touch ${kindOf(key)} ${ms}`)
    const entry = this.entries.get(key)
    if (entry !== undefined) entry.ends = Date.now() + ms
  }

  take(): never {
    throw new Error('a session needs no count')
  }

  giveBack = this.take

  /** Returns the calls that `act` makes. */
  async callsDuring(act: () => unknown): Promise<string[]> {
    const before = this.calls.length
    await act()
    return this.calls.slice(before)
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

  async #record(call: string): Promise<void> {
    this.calls.push(call)
    if (this.#held?.pattern.test(call)) await this.#held.until
  }
}

const kindOf = (key: string) => (key.includes('generation') ? 'generation' : 'session')

/** A store whose functions all run `call`. */
export const storeThat = (call: () => unknown): Store =>
  ({ get: call, set: call, delete: call, touch: call, take: call, giveBack: call }) as Store

/** One of the processes that share a store. */
export function processWith(store: Store, options: Partial<OpaqueTokensOptions> = {}) {
  const tokens = opaqueTokens({ store, timeout: LONG, ...options })
  return {
    tokens,
    issue: (user = ADA, times: SessionTimes = {}) => tokens.issue(user, null, times),
    userOf: (token: string) => tokens.verify(token)
  }
}

/** A process with its own store. */
export function setUp(options: Partial<OpaqueTokensOptions> = {}) {
  const store = new TestStore()
  return { store, ...processWith(store, options) }
}
