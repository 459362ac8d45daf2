import { once } from 'node:events'
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
import { createClient, createKeyv } from '@keyv/redis'
import { insuredStore, type OpaqueTokens, opaqueTokens, type ThrottleOptions } from 'fastify-screen-auth'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { hostOf, SetupError } from './setup-error.ts'

/** Milliseconds that Redis may take to connect, and for one answer. */
const LIMIT = 2_000

/** Milliseconds between two looks whether Redis still answers, and at most between two attempts to connect. */
const INTERVAL = 1_000

/** Commands that may wait for their answers: what comes when it is silent must not fill the memory. */
const MOST_COMMANDS = 10_000

type Log = Record<'info' | 'error', (message: string) => void>

/** What several servers share in Redis: the sessions and the failed logins, over one connection. */
export class Redis {
  readonly #url: string
  readonly #client: ReturnType<typeof connection>
  #watch: NodeJS.Timeout | undefined

  /** @throws SetupError when the URL is none */
  constructor(url: string) {
    this.#url = url
    this.#client = connection(url)
  }

  /** Tokens whose sessions are in Redis. */
  tokens(lifetime: number): OpaqueTokens {
    return opaqueTokens({ store: createKeyv(this.#client), lifetime, timeout: LIMIT / 1000 })
  }

  /** Failed logins are counted in Redis, and in the memory of each server while Redis does not count them. */
  throttle(): ThrottleOptions {
    const redis = { storeClient: this.#client, useRedisPackage: true, rejectIfRedisNotReady: true }
    return { store: options => insuredStore(new RateLimiterRedis({ ...options, ...redis }), options) }
  }

  /**
   * Connects, and stays connected. When Redis is down the server starts all the same: a rolling restart must not depend
   * on it.
   *
   * @throws SetupError when Redis does not accept what the URL says
   */
  async open(log: Log): Promise<void> {
    const client = this.#client
    const failed = once(client, 'error').then(([error]) => Promise.reject(error))
    const error = await Promise.race([client.connect().then(() => client.ping()), failed]).then(
      () => null,
      error => error as Error
    )
    if (error !== null && isRefusal(error)) {
      this.close()
      throw unusable(this.#url, reasonOf(error))
    }
    const report = reporter(log, error)
    client.on('error', report)
    client.on('ready', () => this.#look(report))
    this.#watch = setInterval(() => this.#look(report), INTERVAL)
  }

  close(): void {
    clearInterval(this.#watch)
    if (this.#client.isOpen) this.#client.destroy()
  }

  /** Looks whether Redis answers: the client waits for ever on a connection that is dead without having been closed. */
  async #look(report: Report): Promise<void> {
    const client = this.#client
    if (!client.isReady) return
    const answer = client.ping().then(
      () => null,
      error => error as Error
    )
    // When this process itself was busy, the answer is there and only has to be read.
    const silence = sleep(LIMIT, undefined, { ref: false }).then(() => nextLoop(SILENT))
    const error = await Promise.race([answer, silence])
    report(error)
    if (error !== SILENT || !client.isReady) return
    client.destroy()
    client.connect().catch(() => {})
  }
}

const SILENT = Object.assign(new Error('Redis does not answer'), { code: 'ETIMEDOUT' })

/** Is told whether Redis works: null, or why it does not. */
type Report = (error: Error | null) => void

/** Says once that Redis is down, and once that it is back. */
function reporter(log: Log, first: Error | null): Report {
  let wasUp = true
  const report: Report = error => {
    const isUp = error === null
    if (isUp === wasUp) return
    wasUp = isUp
    if (isUp) log.info('Redis is back')
    else log.error(`Redis is down (${reasonOf(error)}): whoever is logged in is answered 503`)
  }
  report(first)
  return report
}

/** @throws SetupError */
function connection(url: string) {
  try {
    return createClient({
      url,
      // Whoever asks is told at once that it is down, instead of when it is back.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MOST_COMMANDS,
      socket: {
        connectTimeout: LIMIT,
        // For a connection whose beginning is not answered; later, looks keep it from being idle.
        socketTimeout: 2 * LIMIT,
        reconnectStrategy: retries => Math.min(50 * 2 ** retries, INTERVAL)
      }
    })
  } catch {
    throw unusable(url, 'it is no such URL')
  }
}

/** What will not become right by itself: a wrong password, a database that is not there. */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients)) ?/.test(message)
}

/** Never the message: it may quote what it was given. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const { code, message } = error
  return code ?? /^[A-Z]+(?= )/.exec(message)?.[0] ?? error.constructor.name
}

function unusable(url: string, reason: string): SetupError {
  return new SetupError(
    `SVC_REDIS_URL: cannot use ${hostOf(url) ?? 'it'} (${reason}); set it to a Redis URL such as ` +
      'redis://user:password@127.0.0.1:6379/0, or unset it for JWTs'
  )
}
