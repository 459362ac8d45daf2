import type { Level } from '../../cases.ts'
import type { Bearer, CaseRequest, ServerCase } from '../server-case.ts'
import type { Values } from '../values.ts'

type Rest = Omit<ServerCase, 'id' | 'clause' | 'also' | 'level' | 'title' | 'requests'> & {
  requests: ServerCase['requests'] | string | CaseRequest | readonly (string | CaseRequest)[]
}
type Define = (id: string, clauses: string | string[], title: string, rest: Rest) => ServerCase

const define =
  (level: Level, more: Partial<ServerCase> = {}): Define =>
  (id, clauses, title, { requests, ...rest }) => {
    const [clause = '', ...also] = [clauses].flat()
    return {
      id,
      clause,
      ...(also.length > 0 && { also }),
      level,
      title,
      ...more,
      ...rest,
      requests: typeof requests === 'function' ? requests : () => [requests].flat() as (string | CaseRequest)[]
    }
  }

/** Defines a case for a rule of the contract. */
export const must = define('MUST')

/** Defines a case of the profile `hardening`: word lists, unusual headers or forged tokens. */
export const hardened = define('MUST', { hardening: true })

/** Defines a case for a recommendation of an RFC or of security practice. */
export const should = define('SHOULD')

/** Defines a case for behaviour that the contract leaves open. */
export const observed = define('OBSERVED')

type More = Omit<CaseRequest, 'method' | 'path'>
export const send = (method: string, path: string, more: More = {}): CaseRequest => ({ method, path, ...more })
export const get = (path: string, more?: More) => send('GET', path, more)
export const menu = (more?: More) => get('/menu/main', more)
export const menuWith = (bearer: Bearer) => menu({ bearer })
export const authorized = (Authorization: string | string[]) => menu({ headers: { Authorization } })

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
