// Limits concurrent logins, and failed logins by address, by username, and by the pair of both.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OverloadedError } from '../errors.ts'
import { logOnce } from '../events.ts'
import { addressOf } from '../http.ts'
import { rootOf } from '../scopes.ts'
import { MemoryStore } from '../stores/memory-store.ts'
import { insure } from './insured-store.ts'
import { networkOf } from './names-and-networks.ts'
import type { LimitSettings, ThrottleSettings } from './options.ts'
import { type CheckResult, type Counts, createThrottle, type ThrottleResult } from './throttle.ts'

export type LoginLimits = ReturnType<typeof createLoginLimits>

type Settings = LimitSettings & { prefix: string }

/** Creates the limits of a login: first its turn among the concurrent logins, then the limits of failed logins. */
export function createLoginLimits({ throttle: settings, checks, prefix }: Settings, app: FastifyInstance) {
  const enter = createFairQueue(checks)
  const path = `${app.prefix}${prefix}/`.replace(/\/+/g, '/')
  const throttle = settings && createThrottle(settings, countsOf(app, settings), path)

  /** Runs a check when the limits allow it. A flood of logins waits for its turns, and does not reach the store. */
  async function run(
    username: string,
    request: FastifyRequest,
    signal: AbortSignal,
    check: () => Promise<CheckResult>
  ): Promise<ThrottleResult> {
    const network = networkOf(addressOf(request))
    const endTurn = await enter(network, signal)
    try {
      if (throttle === null) return await check()
      const result = await throttle.run({ username, network, request }, signal, check)
      if (result.outcome === 'blocked') warnAboutProxy(request)
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

/** Warns once if `trustProxy` excludes the proxy of a blocked login: all clients then have the address of the proxy. */
function warnAboutProxy(request: FastifyRequest): void {
  const { 'x-forwarded-for': forwarded = '' } = request.headers
  const address = addressOf(request)
  // `ips` contains a forwarded address only if Fastify trusts the address that forwarded it. An adapter of Lambda passes
  // the address of the client itself.
  const isTrusted = (request.ips ?? []).length > 1 || String(forwarded).endsWith(String(address))
  if (forwarded === '' || isTrusted) return
  const fix = address === undefined ? '`trustProxy: address => address === undefined`' : '`trustProxy` to its address'
  const text = `a blocked login came through a proxy; set ${fix}, or all clients share one limit`
  logOnce(request.server.server, request, text, { address })
}

type Login = { network: string }
type WaitingLogin = Login & { start: () => void }

/** Creates a semaphore for logins. The networks of those that wait take turns. */
function createFairQueue({ concurrency, waiting: maxWaiting, timeout }: LimitSettings['checks']) {
  const running = new Set<Login>()
  let waiting: WaitingLogin[] = []

  function begin(login: Login): () => void {
    running.add(login)
    const end = () => {
      clearTimeout(timer)
      if (!running.delete(login)) return
      const [next, ...others] = waiting
      // The network of the next login goes to the end.
      const isSame = ({ network }: Login) => network === next?.network
      waiting = [...others.filter(other => !isSame(other)), ...others.filter(isSame)]
      next?.start()
    }
    const timer = setTimeout(end, timeout * 1000)
    return end
  }

  /**
   * Waits for a turn.
   * @returns a function that ends the turn. The turn ends after `timeout` even if the check still runs
   */
  return async function enter(network: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const all = [...running, ...waiting]
    const own = all.filter(login => login.network === network)
    if (Math.max(all.length, 2 * own.length) >= concurrency + maxWaiting) throw new OverloadedError()
    if (running.size < concurrency) return begin({ network })
    return new Promise((resolve, reject) => {
      const login = { network, start: () => resolve(begin(login)) }
      waiting.push(login)
      signal.addEventListener('abort', () => {
        waiting = waiting.filter(other => other !== login)
        reject(signal.reason)
      })
    })
  }
}
