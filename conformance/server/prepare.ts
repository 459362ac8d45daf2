import type { CaseRequest } from '../cases.ts'
import type { Answer, Request } from './http.ts'
import { fill, type Lookup, MissingValueError } from './placeholders.ts'
import { changeJwt, changeToken, parseJwt } from './tokens.ts'

/** What the placeholders of a run stand for. */
export interface Values {
  origin: string
  /** Path of the base URL, without a slash at its end. */
  base: string
  username: string
  password: string
  /** A word that no server knows. */
  random: string
  /** The route that is judged, for a case that is made for each `--protected`. */
  path?: string | undefined
  /** The token of the last login. */
  token?: string | undefined
  /** The key that JWTs are signed with. */
  key?: Buffer | undefined
  /** The answers to the named exchanges so far. */
  answers: Record<string, Answer>
}

/** A request as it is sent, and as it is shown: there each secret is a word in angle brackets. */
export interface Prepared {
  sent: Request
  shown: Request
}

/**
 * Makes the requests of a case; undefined when it has no meaning here, a change that leaves the token as it is.
 *
 * @throws MissingValueError when a value that it needs is missing
 */
export function prepare(request: CaseRequest, values: Values): Prepared | undefined {
  const lookup = lookupIn(values)
  const token = tokenOf(request, values, lookup)
  if (token === undefined && request.bearer !== undefined) return undefined
  const masked = lookupIn({ ...values, ...MASKS })
  return {
    sent: build(request, lookup, token),
    shown: build(request, masked, shownToken(request, masked))
  }
}

/** Looks up a placeholder: a value of the run, `now` and a difference in seconds, or a part of an earlier answer. */
export function lookupIn(values: Values & { cookies?: string }): Lookup {
  const { username, password, token, answers, base, cookies } = values
  const all = {
    ...values,
    basic: base64(`${username}:${password}`),
    'basic token': token && base64(`${username}:${token}`),
    'form token': token && encode(token),
    'form username': encode(username),
    'form password': encode(password),
    'decoded base': decoded(base),
    cookies: cookies ?? cookiesOf(answers.login),
    long: 'x'.repeat(7000)
  }
  return name => {
    const [, difference] = /^now([+-]\d+)$/.exec(name) ?? []
    if (difference !== undefined) return Math.floor(Date.now() / 1000) + Number(difference)
    return name
      .split('.')
      .reduce<unknown>((value, key) => (Object(value) as Record<string, unknown>)[key], all)
  }
}

const MASKS = { password: '<password>', token: '<token>', cookies: '<cookies>' }

/** The cookies that an answer sets, as a client would send them back; a harmless one when it sets none. */
function cookiesOf(answer: Answer | undefined): string {
  const cookies = (answer?.headers['set-cookie'] ?? 'none=none').split(/, (?=[^ ;,]+=)/)
  return cookies.map(cookie => cookie.split(';')[0]).join('; ')
}

/** Percent-encoded; half a surrogate pair, which cannot be, becomes a replacement character. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function tokenOf({ bearer }: CaseRequest, { token, key }: Values, lookup: Lookup): string | undefined {
  if (bearer === undefined) return undefined
  if (typeof bearer === 'string') return fill(bearer, lookup)
  if (token === undefined) throw new MissingValueError('it needs a token, and the login gave none')
  if ('token' in bearer) return changeToken(token, bearer.token)
  const jwt = parseJwt(token)
  return jwt && changeJwt(jwt, fill(bearer.jwt, lookup), key)
}

function shownToken({ bearer }: CaseRequest, lookup: Lookup): string | undefined {
  if (typeof bearer !== 'object') return fill(bearer, lookup)
  return 'token' in bearer ? `<token, ${bearer.token}>` : `<token, ${JSON.stringify(bearer.jwt)}>`
}

function build(
  { method, path, headers = {}, json, text }: CaseRequest,
  lookup: Lookup,
  token?: string
): Request {
  const lines = Object.entries(fill(headers, lookup)).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value])
  )
  if (token !== undefined) lines.push(['Authorization', `Bearer ${token}`])
  if (json !== undefined) lines.push(['Content-Type', 'application/json'])
  const body = json === undefined ? text && fill(text, lookup) : JSON.stringify(fill(json, lookup))
  return { method, path: fill(path, lookup), headers: lines, ...(body !== undefined && { body }) }
}
