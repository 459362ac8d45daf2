import { type ServerCase, serverCases } from '../cases.ts'
import type { Failure, Result } from '../report/report.ts'
import { curl } from './curl.ts'
import type { Answer } from './http.ts'
import { judge } from './judge.ts'
import { fill } from './placeholders.ts'
import { lookupIn } from './prepare.ts'
import type { Exchanged, Session } from './session.ts'
import { parseJwt } from './tokens.ts'

/** So much of a body is shown, in characters. */
const SHOWN = 500

/** Makes the requests of a case and judges each answer. */
export async function judgeCase(
  test: ServerCase,
  session: Session,
  origin: string,
  path?: string
): Promise<Pick<Result, 'status' | 'note' | 'failures'>> {
  const exchanges: Exchanged[] = []
  for (const request of test.requests) {
    const one =
      typeof request === 'string' ? await session.named(request) : await session.exchange(request, path)
    if (one !== undefined) exchanges.push(one)
  }

  const expectation = fill({ ...test.expectation, $defs: serverCases.$defs }, lookupIn(session.values))
  const failures = exchanges
    .map(exchanged => ({
      exchanged,
      expected: exchanged.answer ? judge(expectation, exchanged.answer) : ['an answer']
    }))
    .filter(({ expected }) => expected.length > 0)
    .map(({ exchanged, expected }) => describe(exchanged, expected, session, origin))

  if (test.level === 'OBSERVED')
    return { status: 'ok', note: session.mask(observation(test, exchanges, failures)) }
  if (failures.length === 0) return { status: 'ok' }
  return { status: test.level === 'MUST' ? 'failed' : 'warning', failures }
}

function observation({ observe }: ServerCase, exchanges: Exchanged[], failures: Failure[]): string {
  if (observe === undefined) return failures.length === 0 ? 'yes' : 'no'
  return exchanges
    .flatMap(({ answer, error }) =>
      answer ? observe.map(pointer => show(pointer, withJwt(answer))) : [error]
    )
    .join(', ')
}

/** What a JSON Pointer (RFC 6901) leads to, without the escapes, which no case needs. */
function show(pointer: string, answer: object): string {
  const value = pointer
    .slice(1)
    .split('/')
    .reduce<unknown>((part, key) => (Object(part) as Record<string, unknown>)[key], answer)
  return value === undefined ? 'none' : (JSON.stringify(value) as string)
}

/** The answer to a login with its token taken apart, when that is a JWT. */
function withJwt(answer: Answer): object {
  const { token } = Object(answer.body) as { token?: unknown }
  const { header, claims = {} } = parseJwt(String(token)) ?? {}
  return header === undefined
    ? answer
    : { ...answer, jwt: { header, claims, lifetime: Number(claims.exp) - Number(claims.iat) } }
}

function describe(
  { prepared, answer, error }: Exchanged,
  expected: string[],
  session: Session,
  origin: string
): Failure {
  const came = answer === undefined ? (error as string) : head(answer) + answer.text.slice(0, SHOWN)
  return {
    sent: curl(origin, prepared.shown),
    expected: expected.map(line => session.mask(line)),
    came: session.mask(came)
  }
}

function head({ status, headers }: Answer): string {
  const shown = ['content-type', 'www-authenticate', 'location', 'retry-after', 'cache-control']
  const lines = shown.filter(name => headers[name] !== undefined).map(name => `${name}: ${headers[name]}`)
  return [`status ${status}`, ...lines, '', ''].join('\n')
}
