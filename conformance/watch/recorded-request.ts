import type { IncomingHttpHeaders } from 'node:http'

/** How the scripted server responds to a request. */
export type Outcome =
  | 'menu'
  /** 200, another screen. */
  | 'screen'
  | 'form'
  | 'rejected'
  | 'accepted'
  /** 400: a request to /auth/login or to auth_action that is not a submission of two strings in JSON. */
  | 'malformed login'
  /** 401: the token is missing, or is not the token of the session. */
  | 'unauthorized'
  /** 401: the token belongs to the session, but the session has expired. */
  | 'expired'
  /** No rule applies: the request was automatic, or the client disconnected before the response. */
  | 'ignored'

export interface Incoming {
  method: string
  /** Includes the query. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A request of the client, and the state of both sides when the request arrived. */
export interface RecordedRequest extends Incoming {
  at: number
  /** Time of the response in milliseconds; undefined before the response. */
  respondedAt?: number
  outcome: Outcome
  /** The path to which the client must submit the form. */
  authAction: string
  /**
   * The session as the client knows it: only responses that were sent count. `left`: the client has fetched the form
   * during the session, as after a logout. `ended`: the client has got a 401, even if it had no session.
   */
  session: 'none' | 'open' | 'left' | 'ended'
  authorization: Authorization
  /** Whether the request is a POST to auth_action. */
  submission: boolean
  /** Milliseconds since the response to the login. Absent if there was another request in between. */
  sinceLogin?: number
  /** The token of the session at that time; for an accepted login, the new token. */
  token: string | undefined
  /** Whether the client began with a token that got a 401 in an earlier scenario. `issued`: the token of a login. */
  refusedBefore: 'no' | 'issued' | 'other'
  refused: readonly string[]
}

/**
 * The content of the Authorization header. `empty`: no token, or a word such as null instead; `malformed`: not Bearer
 * with one token; `refused`: a token that had got a 401; `stored`: the token with which the client began.
 */
export type Authorization = 'none' | 'current' | 'refused' | 'stored' | 'other' | 'empty' | 'malformed'

/** The paths of the scripted server, which the kit does not search for secrets. */
export const KNOWN_PATHS = /^\/(menu\/main|auth\/login|screen\/(first|second)|[\da-f]{8}\/Auth\/Step-1\.do)(?=\?|$)/

/** Returns the token of an Authorization header; the scheme may be in any case (RFC 9110 11.1). */
export const bearerToken = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  isEmpty(authorization) ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1]

/** Returns whether the Authorization header has no token, or an empty value such as `null` instead. */
export const isEmpty = (authorization: string) =>
  /^(bearer)? *(null|undefined|none|nil|false|\[object Object\]|""|'')?$/i.test(authorization)

export const pathname = ({ path }: Incoming) => path.split('?')[0] as string

export const isMenu = (request: Incoming) => request.method === 'GET' && pathname(request) === '/menu/main'

/** Parses a body as JSON. Returns undefined if it is not JSON in UTF-8 without a byte order mark (RFC 8259 8.1). */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Returns the fields of an AuthRequest, or undefined if the body is not an AuthRequest. */
export function fieldsOf(body: Buffer): Record<string, unknown> | undefined {
  const fields = Object(jsonOf(body)).fields
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : undefined
}

/** Returns whether a browser or a tool sent the request by itself, so that no rule applies to it. */
export function isAutomatic(request: Incoming): boolean {
  const { method, path, headers } = request
  if (method === 'OPTIONS' || (method === 'HEAD' && path === '/')) return true
  if (method !== 'GET') return false
  const { 'sec-fetch-dest': destination = 'empty', 'sec-purpose': purpose = headers.purpose } = headers
  return (
    /^\/(favicon\.ico|robots\.txt|\.well-known\/.*|apple-[\w.-]*|[\w./-]+\.map)$/.test(path) ||
    /^prefetch/.test(String(purpose)) ||
    (destination !== 'empty' && path === pathname(request))
  )
}
