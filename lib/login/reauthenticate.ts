import type { FastifyRequest } from 'fastify'
import { audit, NoUserError, type ScreenUser, whileClientWaits } from '../shared/index.ts'
import { isText } from './body.ts'
import type { CheckResult, CredentialChecker } from './credential-checker.ts'
import { messages } from './messages.ts'

/** What `reauthenticate` resolves to: the user, or why not, and in how many seconds to try again when blocked. */
export type Reauthentication = ScreenUser | { error: string; retryAfter?: number }

/** Asks the user of a guarded request for the password once more, as a login does. */
export async function reauthenticate(
  credentials: CredentialChecker | null,
  request: FastifyRequest,
  password: string
): Promise<Reauthentication> {
  const { screenUser: user } = request
  if (user === null || credentials === null) throw new NoUserError()
  if (typeof password !== 'string' || password === '') return { error: messages.noPassword }
  if (!isText(password)) return { error: messages.wrong }

  const { username } = user
  const check = (signal: AbortSignal) => credentials.check({ username, password }, request, signal)
  const result = toReauthentication(await whileClientWaits(request, check, credentials.timeout), username)
  audit(request, `password ${'error' in result ? 'rejected' : 'confirmed'}`, username)
  return result
}

/** Another user than that of the request is a wrong password. */
function toReauthentication(result: CheckResult, username: string): Reauthentication {
  if ('error' in result) return result
  return result.user.username === username ? result.user : { error: messages.wrong }
}
