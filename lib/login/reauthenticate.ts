import type { FastifyRequest } from 'fastify'
import { audit } from '../shared/audit-log.ts'
import { withDeadline } from '../shared/client-signal.ts'
import { NoUserError } from '../shared/errors.ts'
import type { ScreenUser } from '../shared/user.ts'
import { isText } from './body.ts'
import type { Credentials, Verdict } from './credentials.ts'
import { messages } from './messages.ts'

/** What {@link reauthenticate} resolves to: the user, or why not, and in how many seconds to try again when blocked. */
export type Reauthentication = ScreenUser | { error: string; retryAfter?: number }

/** Asks the user of a guarded request for the password once more, as a login does. */
export async function reauthenticate(
  credentials: Credentials | null,
  seconds: number,
  request: FastifyRequest,
  password: string
): Promise<Reauthentication> {
  const { screenUser: user } = request
  if (user === null || credentials === null) throw new NoUserError()
  if (typeof password !== 'string' || password === '') return { error: messages.noPassword }
  if (!isText(password)) return { error: messages.wrong }

  const { username } = user
  const verdict = await withDeadline(request, seconds, signal =>
    credentials.check({ username, password }, request, signal)
  )
  const result = 'user' in verdict && verdict.user.username === username ? verdict.user : toError(verdict)
  audit(request, `password ${'error' in result ? 'rejected' : 'confirmed'}`, username)
  return result
}

/** Another user than that of the request is a wrong password. */
function toError(verdict: Verdict): { error: string; retryAfter?: number } {
  return 'error' in verdict ? verdict : { error: messages.wrong }
}
