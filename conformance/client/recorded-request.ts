import type { IncomingHttpHeaders } from 'node:http'

/** What the scripted server does with a request. */
export type Outcome =
  | 'menu'
  /** 200, another screen. */
  | 'screen'
  | 'form'
  | 'rejected'
  | 'accepted'
  /** 400: a request to the path of the login, or to auth_action, that is no submission of two strings in JSON. */
  | 'malformed login'
  /** 401: the token is missing, or is not that of the session. */
  | 'unauthorized'
  /** 401 to the token of the session. */
  | 'expired'
  /** It says nothing about the client, or its sender has gone: no rule looks at it. */
  | 'ignored'

/** A request as it comes in. */
export interface Incoming {
  method: string
  /** With the query. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A request of the client, and what both sides knew when it came. */
export interface RecordedRequest extends Incoming {
  /** Time of arrival in milliseconds. */
  at: number
  /** Time of the response in milliseconds; undefined until then. */
  respondedAt?: number
  outcome: Outcome
  /** The path to which the form is submitted. */
  authAction: string
  /**
   * What the client knows of its session: a response that was not sent yet has changed nothing. `left`: it has fetched
   * the form during the session, as after a logout; `ended`: it got a 401 since.
   */
  session: 'none' | 'open' | 'left' | 'ended'
  authorization: Authorization
  /** Whether it is a POST to the auth_action. */
  submission: boolean
  /** Milliseconds since the response to the login, if nothing came in between. */
  sinceLogin?: number
  /** The token of the session at that time, of an accepted login the new one. */
  token: string | undefined
  /** Whether the client began the scenario with a token that had got a 401 in an earlier one, and whose it was. */
  refusedBefore: 'no' | 'issued' | 'other'
  /** The tokens that had got a 401 by then. */
  refused: readonly string[]
}

/**
 * What the Authorization header has. `empty`: no token, or a word such as null in its place; `malformed`: not Bearer with
 * one token; `refused`: a token that got a 401 before; `stored`: the one with which the client began.
 */
export type Authorization = 'none' | 'current' | 'refused' | 'stored' | 'other' | 'empty' | 'malformed'

/** The paths that the scripted server names itself. */
export const KNOWN_PATHS = /^\/(menu\/main|auth\/login|screen\/(first|second)|[\da-f]{8}\/Auth\/Step-1\.do)(?=\?|$)/

/** Returns the token of an Authorization header; the scheme may be in any case (RFC 9110 11.1). */
export function bearerToken({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return isEmpty(authorization) ? undefined : /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

/** Returns whether the Authorization header has an empty value in place of a token, such as `null`. */
export function isEmpty(authorization: string): boolean {
  return /^(bearer)? *(null|undefined|none|nil|false|\[object Object\]|""|'')?$/i.test(authorization)
}

/** Returns the path of a request without its query. */
export function pathname({ path }: Incoming): string {
  return path.split('?')[0] as string
}

/** Returns whether the request is for the main menu. */
export function isMenu(request: Incoming): boolean {
  return request.method === 'GET' && pathname(request) === '/menu/main'
}

/** Returns the value of a body in JSON; undefined when it is none (RFC 8259 8.1: UTF-8 without a byte order mark). */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Returns the fields of an AuthRequest; undefined when the body is none. */
export function fieldsOf(body: Buffer): Record<string, unknown> | undefined {
  const fields = Object(jsonOf(body)).fields
  return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : undefined
}

/** Returns whether a browser or a tool sent the request by itself, so that it says nothing about the client. */
export function isOfItsOwn(request: Incoming): boolean {
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
