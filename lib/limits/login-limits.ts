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

export class LoginLimits {
  /** The timeout of one login, in seconds. */
  readonly timeout: number
  /** Null when failures are not limited. */
  readonly throttle: Throttle | null
  readonly #maxPending: number
  /** The logins whose check is running or waiting. */
  readonly #pending = new Set<{ network: string }>()
  readonly #checks: PQueue
  #hasWarned = false

  private constructor({ concurrency, waiting, timeout }: LimitSettings['checks'], throttle: Throttle | null) {
    this.timeout = timeout
    this.throttle = throttle
    this.#maxPending = concurrency + waiting
    this.#checks = new PQueue({ concurrency })
  }

  /** @throws InvalidOptionError when a throttle store cannot be created */
  static async create({ throttle, checks }: LimitSettings, app: FastifyInstance): Promise<LoginLimits> {
    const outage = new Outage(app.log)
    app.addHook('onClose', async () => outage.close())
    return new LoginLimits(checks, throttle && (await createThrottle(throttle, outage)))
  }

  /**
   * Runs a credential check as soon as the limits allow it.
   *
   * @param signal aborts when the client disconnects or the login times out
   * @param check resolves to the result. A result with `error` counts as a failure
   * @returns the result of the check, or the seconds for which the login is blocked
   * @throws OverloadedError when too many logins wait, in total or from one network
   * @throws ThrottleFailedError when a throttle store fails
   * @throws LoginTimedOutError when the check takes too long
   */
  async run<Result extends object>(
    username: string,
    request: FastifyRequest,
    signal: AbortSignal,
    check: () => Promise<Result>
  ): Promise<Result | { blockedFor: number }> {
    const network = networkOf(addressOf(request))
    const cleanups: (() => unknown)[] = []
    const reserve = async () => {
      const settle = (await this.throttle?.reserve(username, network, request)) ?? NOT_LIMITED
      if (typeof settle === 'function') cleanups.push(() => settle('unknown'))
      return settle
    }
    try {
      let settle = await reserve()
      if (typeof settle === 'function' || settle === 0) cleanups.push(this.#enter(network, signal))
      while (settle === 0) {
        // The running checks could use up the remaining failures, so this login waits for their results. The delay
        // grows with the number of pending logins, or their reservations would keep blocking each other.
        await sleep(randomInt(5, 100 + 10 * this.#pending.size), undefined, { signal })
        settle = await reserve()
      }
      if (typeof settle === 'number') {
        this.#warnAboutProxy(request)
        return { blockedFor: settle }
      }
      cleanups.push(await this.#waitForTurn(signal))
      return await this.#check(check, settle)
    } finally {
      for (const cleanUp of cleanups) cleanUp()
    }
  }

  /**
   * Adds a pending login, and returns a function that removes it. One network may have at most half of `#maxPending`,
   * rounded up.
   */
  #enter(network: string, signal: AbortSignal): () => unknown {
    const own = [...this.#pending].filter(other => other.network === network).length
    if (this.#pending.size >= this.#maxPending || own >= this.#maxPending / 2) throw new OverloadedError()
    const login = { network }
    const leave = () => this.#pending.delete(login)
    this.#pending.add(login)
    // An abort removes the login too, because the host's store may never respond.
    signal.addEventListener('abort', leave)
    return leave
  }

  /** Times out, so that a check or a store that never responds cannot occupy the queue forever. */
  #check<Result extends object>(check: () => Promise<Result>, settle: Settle): Promise<Result> {
    const checkAndSettle = async () => {
      const result = await check()
      await settle('error' in result ? 'failed' : 'succeeded')
      return result
    }
    const fallback = () => Promise.reject(new LoginTimedOutError())
    return pTimeout(checkAndSettle(), { milliseconds: this.timeout * 1000, fallback })
  }

  #warnAboutProxy(request: FastifyRequest): void {
    if (this.#hasWarned || !isBehindUntrustedProxy(request)) return
    this.#hasWarned = true
    request.log.warn(
      { address: addressOf(request) },
      'screen-auth: a blocked login came through a proxy; set `trustProxy` to its address, or all clients share one limit'
    )
  }

  /**
   * Waits for a turn, and resolves to a function that ends the turn. The caller then runs the check: a check that the
   * queue runs would have the async context of the previous login. An abort removes a waiting login from the queue.
   */
  async #waitForTurn(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const waiting = new AbortController()
    const giveUp = () => waiting.abort(signal.reason)
    signal.addEventListener('abort', giveUp)
    return new Promise((resolve, reject) => {
      const start = () => {
        // A running check keeps its turn after an abort, because password hashing cannot be stopped.
        signal.removeEventListener('abort', giveUp)
        return new Promise<void>(resolve)
      }
      this.#checks.add(start, { signal: waiting.signal }).catch(reject)
    })
  }
}
