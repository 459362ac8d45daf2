import type { FastifyRequest } from 'fastify'
import { audit, NoUserError, type ScreenUser, senderOf, whileClientWaits } from '../shared/index.ts'
import { isText } from './body.ts'
import { type Credentials, verify } from './credentials.ts'
import type { Say } from './messages.ts'

/** What `reauthenticate` resolves to: the user, or why not, and in how many seconds to try again when blocked. */
export type Reauthentication = ScreenUser | { error: string; retryAfter?: number }

/** Asks the user of a guarded request for the password once more, as a login does. */
export async function reauthenticate(
  credentials: Credentials | null,
  say: Say,
  request: FastifyRequest,
  password: string
): Promise<Reauthentication> {
  const { screenUser: user } = request
  if (user === null || credentials === null) throw new NoUserError()
  if (typeof password !== 'string' || password === '') return { error: say('no-password', request) }
  if (!isText(password)) return { error: say('wrong-password', request) }

  const { username } = user
  const log = (outcome: string) => {
    const facts = { event: 'reauthentication', outcome }
    audit(request, senderOf(request, username), facts, `reauthentication ${outcome}`)
  }
  const check = (signal: AbortSignal) => verify(credentials, { username, password }, request, signal)
  const result = await whileClientWaits(request, check, credentials.limits.timeout)
  if ('blockedFor' in result) {
    log('blocked')
    const { blockedFor: retryAfter } = result
    return { error: say('blocked', request, retryAfter), retryAfter }
  }
  if ('user' in result && result.user.username === username) {
    log('accepted')
    return result.user
  }
  log('rejected')
  // Another user than that of the request is a wrong password.
  const words = 'error' in result ? result.error : null
  return { error: words ?? say('wrong-password', request) }
}
