import { checkGroup, checkLifetime, checkOption, checkTime, DAY, warnOnce } from '../base/option-rules.ts'
import { MemoryStore } from '../stores/memory-store.ts'
import { checkStore, type Store } from '../stores/store.ts'
import { checkTimesOf } from './token-service.ts'

/** How long a session lasts, in whole seconds, at most 400 days. */
export interface SessionTimes {
  /** How long a token is valid after the login or, with `maxLifetime`, after its last use. Default: 86,400 (24 hours). */
  lifetime?: number | undefined
  /**
   * The longest time that a token is valid after the login: until then, each use renews it. A process saves a use at most
   * once in a tenth of `lifetime`. Default: `lifetime`, so that no use renews the token.
   */
  maxLifetime?: number | undefined
}

/** The options of {@link opaqueTokens}. All times are whole seconds. */
export interface OpaqueTokensOptions extends SessionTimes {
  /**
   * `redisStore(client, { prefix })`, or a {@link Store} of your own. Default: the memory of this process, with room for
   * some 25,000 sessions; then the oldest one ends.
   */
  store?: Store | undefined
  /** How long the store may take for one token. After this time, the store counts as down. Default: 2. */
  timeout?: number | undefined
}

type SessionSettings = ReturnType<typeof checkSessionOptions>

const TIMES = ['lifetime', 'maxLifetime'] as const

/** Seconds. The store keeps generations for longer. */
const LONGEST = 400 * DAY

export function checkSessionOptions(options: OpaqueTokensOptions) {
  const own = checkGroup(options, 'opaqueTokens', ['store', ...TIMES, 'timeout'])
  if (!own.store) warnOnce('the sessions of `opaqueTokens` are in memory: a restart ends every session; set `store`')
  const { store = new MemoryStore(), lifetime = DAY, maxLifetime = lifetime, timeout = 2 } = own
  checkStore(store, 'opaqueTokens.store')
  checkTimes(lifetime, maxLifetime, 'opaqueTokens')
  checkTime(timeout, 'opaqueTokens.timeout')
  return { store, lifetime, maxLifetime, timeout }
}

/** Returns the times of one session. `isOwn`: given to `issue`, instead of those of the service. */
export function timesOf(request: unknown, given: SessionTimes, service: SessionSettings) {
  const own = checkTimesOf(request, given, TIMES)
  const isOwn = own.lifetime !== undefined || own.maxLifetime !== undefined
  const { lifetime = service.lifetime, maxLifetime = isOwn ? lifetime : service.maxLifetime } = own
  checkTimes(lifetime, maxLifetime, 'tokens.issue')
  return { lifetime, maxLifetime, isOwn }
}

function checkTimes(lifetime: number, maxLifetime: number, option: string): void {
  checkLifetime(lifetime, `${option}.lifetime`, LONGEST, '400 days')
  checkLifetime(maxLifetime, `${option}.maxLifetime`, LONGEST, '400 days')
  checkOption(maxLifetime >= lifetime, `${option}.maxLifetime`, 'must be as long as `lifetime` or more')
}
