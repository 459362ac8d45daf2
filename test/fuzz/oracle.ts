// The responses of the guard and the rules for valid JWTs, implemented a second time, without code from lib/.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import type { ScreenUser } from '../../lib/index.ts'
import { host, SECRET } from '../helpers.ts'
import { TIME } from './jwt-arbitraries.ts'
import { MANY } from './runs.ts'

/** A server: its secrets, and the time in milliseconds. */
export interface Server {
  secrets: (string | Buffer)[]
  time: number
}

/** The response of the guard to a value of the Authorization header, as `seen` shows it. */
export function expected(authorization: string, server: Server): unknown[] {
  const [, sent] = split(authorization)
  const user = /[^!-~]/.test(sent) ? null : userOf(sent, server)
  if (user !== null) return [200, JSON.stringify(user)]
  const challenge = sent === '' ? 'Bearer realm="screen"' : 'Bearer realm="screen", error="invalid_token"'
  return [401, '', challenge, 'no-store']
}

/** The relevant parts of a response. */
export function seen({ statusCode, body, headers }: LightMyRequestResponse): unknown[] {
  return statusCode === 200
    ? [200, body]
    : [statusCode, body, headers['www-authenticate'], headers['cache-control']]
}

/** The scheme and the token; the token is empty unless the scheme is Bearer. */
function split(authorization: string): [string, string] {
  const scheme = authorization.slice(0, 7).toLowerCase()
  let rest = authorization.slice(7)
  while (rest.startsWith(' ')) rest = rest.slice(1)
  return [scheme, scheme === 'bearer ' ? rest : '']
}

/** The user of a token, or null when it is not valid. */
export function userOf(token: string, { secrets, time }: Server): ScreenUser | null {
  const segments = token.split('.')
  if (segments.length !== 3 || segments.some(segment => !/^[A-Za-z0-9_-]+$/.test(segment))) return null
  const [header, payload, signature] = segments as [string, string, string]
  const input = `${header}.${payload}`
  if (!secrets.some(key => createHmac('sha256', key).update(input).digest('base64url') === signature))
    return null

  const parameters = objectIn(header)
  const claims = objectIn(payload)
  if (parameters === null || claims === null) return null
  if (parameters.get('alg') !== 'HS256') return null
  if (parameters.has('typ') && parameters.get('typ') !== 'JWT') return null
  for (const name of ['crit', 'b64', 'zip', 'enc']) if (parameters.has(name)) return null

  if (claims.has('aud')) return null
  const [sub, displayName] = [claims.get('sub'), claims.get('display_name')]
  const [iat, exp, nbf] = [claims.get('iat'), claims.get('exp'), claims.has('nbf') ? claims.get('nbf') : 0]
  if (typeof sub !== 'string' || sub === '' || typeof displayName !== 'string') return null
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof nbf !== 'number') return null
  if (iat !== Math.trunc(iat) || exp !== Math.trunc(exp) || !Number.isFinite(iat) || !Number.isFinite(exp))
    return null
  return iat * 1000 <= time && exp * 1000 > time && nbf * 1000 <= time ? { username: sub, displayName } : null
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The members of a JSON object. A Map, because a plain object also finds names of its prototype. */
function objectIn(segment: string): Map<string, unknown> | null {
  try {
    if (segment.length % 4 === 1) return null
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(segment, 'base64url')))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? new Map(Object.entries(value)) : null
  } catch {
    return null
  }
}

/** A host with a clock that the test sets, and functions that compare its responses with the oracle. */
export async function setUp(t: Test, secrets: (string | Buffer)[] = [SECRET]) {
  const server: Server = { secrets, time: TIME }
  t.intercept(Date, 'now', { value: () => server.time })
  const app = await host(t, { secret: secrets })
  await app.ready()
  const statuses = new Set<unknown>()
  return {
    app,
    server,
    /** The statuses so far: a property that never gets a 200 proves little. */
    statuses,
    async judge(authorization: string) {
      const response = seen(await app.inject({ url: '/screen', headers: { authorization } }))
      assert.deepEqual(response, expected(authorization, server))
      statuses.add(response[0])
    },
    async judgeToken(token: string) {
      const user = await app.screenAuth.verifyToken(token)
      assert.equal(JSON.stringify(user), JSON.stringify(userOf(token, server)))
      statuses.add(user === null ? 401 : 200)
    }
  }
}

/** Checks that both statuses occurred. A few cases may well have only one of them. */
export function meets(t: Test, statuses: Set<unknown>): void {
  if (MANY) t.strictSame([...statuses].sort(), [200, 401], 'both statuses occurred')
}
