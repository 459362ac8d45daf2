import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
import {
  type FailureStoreOptions,
  insuredStore,
  type OpaqueTokens,
  opaqueTokens,
  redisStore,
  type ThrottleOptions
} from 'fastify-screen-auth'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import { hostOf, SetupError } from './errors.ts'

/** Milliseconds that Redis may take to connect, and to reply to a command. */
const LIMIT = 2_000

/** Milliseconds between two health checks, and at most between two attempts to connect. */
const INTERVAL = 1_000

/** Commands that may wait for a reply: without a limit they would fill the memory while Redis hangs. */
const MOST_COMMANDS = 10_000

type Log = Record<'info' | 'error', (message: string) => void>

/** The sessions and failed logins that several servers share in Redis, over one connection. */
export class Redis {
  readonly #url: string
  readonly #client: ReturnType<typeof connection>
  #watch: NodeJS.Timeout | undefined
  #isUp = true

  /** @throws SetupError when the URL is invalid */
  constructor(url: string) {
    this.#url = url
    this.#client = connection(url)
  }

  /** Tokens with their sessions in Redis. */
  tokens(lifetime?: number): OpaqueTokens {
    return opaqueTokens({ store: redisStore(this.#client), lifetime, timeout: LIMIT / 1000 })
  }

  /** Counts failed logins in Redis, and in the memory of each server while Redis is down. */
  throttle(): ThrottleOptions {
    return { store: options => insuredStore(this.#limiter(options), options) }
  }

  /** The same counts for a command, which must fail while Redis is down: its memory is gone when it ends. */
  uninsuredThrottle(): ThrottleOptions {
    return { store: options => this.#limiter(options) }
  }

  /**
   * Connects, and reconnects when necessary. The server also starts while Redis is down: a rolling restart must not
   * depend on it.
   *
   * @throws SetupError when Redis rejects the credentials or the database in the URL
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
      throw isUnableToReport(error) ? unreporting(this.#url) : unusable(this.#url, reasonOf(error))
    }
    this.#report(log, error)
    client.on('error', error => this.#report(log, error))
    client.on('ready', () => this.#check(log))
    this.#watch = setInterval(() => this.#check(log), INTERVAL)
  }

  close(): void {
    clearInterval(this.#watch)
    if (this.#client.isOpen) this.#client.destroy()
  }

  #limiter(options: FailureStoreOptions): RateLimiterRedis {
    const redis = { storeClient: this.#client, useRedisPackage: true, rejectIfRedisNotReady: true }
    return new RateLimiterRedis({ ...options, ...redis })
  }

  /**
   * A health check: without it, the client waits forever on a connection that is dead but not closed, and takes the
   * replies on one that has lost some for those to other commands.
   */
  async #check(log: Log): Promise<void> {
    const client = this.#client
    if (!client.isReady) return
    const sent = randomUUID()
    const reply = client.ping(sent).then(
      received => (received === sent ? null : MIXED_UP),
      error => error as Error
    )
    // One more turn of the event loop: if this process was busy, a reply that has arrived must be read first.
    const silence = sleep(LIMIT, undefined, { ref: false }).then(() => nextLoop(SILENT))
    const error = await Promise.race([reply, silence])
    this.#report(log, error)
    if ((error !== SILENT && error !== MIXED_UP) || !client.isReady) return
    client.destroy()
    client.connect().catch(() => {})
  }

  /** Logs once that Redis is down, and once that it is back: then there is no error. */
  #report(log: Log, error: Error | null): void {
    const isUp = error === null
    if (isUp === this.#isUp) return
    this.#isUp = isUp
    if (isUp) log.info('Redis is back')
    else log.error(`Redis is down (${reasonOf(error)}): requests with a token get a 503`)
  }
}

const SILENT = Object.assign(new Error('Redis does not reply'), { code: 'ETIMEDOUT' })
const MIXED_UP = Object.assign(new Error('Redis replies to another command'), { code: 'EPROTO' })

/** @throws SetupError */
function connection(url: string) {
  try {
    return createClient({
      url,
      // Redis says which sessions have changed, so that it need not be asked about each request.
      RESP: 3,
      emitInvalidate: true,
      // Else the client may change its connection without a word, and miss what Redis says.
      maintNotifications: 'disabled',
      // While Redis is down, commands fail at once instead of waiting until it is back.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MOST_COMMANDS,
      socket: {
        connectTimeout: LIMIT,
        // For a server that accepts the connection but never replies. Later, the health checks prevent the timeout.
        socketTimeout: 2 * LIMIT,
        reconnectStrategy: retries => Math.min(50 * 2 ** retries, INTERVAL)
      }
    })
  } catch {
    throw unusable(url, 'it is no such URL')
  }
}

/** An error that a retry cannot fix: a wrong password, a missing database. */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients)) ?/.test(message)
}

/** Whether Redis refused a command by which it is told to report changes: its own words name it. */
function isUnableToReport({ message }: Error): boolean {
  return /^(NOPERM|ERR unknown command).*['`](hello|client)/i.test(message)
}

/** Never the whole message: it may contain the password. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const { code, message } = error
  return code ?? /^[A-Z]+(?= )/.exec(message)?.[0] ?? error.constructor.name
}

function unreporting(url: string): SetupError {
  return new SetupError(
    `SVC_REDIS_URL: ${hostOf(url)} does not report changes (HELLO 3, CLIENT TRACKING); use Redis 6.2 or later, or ` +
      'Valkey, and allow the user the commands hello, client|trackinginfo and client|tracking'
  )
}

function unusable(url: string, reason: string): SetupError {
  return new SetupError(
    `SVC_REDIS_URL: cannot use ${hostOf(url) ?? 'it'} (${reason}); set it to a Redis URL such as ` +
      'redis://user:password@127.0.0.1:6379/0, or unset it for JWTs'
  )
}
