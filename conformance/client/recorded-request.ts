import type { IncomingHttpHeaders } from 'node:http'
import { spellings } from '../report/secrets.ts'

/** What the scripted server does with a request. */
export type Outcome =
  | 'menu'
  | 'screen'
  | 'form'
  | 'rejected'
  | 'accepted'
  /** A login request with another method, path or body than the form asks for. */
  | 'malformed login'
  /** 401 to a request without the right token. */
  | 'unauthorized'
  /** 401 to a request with the right token, which is invalid from now on. */
  | 'expired'
  /** A CORS preflight or a browser's own request: not checked. */
  | 'ignored'

/** A request of the client, and what the server did with it. */
export interface RecordedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Time of arrival in milliseconds. */
  at: number
  /** Time of the response in milliseconds. */
  respondedAt?: number
  outcome: Outcome
  /** The token that the client should send at that time; undefined when it has none. */
  token: string | undefined
}

/** Returns the token of an Authorization header; the scheme may be in any case (RFC 9110 11.1). */
export function bearerToken({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

/** Returns the fields of an AuthRequest; undefined when the body is none. */
export function fieldsOf(body: string): Record<string, unknown> | undefined {
  try {
    const { fields } = JSON.parse(body)
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : undefined
  } catch {
    return undefined
  }
}

/** Returns whether the request is for the main menu. */
export function isMenu({ method, path }: RecordedRequest): boolean {
  return method === 'GET' && path.split('?')[0] === '/menu/main'
}

/** Returns whether the response is 401. */
export function isUnauthorized({ outcome }: RecordedRequest): boolean {
  return outcome === 'unauthorized' || outcome === 'expired'
}

/** Returns whether the Authorization header has an empty value in place of a token, such as `null`. */
export function hasEmptyToken({ headers: { authorization = 'x' } }: RecordedRequest): boolean {
  return /^bearer *(null|undefined|none|nil|false|\[object Object\])?$/i.test(authorization)
}

/** Returns the tokens that the client has received up to a request. */
export function tokensUntil(requests: RecordedRequest[], index: number): string[] {
  return [...new Set(requests.slice(0, index + 1).map(({ token }) => token))].filter(isString)
}

/** Returns the tokens that the client must have dropped: those with a 401 that was sent before the request came. */
export function expiredTokens(requests: RecordedRequest[], { at }: RecordedRequest): string[] {
  return requests
    .filter(request => isUnauthorized(request) && Number(request.respondedAt) <= at)
    .map(({ token }) => token)
    .filter(isString)
}

/** Returns whether a token is in a part of the request other than the Authorization header. */
export function hasTokenElsewhere({ path, headers, body }: RecordedRequest, token: string): boolean {
  const { authorization, ...others } = headers
  return hasSecret({ path, headers: others, body }, token)
}

/** Returns whether a secret is in a request, as it is or encoded as in URLs, JSON and Base64. */
export function hasSecret(
  request: Pick<RecordedRequest, 'path' | 'headers' | 'body'>,
  secret: string
): boolean {
  const text = ownText(request)
  const decoded = [...text.matchAll(/[\w+/-]{8,}={0,2}/g)].map(([word]) =>
    Buffer.from(word, 'base64').toString()
  )
  return spellings(secret).some(form => text.includes(form)) || decoded.some(word => word.includes(secret))
}

/** Headers of every HTTP client: a password that is an ordinary word may be part of their values. */
const STANDARD_HEADERS =
  /^(host|user-agent|accept.*|content-.*|connection|origin|sec-.*|access-control-.*|cache-control|pragma)$/

/** Returns the parts of a request that the client chooses itself, and that can therefore hold a secret. */
export function ownText({ path, headers, body }: Pick<RecordedRequest, 'path' | 'headers' | 'body'>): string {
  const own = path.replace(
    /^\/(menu\/main|auth\/login|screen\/(first|second)|[\da-f]{8}\/Auth\/Step-1\.do)(?=\?|$)/,
    ''
  )
  const values = Object.entries(headers).filter(([name]) => !STANDARD_HEADERS.test(name))
  return [own, ...values.flatMap(([, value]) => value), body].join('\n')
}

/** Returns whether a value is a string. */
export function isString(value: unknown): value is string {
  return typeof value === 'string'
}
