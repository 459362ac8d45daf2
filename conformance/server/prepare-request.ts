import { type KeyObject, randomBytes } from 'node:crypto'
import type { CaseRequest } from '../cases.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import { changeJwt, type Jwt, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { changeToken } from './tokens.ts'

/** A response as the expectations of the cases describe it, with the token of a login decoded. */
export interface Answer extends HttpResponse {
  jwt?: Pick<Jwt, 'header' | 'claims'> & { lifetime: number; remaining: number; signed?: boolean }
}

/** The values of the placeholders in a run. */
export type Values = ReturnType<typeof valuesOf>

/** Returns the values of the placeholders when a run begins, and the keys that a changed JWT may be signed with. */
export function valuesOf(options: ServerOptions) {
  const { url, username, password, secondUsername = '', secondPassword = '', expiredToken } = options
  return {
    origin: url.origin,
    /** Path of the base URL, without a slash at its end. */
    base: url.pathname.replace(/\/+$/, ''),
    username,
    password,
    'second username': secondUsername,
    'second password': secondPassword,
    'expired token': expiredToken,
    'app name': options.appName,
    /** Seconds that a token is valid. */
    lifetime: options.lifetime,
    publicKey: options.publicKey,
    key: undefined as KeyObject | undefined,
    /** A word that is no name, password or path of any server. */
    random: `x${randomBytes(9).toString('hex')}`,
    /** The route of a case that is run once for each `--protected`. */
    path: undefined as string | undefined,
    /** The token of the last login. */
    token: undefined as string | undefined,
    /** The responses of the named exchanges so far; called as in the placeholders, `answers.NAME.status`. */
    answers: {} as Record<string, Answer>
  }
}

/** A request as it is sent, and as a report shows it, with a word in angle brackets for each secret. */
export type PreparedRequest = NonNullable<ReturnType<typeof prepareRequest>>

/**
 * Fills in the placeholders of a request.
 *
 * @returns the request; undefined when its change is not possible, or would leave the token as it is
 * @throws MissingValueError when a placeholder has no value
 */
export function prepareRequest(request: CaseRequest, values: Values) {
  const lookup = lookupIn(values)
  const token = tokenOf(request, values, lookup)
  if (token === undefined && request.bearer !== undefined) return undefined
  const masks = lookupIn({ ...values, ...MASKS, answers: maskedAnswers(values.answers) })
  const word = maskedToken(request, masks)
  return {
    sent: build(request, lookup, token),
    masked: build(request, masks, word),
    /** Seconds to wait before it is sent. */
    pause: Number(fill(request.pause ?? 0, lookup)),
    /** The user whose credentials it has. */
    login: request.login,
    /** A changed token, and the word for it. */
    ...(typeof request.bearer === 'object' && { changed: [token, word] as [token: string, word: string] })
  }
}

/** Returns the lookup of placeholders: a value of the run, a number of seconds, or a part of a response. */
export function lookupIn(values: Values & { cookies?: string }): Lookup {
  const { username, password, token, answers, base, cookies } = values
  const all: Record<string, unknown> = {
    ...values,
    basic: base64(`${username}:${password}`),
    'basic token': token && base64(`${username}:${token}`),
    'base64 username': base64(username),
    'form token': token && encode(token),
    'form username': encode(username),
    'form password': encode(password),
    'json username': JSON.stringify(username),
    'json password': JSON.stringify(password),
    'escaped username': escaped(username),
    'escaped password': escaped(password),
    'decoded base': decoded(base),
    cookies: cookies ?? cookiesOf(answers.login),
    long: 'x'.repeat(7000),
    deep: '['.repeat(2000) + ']'.repeat(2000)
  }
  return name => {
    const [, start, difference] = /^(now|lifetime)([+-]\d+)$/.exec(name) ?? []
    if (start === 'now') return Math.floor(Date.now() / 1000) + Number(difference)
    if (start === 'lifetime') return values.lifetime && values.lifetime + Number(difference)
    return name.split('.').reduce<unknown>((value, key) => (Object(value) as Record<string, unknown>)[key], all)
  }
}

