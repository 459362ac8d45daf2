import { createHmac } from 'node:crypto'
import { DISPLAY_NAME, LIFETIME, SECRET } from './servers/data.js'

const now = Math.floor(Date.now() / 1000)

/** A valid JWT of the user with this number. All have the same length. */
export function tokenOf(user: number): string {
  return sign({ sub: username(user), display_name: DISPLAY_NAME, iat: now - 1, exp: now + LIFETIME })
}

/** A JWT that was valid an hour ago. */
export function expiredToken(): string {
  return sign({ sub: username(0), display_name: DISPLAY_NAME, iat: now - LIFETIME, exp: now - 3600 })
}

/** The token with a wrong but well-formed signature of the same length. */
export function withWrongSignature(token: string): string {
  const start = token.lastIndexOf('.') + 1
  const middle = start + 10
  return token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1)
}

/** The valid JWTs of `count` users, starting with the user `first`. */
export function tokensOf(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, i) => tokenOf(first + i))
}

function username(user: number): string {
  return `user-${String(user).padStart(7, '0')}`
}

function sign(claims: object): string {
  const text = `${HEADER}.${encode(claims)}`
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

const HEADER = encode({ alg: 'HS256', typ: 'JWT' })
