import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressOf } from '../base/http.ts'
import { oncePerRoot } from '../base/scopes.ts'
import { logOnce } from '../base/warnings.ts'
import { type Counts, createCounts } from './counts.ts'
import { networkOf } from './normalization.ts'
import type { LimitSettings, ThrottleSettings } from './options.ts'
import { createFairQueue } from './queue.ts'
import { type CheckResult, createThrottle, type ThrottleResult } from './throttle.ts'

/** By `concurrency` and `waiting`. With a queue for each scope, two scopes would occupy all worker threads. */
const sharedQueue = oncePerRoot<string, ReturnType<typeof createFairQueue>>()
/** By store. Without a store, by the object of `loginLimits`, or by `nameOf`: other names are other users. */
const sharedCounts = oncePerRoot<object, Counts>()

/** Creates the limits of the logins at a scope: first a turn among the concurrent logins, then those of failed logins. */
export function createLimiter(settings: LimitSettings & { prefix: string }, app: FastifyInstance) {
  const { concurrency, waiting, timeout } = settings.checks
  const enter = sharedQueue(app, `${concurrency} ${waiting}`, () => createFairQueue(settings.checks))
  const scopePath = `${app.prefix}${settings.prefix}/`.replace(/\/+/g, '/')
  const throttle = settings.throttle && createThrottle(settings.throttle, countsOf(settings.throttle, app), scopePath)

  /** Runs a check when the limits allow it. A flood of logins waits for its turns, and does not reach the store. */
  async function run(
    username: string,
    request: FastifyRequest,
    signal: AbortSignal,
    check: () => Promise<CheckResult>
  ): Promise<ThrottleResult> {
    const network = networkOf(addressOf(request))
    const endTurn = await enter(network, signal)
    // The turn ends after `timeout`, even if the check still runs. The timer does not keep a closed process alive.
    const timer = setTimeout(endTurn, timeout * 1000).unref()
    try {
      if (throttle === null) return await check()
      const result = await throttle.run({ username, network, request }, signal, check)
      if (result.outcome === 'blocked') warnAboutProxy(request)
      return result
    } finally {
      clearTimeout(timer)
      endTurn()
    }
  }

  return { timeout, throttle, run }
}

/** Returns counts that scopes share: otherwise, each scope would allow all guesses. */
function countsOf({ store, nameOf, counts }: ThrottleSettings, app: FastifyInstance): Counts {
  return sharedCounts(app, store ?? counts ?? nameOf, root => {
    const shared = counts ?? createCounts(store)
    shared.attach(root)
    return shared
  })
}

/** Warns once if `trustProxy` excludes the proxy of a blocked login: all clients then have the address of the proxy. */
function warnAboutProxy(request: FastifyRequest): void {
  const { 'x-forwarded-for': forwarded = '' } = request.headers
  const address = addressOf(request)
  // `ips` contains a forwarded address only if Fastify trusts the address that forwarded it. An adapter of Lambda passes
  // the address of the client itself.
  const isProxyTrusted = (request.ips ?? []).length > 1 || String(forwarded).endsWith(String(address))
  if (forwarded === '' || isProxyTrusted) return
  const fix = address === undefined ? '`trustProxy: address => address === undefined`' : '`trustProxy` to its address'
  const text = `a blocked login came through a proxy; set ${fix}, or all clients share one limit`
  logOnce(request.server.server, request, text, { address })
}
