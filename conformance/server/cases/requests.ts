import type { Bearer } from '../jwt.ts'
import type { CaseRequest, TokenKind } from '../server-case.ts'
import type { Values } from '../values.ts'

type More = Omit<CaseRequest, 'method' | 'path'>
export const send = (method: string, path: string, more: More = {}): CaseRequest => ({ method, path, ...more })
export const get = (path: string, more?: More) => send('GET', path, more)
export const menu = (more?: More) => get('/menu/main', more)
export const menuWith = (bearer: Bearer) => menu({ bearer })
/** A request for the menu with an Authorization header of its own. */
export const authorized = (Authorization: string, token: TokenKind = 'invalid') =>
  menu({ headers: { Authorization }, token })

export const login = (fields: unknown, more: More = {}) => send('POST', '/auth/login', { json: { fields }, ...more })
export const rightLogin = ({ username, password }: Values, more: More = {}) =>
  login({ username, password }, { login: 'first', ...more })
export const JSON_TYPE = { 'Content-Type': 'application/json' }

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
