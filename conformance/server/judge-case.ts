import { inspect } from 'node:util'
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

/** Makes the requests of a case and judges each answer; undefined when none of them has a meaning here. */
export async function judgeCase(
  test: ServerCase,
  session: Session,
  path?: string
): Promise<Pick<Result, 'status' | 'note' | 'failures'> | undefined> {
  const exchanges: Exchanged[] = []
  for (const request of test.requests) {
    const one =
      typeof request === 'string' ? await session.named(request) : await session.exchange(request, path)
    if (one !== undefined) exchanges.push(one)
  }
  if (exchanges.length === 0) return undefined

  const lookup = lookupIn(session.values)
  const schemaOf = (part: object = {}) => fill({ ...part, $defs: serverCases.$defs }, lookup)
  const [expectation, given] = [schemaOf(test.expectation), schemaOf(test.given)]
  const judged = exchanges.filter(({ answer }) => answer === undefined || judge(given, answer).length === 0)
  if (judged.length === 0) return { status: 'skipped', note: 'there was nothing to judge' }

  const failures = judged
    .map(exchanged => ({
      exchanged,
      expected: exchanged.answer ? judge(expectation, exchanged.answer) : ['an answer']
    }))
    .filter(({ expected }) => expected.length > 0)
    .map(({ exchanged, expected }) => describe(exchanged, expected, session))

  if (test.level === 'OBSERVED')
    return { status: 'ok', note: session.mask(observation(test, judged, failures)) }
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
  // However deep or long it is.
  return value === undefined
    ? 'none'
    : inspect(value, { breakLength: Number.POSITIVE_INFINITY, maxStringLength: SHOWN })
}

/** The answer to a login with its token taken apart, when that is a JWT. */
function withJwt(answer: Answer): object {
  const { token } = Object(answer.body) as { token?: unknown }
  const { header, claims = {} } = parseJwt(String(token)) ?? {}
  return header === undefined
    ? answer
    : { ...answer, jwt: { header, claims, lifetime: Number(claims.exp) - Number(claims.iat) } }
}

function describe({ prepared, answer, error }: Exchanged, expected: string[], session: Session): Failure {
  // Masked before it is cut: half a token would not be recognised.
  const mask = (text: string) => session.mask(text)
  const came =
    answer === undefined ? mask(error as string) : head(answer, mask) + mask(answer.text).slice(0, SHOWN)
  return { sent: curl(session.values.origin, prepared.shown), expected: expected.map(mask), came }
}

function head({ status, headers }: Answer, mask: (text: string) => string): string {
  const shown = ['content-type', 'www-authenticate', 'location', 'retry-after', 'cache-control']
  const lines = shown
    .filter(name => headers[name] !== undefined)
    .map(name => `${name}: ${mask(headers[name] as string)}`)
  return [`status ${status}`, ...lines, '', ''].join('\n')
}
