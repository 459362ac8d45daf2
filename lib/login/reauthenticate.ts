import type { FastifyRequest } from 'fastify'
import { audit, has, NoUserError, type ScreenUser, senderOf, whileClientWaits } from '../shared/index.ts'
import { isText } from './body.ts'
import { type Credentials, verify } from './credentials.ts'

/**
 * The result of `reauthenticate`: the user, or a message for the person. If logins are blocked, also the seconds to
 * wait.
 */
export type Reauthentication = ScreenUser | { error: string; retryAfter?: number }

export async function reauthenticate(
  credentials: Credentials | null,
  request: FastifyRequest,
  password: string
): Promise<Reauthentication> {
  const { screenUser: user } = request
  if (user === null || credentials === null) throw new NoUserError()
  const { limits, textOf } = credentials
  if (typeof password !== 'string' || password === '') return { error: textOf('no-password', request) }
  if (!isText(password)) return { error: textOf('wrong-password', request) }

  const { username } = user
  const fields = { username, password }
  // If the host's function returns another user, the password counts as wrong.
  const check = (signal: AbortSignal) => verify(credentials, fields, request, signal, 'wrong-password', username)
  const result = await whileClientWaits(request, check, limits.timeout)
  const outcome = has(result, 'user') ? 'accepted' : has(result, 'retryAfter') ? 'blocked' : 'rejected'
  const facts = { event: 'reauthentication', outcome }
  audit(request, senderOf(request, username), facts, `reauthentication ${outcome}`)
  if (has(result, 'user')) return result.user
  const { message, ...retry } = result
  return { error: message(), ...retry }
}
