import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import PQueue from 'p-queue'
import pTimeout from 'p-timeout'
import { addressOf, isBehindUntrustedProxy, LoginTimedOutError, networkOf, OverloadedError } from '../shared/index.ts'
import { Outage } from './insured-store.ts'
import type { LimitSettings } from './options.ts'
import { createThrottle, type Settle, type Throttle } from './throttle.ts'

const NOT_LIMITED: Settle = async () => {}

/** Says which logins may be checked: not too many at a time, and none after too many that have failed. */
export class LoginLimits {
  /** Seconds that one login may take. */
  readonly timeout: number
  /** Null when failures are not limited. */
  readonly throttle: Throttle | null
  readonly #places: number
  /** The logins that are being checked, or wait for it. */
  readonly #inside = new Set<{ network: string }>()
  readonly #checks: PQueue
  #hasWarned = false

  private constructor({ concurrency, waiting, timeout }: LimitSettings['checks'], throttle: Throttle | null) {
    this.timeout = timeout
    this.throttle = throttle
    this.#places = concurrency + waiting
    this.#checks = new PQueue({ concurrency })
  }

  /** @throws InvalidOptionError when a store of the throttle cannot be made */
  static async create({ throttle, checks }: LimitSettings, app: FastifyInstance): Promise<LoginLimits> {
    const outage = new Outage(app.log)
    app.addHook('onClose', async () => outage.close())
    return new LoginLimits(checks, throttle && (await createThrottle(throttle, outage)))
  }

  /**
   * Checks a login when it may be checked.
   *
   * @param signal aborted when nobody waits for the result any more
   * @param check resolves to what came of it: with an `error`, it has failed
   * @returns the same, or the seconds for which the login is blocked
   * @throws OverloadedError when too many logins wait
   * @throws ThrottleFailedError when a store of the throttle fails
   */
  async run<Result extends object>(
    username: string,
    request: FastifyRequest,
    signal: AbortSignal,
    check: () => Promise<Result>
  ): Promise<Result | { blockedFor: number }> {
    const network = networkOf(addressOf(request))
    const ends: (() => unknown)[] = []
    const reserve = async () => {
      const settle = (await this.throttle?.reserve(username, network, request)) ?? NOT_LIMITED
      if (typeof settle === 'function') ends.push(() => settle('unknown'))
      return settle
    }
    try {
      let settle = await reserve()
      if (typeof settle === 'function' || settle === 0) ends.push(this.#enter(network, signal))
      while (settle === 0) {
        // As many are being checked as may still fail: this one waits until it is known what came of them. The more wait,
        // the longer, or they would find only each other.
        await sleep(randomInt(5, 100 + 10 * this.#inside.size), undefined, { signal })
        settle = await reserve()
      }
      if (typeof settle === 'number') {
        this.#warnOfProxy(request)
        return { blockedFor: settle }
      }
      ends.push(await this.#turn(signal))
      return await this.#check(check, settle)
    } finally {
      for (const end of ends) end()
    }
  }

  /** Takes a place, of which no network may have more than half. Returns what gives it back. */
  #enter(network: string, signal: AbortSignal): () => unknown {
    const own = [...this.#inside].filter(other => other.network === network).length
    if (this.#inside.size >= this.#places || own >= this.#places / 2) throw new OverloadedError()
    const place = { network }
    const leave = () => this.#inside.delete(place)
    this.#inside.add(place)
    // The store of a host may never respond.
    signal.addEventListener('abort', leave)
    return leave
  }

  /** A check that never ends must not keep its turn, nor must a store that never responds. */
  #check<Result extends object>(check: () => Promise<Result>, settle: Settle): Promise<Result> {
    const checkAndSettle = async () => {
      const result = await check()
      await settle('error' in result ? 'failed' : 'succeeded')
      return result
    }
    const fallback = () => Promise.reject(new LoginTimedOutError())
    return pTimeout(checkAndSettle(), { milliseconds: this.timeout * 1000, fallback })
  }

  #warnOfProxy(request: FastifyRequest): void {
    if (this.#hasWarned || !isBehindUntrustedProxy(request)) return
    this.#hasWarned = true
    request.log.warn(
      { address: addressOf(request) },
      'screen-auth: a login was blocked that came through a proxy; set `trustProxy` to the address of the proxy, or all clients share it'
    )
  }

  /**
   * Waits for a turn, and resolves to what ends it: what comes after it runs in the async context of the caller, and not in
   * that of the one before. A login that nobody waits for any more gives up its turn.
   */
  async #turn(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const waiting = new AbortController()
    const giveUp = () => waiting.abort(signal.reason)
    signal.addEventListener('abort', giveUp)
    return new Promise((resolve, reject) => {
      const start = () => {
        // From here on the turn is kept, because a hash goes on when its client has gone.
        signal.removeEventListener('abort', giveUp)
        return new Promise<void>(resolve)
      }
      this.#checks.add(start, { signal: waiting.signal }).catch(reject)
    })
  }
}
