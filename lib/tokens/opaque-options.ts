import { checkGroup, checkOption, DAY, lifetime, optional, type Rule, timer } from '../base/option-rules.ts'
import { warnOnce } from '../base/warnings.ts'
import { MemoryStore } from '../stores/memory-store.ts'
import { type Store, storeRule } from '../stores/store.ts'
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

type OpaqueSettings = ReturnType<typeof checkOpaqueOptions>

/** The store keeps generations for longer. */
const sessionLifetime = (byDefault: number) => lifetime(400 * DAY, '400 days', byDefault)

/** @param byDefault the default of `lifetime` */
const timesRules = (byDefault: number) =>
  ({
    lifetime: sessionLifetime(byDefault),
    maxLifetime(value, option, { lifetime } = {}) {
      const maxLifetime = sessionLifetime(lifetime as number)(value, option)
      checkOption(maxLifetime >= (lifetime as number), option, 'must be as long as `lifetime` or more')
      return maxLifetime
    }
  }) satisfies Record<keyof SessionTimes, Rule<number>>

export function checkOpaqueOptions(options: OpaqueTokensOptions) {
  const rules = { store: optional(storeRule), ...timesRules(DAY), timeout: timer(2) }
  const { store, ...times } = checkGroup(options, 'opaqueTokens', rules)
  if (!store) warnOnce('the sessions of `opaqueTokens` are in memory: a restart ends every session; set `store`')
  return { store: store ?? new MemoryStore(), ...times }
}

/** Returns the times of one session. `isOwn`: given to `issue`, instead of those of the service. */
export function timesOf(request: unknown, given: SessionTimes, service: OpaqueSettings) {
  const times = checkTimesOf(request, given, timesRules(service.lifetime))
  const isOwn = Object.values(given).some(time => time !== undefined)
  return { ...(isOwn ? times : service), isOwn }
}
