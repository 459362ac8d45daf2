import type { IncomingHttpHeaders } from 'node:http'
import { spellings } from '../report/secrets.ts'

/** What happened at one request: what the client was given. */
export type Event =
  | 'menu'
  | 'screen'
  | 'form'
  | 'rejected'
  | 'accepted'
  /** A login request of a wrong form, or at a wrong place. */
  | 'misplaced'
  /** 401 to a request without the right token. */
  | 'denied'
  /** 401 to a request with the right token, which from now on is none. */
  | 'expired'
  /** A preflight of CORS, or a browser's own request: not judged. */
  | 'ignored'

/** A request of the client. */
export interface Seen {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** When it came, and when its answer was on its way; milliseconds. */
  at: number
  answeredAt?: number
  event: Event
  /** The token that the client held when it sent this; undefined when it had none. */
  token: string | undefined
}

/** The token of an Authorization header; the scheme may be in any case (RFC 9110 11.1). */
export function bearer({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

/** The fields of a submission; undefined when the body is no AuthRequest. */
export function fieldsOf(body: string): Record<string, unknown> | undefined {
  try {
    const { fields } = JSON.parse(body)
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : undefined
  } catch {
    return undefined
  }
}

/** Whether it asks for the main menu. */
export function isMenu({ method, path }: Seen): boolean {
  return method === 'GET' && path.split('?')[0] === '/menu/main'
}

/** Whether it was answered 401. */
export function isRefused({ event }: Seen): boolean {
  return event === 'denied' || event === 'expired'
}

/** Whether an Authorization header says nothing, as careless code writes it. */
export function isMadeUp({ headers: { authorization = 'x' } }: Seen): boolean {
  return /^bearer *(null|undefined|none|nil|false|\[object Object\])?$/i.test(authorization)
}

/** The tokens that the client was given up to a request. */
export function tokensUntil(seen: Seen[], index: number): string[] {
  return [...new Set(seen.slice(0, index + 1).map(({ token }) => token))].filter(isString)
}

/** The tokens that the client had to drop before a request: it must have had the 401 to know. */
export function lostTokens(seen: Seen[], { at }: Seen): string[] {
  return seen
    .filter(one => isRefused(one) && Number(one.answeredAt) <= at)
    .map(({ token }) => token)
    .filter(isString)
}

/** Whether a token is anywhere but in the Authorization header. */
export function hasOutside({ path, headers, body }: Seen, token: string): boolean {
  const { authorization, ...others } = headers
  return hasSecret({ path, headers: others, body }, token)
}

/** Whether a secret is in a request, also as URLs, JSON and Base64 spell it. */
export function hasSecret(one: Pick<Seen, 'path' | 'headers' | 'body'>, secret: string): boolean {
  const spelled = text(one)
  const decoded = [...spelled.matchAll(/[\w+/-]{8,}={0,2}/g)].map(([word]) =>
    Buffer.from(word, 'base64').toString()
  )
  return spellings(secret).some(form => spelled.includes(form)) || decoded.some(word => word.includes(secret))
}

/** What every HTTP client says of itself: an ordinary word in it is no secret. */
const USUAL =
  /^(host|user-agent|accept.*|content-.*|connection|origin|sec-.*|access-control-.*|cache-control|pragma)$/

/** All of a request that could hold a secret: the paths that the server gave cannot. */
export function text({ path, headers, body }: Pick<Seen, 'path' | 'headers' | 'body'>): string {
  const own = path.replace(
    /^\/(menu\/main|auth\/login|screen\/(first|second)|[\da-f]{8}\/Auth\/Step-1\.do)(?=\?|$)/,
    ''
  )
  const values = Object.entries(headers).filter(([name]) => !USUAL.test(name))
  return [own, ...values.flatMap(([, value]) => value), body].join('\n')
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}
