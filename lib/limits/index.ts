// Limits concurrent logins, and failed logins by address, by username, and by the pair of both.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressOf, has, networkOf, rootOf, warnAboutProxy } from '../shared/index.ts'
import { MemoryStore } from '../stores/index.ts'
import type { Counts } from './attempt.ts'
import { createFairQueue } from './fair-queue.ts'
import { insure } from './insured-store.ts'
import type { LimitSettings, ThrottleSettings } from './options.ts'
import { type CheckResult, createThrottle } from './throttle.ts'

export * from './options.ts'

export type LoginLimits = ReturnType<typeof createLoginLimits>

/** Creates the limits of a login: first its turn among the concurrent logins, then the limits of failed logins. */
export function createLoginLimits({ throttle: settings, checks }: LimitSettings, app: FastifyInstance) {
  const enter = createFairQueue(checks)
  const throttle = settings && createThrottle(settings, countsOf(app, settings))

  /**
   * Runs a check when the limits allow it. A flood of logins waits for its turns, and does not reach the store.
   * @param signal aborts when the client disconnects or the login times out
   * @returns the result of the check, or the seconds for which the login is blocked
   * @throws OverloadedError when too many logins wait, in total or from one network
   */
  async function run<Result extends CheckResult>(
    username: string,
    request: FastifyRequest,
    signal: AbortSignal,
    check: () => Promise<Result>
  ) {
    const network = networkOf(addressOf(request))
    const endTurn = await enter(network, signal)
    try {
      if (throttle === null) return await check()
      const result = await throttle.run({ username, network, request }, signal, check)
      if (has(result, 'blockedFor')) warnAboutProxy(request)
      return result
    } finally {
      endTurn()
    }
  }

  return { timeout: checks.timeout, throttle, run }
}

/** The counts by root instance, and by store. Without a store, by `nameOf`: scopes with other names have other users. */
const countsByRoot = new WeakMap<FastifyInstance, Map<object, Counts>>()

/** Returns counts that scopes share: otherwise, each scope would allow all guesses. */
function countsOf(app: FastifyInstance, { store, nameOf }: ThrottleSettings): Counts {
  const root = rootOf(app)
  const ofRoot = countsByRoot.get(root) ?? new Map<object, Counts>()
  const create = (): Counts => ({ store: store ? insure(store, root) : new MemoryStore(), attempts: new Set() })
  const counts = ofRoot.get(store ?? nameOf) ?? create()
  countsByRoot.set(root, ofRoot.set(store ?? nameOf, counts))
  return counts
}
