import type { CaseRequest } from '../cases.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { fill, type Lookup, MissingValueError } from './placeholders.ts'
import { changeJwt, changeToken, parseJwt } from './tokens.ts'

/** The values of the placeholders in a run. */
export interface Values {
  origin: string
  /** Path of the base URL, without a slash at its end. */
  base: string
  username: string
  password: string
  /** A word that is no name, password or path of any server. */
  random: string
  /** The route of a case that is run once for each `--protected`. */
  path?: string | undefined
  /** The token of the last login. */
  token?: string | undefined
  /** The key that JWTs are signed with. */
  key?: Buffer | undefined
  /** The responses of the named exchanges so far; called as in the placeholders, `answers.NAME.status`. */
  answers: Record<string, HttpResponse>
}

/** A request as it is sent, and as a report shows it, with a word in angle brackets for each secret. */
export interface PreparedRequest {
  sent: HttpRequest
  masked: HttpRequest
}

/**
 * Fills in the placeholders of a request.
 *
 * @returns the request; undefined when its change would leave the token as it is
 * @throws MissingValueError when a placeholder has no value
 */
export function prepareRequest(request: CaseRequest, values: Values): PreparedRequest | undefined {
  const lookup = lookupIn(values)
  const token = tokenOf(request, values, lookup)
  if (token === undefined && request.bearer !== undefined) return undefined
  const masks = lookupIn({ ...values, ...MASKS })
  return {
    sent: build(request, lookup, token),
    masked: build(request, masks, maskedToken(request, masks))
  }
}

/** Returns the lookup of placeholders: a value of the run, `now` plus or minus seconds, or a part of a response. */
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

/** The cookies that a response sets, as a client sends them back; a harmless one when it sets none. */
function cookiesOf(response: HttpResponse | undefined): string {
  const cookies = (response?.headers['set-cookie'] ?? 'none=none').split(/, (?=[^ ;,]+=)/)
  return cookies.map(cookie => cookie.split(';')[0]).join('; ')
}

/** Percent-encodes; half a surrogate pair becomes a replacement character. */
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

function maskedToken({ bearer }: CaseRequest, lookup: Lookup): string | undefined {
  if (typeof bearer !== 'object') return fill(bearer, lookup)
  return 'token' in bearer ? `<token, ${bearer.token}>` : `<token, ${JSON.stringify(bearer.jwt)}>`
}

function build(
  { method, path, headers = {}, json, text }: CaseRequest,
  lookup: Lookup,
  token?: string
): HttpRequest {
  const lines = Object.entries(fill(headers, lookup)).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value])
  )
  if (token !== undefined) lines.push(['Authorization', `Bearer ${token}`])
  if (json !== undefined) lines.push(['Content-Type', 'application/json'])
  const body = json === undefined ? text && fill(text, lookup) : JSON.stringify(fill(json, lookup))
  return { method, path: fill(path, lookup), headers: lines, ...(body !== undefined && { body }) }
}
