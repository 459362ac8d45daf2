import type { Case, Level, Subject } from '../../cases.ts'
import type { Bearer } from '../jwt.ts'
import type { CaseRequest, Check, Need, ServerCase, TokenKind } from '../server-case.ts'
import type { Values } from '../values.ts'

type Requests = ServerCase['requests'] | string | CaseRequest | readonly (string | CaseRequest)[]

/** How a case judges its requirement. */
type Way = Omit<ServerCase, keyof Case | 'subject' | 'requests'> & { subject?: Subject; requests: Requests }

type Ways = Record<string, Way>

/** A row of a list of requirements: id, level, clauses, and the requirement, which may be on a second line. */
const LINE = /^ *(\S+) (MUST|SHOULD|OBSERVED|HARDENING) (.+?):\s+(.+)$/gm

/**
 * Returns the cases for a list of requirements. In the list, HARDENING is a MUST of that profile: word lists, unusual
 * headers or forged tokens.
 *
 * @param subject of each case whose way names no other
 * @throws Error that names an id which only the requirements or only the ways have
 */
export function cases(subject: Subject, requirements: string, ways: Ways): ServerCase[] {
  const rows = new Map([...requirements.matchAll(LINE)].map(([, id = '', ...row]) => [id, row]))
  return [...new Set([...rows.keys(), ...Object.keys(ways)])].map(id => {
    const [level, clauses, title] = rows.get(id) ?? []
    if (level === undefined || clauses === undefined || title === undefined)
      throw new Error(`the case ${id} has no row in the requirements`)
    if (!Object.hasOwn(ways, id)) throw new Error(`the case ${id} has no way to check it`)
    const { requests, ...way } = ways[id] as Way
    const [clause = '', ...also] = clauses.split(', ')
    return {
      id,
      clause,
      ...(also.length > 0 && { also }),
      ...(level === 'HARDENING' ? { level: 'MUST', hardening: true } : { level: level as Level }),
      title,
      subject,
      ...way,
      requests: typeof requests === 'function' ? requests : () => [requests].flat() as (string | CaseRequest)[]
    }
  })
}

/** Checks the response to each request. */
export const expecting = (expect: Check, requests: Requests): Way => ({ expect, requests })

/** Returns `expecting`, for another subject than that of the other cases of a list. */
const about =
  (subject: Subject): typeof expecting =>
  (expect, requests) => ({ subject, ...expecting(expect, requests) })
export const elsewhere = about('elsewhere')
export const expiry = about('expiry')
export const spelling = about('spelling')
export const header = about('header')

/** Shows the status of each response. */
export const showingStatus = (requests: Requests): Way => ({ observe: ({ status }) => status, requests })

/** Adds the same needs to each way. */
export const needs = (all: readonly Need[], ways: Ways): Ways =>
  Object.fromEntries(Object.entries(ways).map(([id, way]) => [id, { ...way, needs: all }]))

type More = Omit<CaseRequest, 'method' | 'path'>
export const send = (method: string, path: string, more: More = {}): CaseRequest => ({ method, path, ...more })
export const get = (path: string, more?: More) => send('GET', path, more)
export const menu = (more?: More) => get('/menu/main', more)
export const menuWith = (bearer: Bearer) => menu({ bearer })
/** A request for the menu with an Authorization header of its own. */
export const authorized = (Authorization: string | string[], token: TokenKind = 'invalid') =>
  menu({ headers: { Authorization }, token })

export const login = (fields: unknown, more: More = {}) => send('POST', '/auth/login', { json: { fields }, ...more })
/** A login with the right credentials of the first user. */
export const rightLogin = ({ username, password }: Values, more: More = {}) =>
  login({ username, password }, { login: 'first', ...more })
export const JSON_TYPE = { 'Content-Type': 'application/json' }
export const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }

export const words = (text: string) => text.trim().split(/\s+/)

export const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Percent-encodes a text. Replaces lone surrogates by U+FFFD, because encodeURIComponent throws on them. */
export const encode = (text: string) => encodeURIComponent(text.toWellFormed())

/** A WebSocket request. The server may close the connection instead of responding. */
export const upgrade = (path: string, protocol?: string) =>
  get(path, {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'c2NyZWVuLXNlcnZpY2UtMQ==',
      ...(protocol !== undefined && { 'Sec-WebSocket-Protocol': protocol })
    },
    mayClose: true
  })
