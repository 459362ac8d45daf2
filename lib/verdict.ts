import { InvalidAnswerError } from './errors.ts'
import { type ScreenUser, toScreenUser } from './user.ts'

/** How credentials were judged: the user, or why not, and after how many seconds to try again if nobody looked. */
export type Verdict = { user: ScreenUser } | { error: string; retryAfter?: number }

const WRONG = 'Wrong username or password.'

/**
 * What `checkCredentials` answered. An error is looked at first, so that a mixed answer fails closed.
 *
 * @throws InvalidAnswerError
 */
export function toVerdict(answer: unknown): Verdict {
  if (answer === null) return { error: WRONG }
  const { error } = Object(answer) as { error?: unknown }
  if (typeof error === 'string' && error !== '') return { error }
  const user = toScreenUser(answer)
  if (user !== null) return { user }
  throw new InvalidAnswerError(
    'checkCredentials must answer a user ({ username, displayName }), null or { error }'
  )
}
