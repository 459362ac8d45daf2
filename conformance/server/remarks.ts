import type { Result } from '../report/report.ts'
import type { ServerOptions } from './options.ts'
import type { Run } from './run.ts'
import { isSuccess } from './statuses.ts'

/** The message for a secret or key that does not verify the server's tokens. */
export const WRONG_KEY = 'The server does not sign its tokens with the given key.'

/** Returns sentences about options that look wrong, and about reasons for skipped cases. */
export function hints({ noAuth }: ServerOptions, run: Run, results: Result[]): string[] {
  const { responses } = run.known
  const [isOpen, hasForm] = ['menu without token', 'form'].map(name => isSuccess(responses.get(name)?.status))
  const all: [boolean, string][] = [
    [run.isKeyWrong, WRONG_KEY],
    [
      results.some(({ reason }) => reason === 'limited'),
      'The server limits requests, and some cases could not be checked: try again later.'
    ],
    [!noAuth && isOpen === true && !hasForm, 'Does the server run in the no-auth mode? Then use --no-auth.'],
    [
      noAuth && results.some(({ id, status }) => id === 'open-menu' && status === 'failed'),
      'Does the server run with a login? Then omit --no-auth, and give a username and a password.'
    ]
  ]
  return all.filter(([applies]) => applies).map(([, hint]) => hint)
}
