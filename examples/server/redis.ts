import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
import { type OpaqueTokens, opaqueTokens, redisStore, type Store } from 'fastify-screen-auth'
import { createClient } from 'redis'
import { hostOf, SetupError } from './errors.ts'

/** Maximum milliseconds for a connection to Redis, and for the reply to a command. */
const LIMIT = 2_000

/** Milliseconds between two health checks, and the maximum between two connection attempts. */
const INTERVAL = 1_000

type Log = Record<'info' | 'error', (message: string) => void>

/** A connection to the Redis in which several servers share sessions and failed logins. */
export class Redis {
  /** For the sessions and the failed logins. */
  readonly store: Store
  readonly #url: string
  readonly #client: ReturnType<typeof connection>
  #watch: NodeJS.Timeout | undefined
  #isUp = true

  /** @throws SetupError when the URL is invalid */
  constructor(url: string) {
    this.#url = url
    this.#client = connection(url)
    this.store = redisStore(this.#client)
  }

  /** Creates tokens whose sessions are in Redis. */
  tokens(lifetime?: number): OpaqueTokens {
    return opaqueTokens({ store: this.store, lifetime, timeout: LIMIT / 1000 })
  }

  /**
   * Connects, and reconnects when necessary. Resolves even if Redis is down, so that a rolling restart does not depend
   * on Redis.
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
      throw isTrackingRefused(error) ? withoutTracking(this.#url) : unusable(this.#url, reasonOf(error))
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

  /**
   * A health check. Without it, the client waits forever on a dead connection that is not closed. After a lost reply,
   * the client would return each following reply to the wrong command.
   */
  async #check(log: Log): Promise<void> {
    const client = this.#client
    if (!client.isReady) return
    const sent = randomUUID()
    const reply = client.ping(sent).then(
      received => (received === sent ? null : WRONG_REPLY),
      error => error as Error
    )
    // Waits for one more turn of the event loop: after a busy period, a reply may have arrived but not been read.
    const timeout = sleep(LIMIT, undefined, { ref: false }).then(() => nextLoop(NO_REPLY))
    const error = await Promise.race([reply, timeout])
    this.#report(log, error)
    if ((error !== NO_REPLY && error !== WRONG_REPLY) || !client.isReady) return
    client.destroy()
    client.connect().catch(() => {})
  }

  /** Logs one line when Redis goes down, and one when Redis is back. `error` is null while Redis is up. */
  #report(log: Log, error: Error | null): void {
    const isUp = error === null
    if (isUp === this.#isUp) return
    this.#isUp = isUp
    if (isUp) log.info('Redis is back')
    else log.error(`Redis is down (${reasonOf(error)}): requests with a token get a 503`)
  }
}

const NO_REPLY = Object.assign(new Error('Redis did not reply'), { code: 'ETIMEDOUT' })
const WRONG_REPLY = Object.assign(new Error('Redis replied to another command'), { code: 'EPROTO' })

/** @throws SetupError */
function connection(url: string) {
  try {
    return createClient({
      url,
      // With RESP 3, Redis reports changed sessions, so the server can cache sessions between requests.
      RESP: 3,
      emitInvalidate: true,
      // With maintenance notifications, the client may replace its connection silently and miss reported changes.
      maintNotifications: 'disabled',
      // While Redis is down, commands fail immediately instead of waiting until Redis is back.
      disableOfflineQueue: true,
      socket: {
        connectTimeout: LIMIT,
        // Detects a server that accepts the connection but never replies. Health checks later prevent the timeout.
        socketTimeout: 2 * LIMIT,
        reconnectStrategy: retries => Math.min(50 * 2 ** retries, INTERVAL)
      }
    })
  } catch {
    throw unusable(url, 'it is not a Redis URL')
  }
}

/** An error that a retry cannot fix: a wrong password, a missing database. */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients)) ?/.test(message)
}

/** Whether Redis rejected a command that makes Redis report changes. The error message names the command. */
function isTrackingRefused({ message }: Error): boolean {
  return /^(NOPERM|ERR unknown command).*['`](hello|client)/i.test(message)
}

/** Returns the error code, never the whole message: the message may contain the password. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const { code, message } = error
  return code ?? /^[A-Z]+(?= )/.exec(message)?.[0] ?? error.constructor.name
}

function withoutTracking(url: string): SetupError {
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
