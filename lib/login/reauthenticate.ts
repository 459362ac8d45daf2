import type { FastifyRequest } from 'fastify'
import { audit, NoUserError, type ScreenUser, senderOf, whileClientWaits } from '../shared/index.ts'
import { isText } from './body.ts'
import { type Credentials, verify } from './credentials.ts'

/** What `reauthenticate` resolves to: the user, or why not, and in how many seconds to try again when blocked. */
export type Reauthentication = ScreenUser | { error: string; retryAfter?: number }

/** Asks the user of a guarded request for the password once more, as a login does. */
export async function reauthenticate(
  credentials: Credentials | null,
  request: FastifyRequest,
  password: string
): Promise<Reauthentication> {
  const { screenUser: user } = request
  if (user === null || credentials === null) throw new NoUserError()
  const { limits, say } = credentials
  if (typeof password !== 'string' || password === '') return { error: say('no-password', request) }
  if (!isText(password)) return { error: say('wrong-password', request) }

  const { username } = user
  const fields = { username, password }
  const check = (signal: AbortSignal) => verify(credentials, fields, request, signal, 'wrong-password')
  const verified = await whileClientWaits(request, check, limits.timeout)
  // Another user than that of the request is a wrong password.
  const isOther = 'user' in verified && verified.user.username !== username
  const result = isOther ? { message: () => say('wrong-password', request) } : verified
  const outcome = 'user' in result ? 'accepted' : 'retryAfter' in result ? 'blocked' : 'rejected'
  const facts = { event: 'reauthentication', outcome }
  audit(request, senderOf(request, username), facts, `reauthentication ${outcome}`)
  if ('user' in result) return result.user
  const { message, ...retry } = result
  return { error: message(), ...retry }
}
