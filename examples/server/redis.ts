import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { SetupError } from './errors.ts'

/** The prefix of each key in Redis. */
export const PREFIX = 'screens:'

type Client = ReturnType<typeof redisClient>
type Log = Record<'info' | 'error', (message: string) => void>

const SILENCE = Object.assign(new Error('Redis did not reply'), { code: 'ETIMEDOUT' })

/**
 * Creates a client of the Redis in which several servers share sessions and failed logins.
 *
 * @throws SetupError when the URL is invalid
 */
export function redisClient(url: string) {
  try {
    // Without a listener, an error would end the process.
    return createClient({ url }).on('error', () => {})
  } catch {
    throw unusable('it is not a Redis URL')
  }
}

/**
 * Connects. Resolves even if Redis is down, so that a rolling restart does not depend on Redis: the client reconnects.
 * Logs one line when Redis goes down, and one when it is back.
 *
 * @throws SetupError when Redis rejects the credentials or the database in the URL
 */
export async function connect(client: Client, log: Log): Promise<void> {
  client.connect().catch(() => {})
  // Without a password in the URL, Redis accepts the connection, and rejects the first command.
  const reply = once(client, 'ready').then(() => client.get('screen_auth_start'))
  const silence = sleep(2_000, SILENCE, { ref: false })
  const error: Error | null = await Promise.race([reply.then(() => null), silence]).catch(error => error)
  if (error && isRefusal(error)) throw unusable(reasonOf(error))

  let isUp = true
  // The client emits an error at each attempt to reconnect.
  const report = (error: Error | null) => {
    if (client.isReady === isUp) return
    isUp = client.isReady
    if (error) log.error(`Redis is down (${reasonOf(error)}): requests with a token get a 503`)
    else log.info('Redis is back')
  }
  client.on('error', report).on('ready', () => report(null))
  report(error)
}

/** An error that a retry cannot fix: a wrong password, a missing database. */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients))/.test(message)
}

/** Returns the error code, never the whole message: the message may contain the password. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code ?? /^[A-Z]+(?= )/.exec(error.message)?.[0] ?? error.constructor.name
}

/** Never contains the URL, which may contain a password. */
function unusable(reason: string): SetupError {
  return new SetupError(
    `SVC_REDIS_URL: cannot use Redis (${reason}); set it to a Redis URL such as ` +
      'redis://user:password@127.0.0.1:6379/0, or unset it for JWTs'
  )
}