const MASKS = {
  password: '<password>',
  'second password': '<second password>',
  token: '<token>',
  'expired token': '<expired token>',
  cookies: '<cookies>'
}

/** The responses as a report shows them where a request has the token of one. */
function maskedAnswers(answers: Values['answers']): Values['answers'] {
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      { ...answer, body: { ...Object(answer.body), token: `<token of the ${name}>` } }
    ])
  )
}

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

/** JSON in which every UTF-16 unit is an escape. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return `"${units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

function tokenOf({ bearer }: CaseRequest, values: Values, lookup: Lookup): string | undefined {
  if (bearer === undefined) return undefined
  const given = typeof bearer === 'string' ? fill(bearer, lookup) : values.token
  if (typeof given !== 'string') throw new MissingValueError(NO_TOKEN)
  if (typeof bearer === 'string') return given
  if ('token' in bearer) return changeToken(given, bearer.token)
  const jwt = parseJwt(given)
  const changed = jwt && changeJwt(jwt, fill(bearer.jwt, lookup), values)
  return changed === given ? undefined : changed
}

function maskedToken({ bearer }: CaseRequest, lookup: Lookup): string | undefined {
  if (typeof bearer !== 'object') return fill(bearer, lookup)
  return 'token' in bearer ? `<token, ${bearer.token}>` : `<token, ${JSON.stringify(bearer.jwt)}>`
}

function build(request: CaseRequest, lookup: Lookup, token?: string): HttpRequest {
  const { method, path, headers = {}, json, chunked } = request
  const lines = Object.entries(fill(headers, lookup)).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value])
  )
  if (token !== undefined) lines.push(['Authorization', `Bearer ${token}`])
  if (json !== undefined && headers['Content-Type'] === undefined) lines.push(['Content-Type', 'application/json'])
  const body = bodyOf(request, lookup)
  return {
    method,
    path: fill(path, lookup),
    headers: lines,
    ...(body !== undefined && { body }),
    ...(chunked && { chunked })
  }
}

function bodyOf({ json, text, base64 }: CaseRequest, lookup: Lookup): string | Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  return json === undefined ? text && fill(text, lookup) : JSON.stringify(fill(json, lookup))
}

const NO_TOKEN = 'it needs a token, and the login gave none'

/** Says which placeholder has no value in this run. */
export class MissingValueError extends Error {}

/** Returns the value of a placeholder by its name; undefined when it has none. */
export type Lookup = (name: string) => unknown

/**
 * Replaces every `{{name}}` in strings and keys. A string that is one placeholder and nothing else becomes the value
 * itself, so that a number stays a number. In a pattern a placeholder is `\{\{name\}\}`, to be a valid one.
 *
 * @returns a copy
 * @throws MissingValueError when a placeholder has no value
 */
export function fill<T>(template: T, lookup: Lookup): T
export function fill(template: unknown, lookup: Lookup): unknown {
  if (typeof template === 'string') return fillText(template, lookup)
  if (Array.isArray(template)) return template.map(item => fill(item, lookup))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [fillText(key, lookup), fill(value, lookup)])
  )
}

function fillText(text: string, lookup: Lookup): unknown {
  const [, whole] = /^\{\{([^{}]+)\}\}$/.exec(text) ?? []
  if (whole !== undefined) return resolveName(whole, lookup)
  return text.replace(/\{\{([^{}]+)\}\}|\\\{\\\{([^{}\\]+)\\\}\\\}/g, (_, name, inPattern) =>
    inPattern === undefined ? String(resolveName(name, lookup)) : escapePattern(String(resolveName(inPattern, lookup)))
  )
}

/** The characters that mean something in a pattern, escaped. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function resolveName(name: string, lookup: Lookup): unknown {
  const value = lookup(name)
  if (value !== undefined) return value
  throw new MissingValueError(name.includes('token') ? NO_TOKEN : `it needs ${name}, and there is none`)
}
