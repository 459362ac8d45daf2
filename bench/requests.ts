import { createHmac } from 'node:crypto'
import type { Request } from 'autocannon'
import { DISPLAY_NAME, LIFETIME, PASSWORD, SECRET } from './servers/data.js'

const now = Math.floor(Date.now() / 1000)

/** `GET` of a path, without a token by default. */
export function get(path: string, token?: string): Request {
  return {
    method: 'GET',
    path,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } })
  }
}

/** `POST /auth/login`. */
export function login(body = JSON.stringify({ fields: { username: username(0), password: PASSWORD } })): Request {
  return { method: 'POST', path: '/auth/login', headers: { 'content-type': 'application/json' }, body }
}

/** `GET /menu/main` with the valid JWTs of `count` users, starting with the user `first`. */
export function menusOf(count: number, first = 0): Request[] {
  return Array.from({ length: count }, (_, i) => get('/menu/main', tokenOf(first + i)))
}

/** A valid JWT of the user with this number. All these JWTs have the same length. */
export function tokenOf(user: number, exp = now + LIFETIME): string {
  const claims = { sub: username(user), display_name: DISPLAY_NAME, iat: exp - LIFETIME - 1, exp }
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`
}

/** A JWT that was valid an hour ago. */
export function expiredToken(): string {
  return tokenOf(0, now - 3600)
}

/** Token with a wrong but well-formed signature of the same length. */
export function withWrongSignature(token: string): string {
  const middle = token.lastIndexOf('.') + 11
  return token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1)
}

function username(user: number): string {
  return `user-${String(user).padStart(7, '0')}`
}
