import { createHmac } from 'node:crypto'
import { DISPLAY_NAME, LIFETIME, PASSWORD, SECRET } from './servers/data.js'

/** One server of the comparison: a column of the table. */
export interface Contender {
  label: string
  /** Name of the function in `servers/guards.js`. */
  name: string
  /** Whether it rejects invalid tokens. */
  guards: boolean
}

export const baseline: Contender = { label: 'Fastify, no auth', name: 'fastify', guards: false }
/** In a second process: the distance of its ratio from 1 shows the noise of the machine. */
const control: Contender = { ...baseline, label: 'the same again' }
export const ours: Contender = { label: 'fastify-screen-auth', name: 'screenAuth', guards: true }
const byHand: Contender = { label: '@fastify/jwt by hand', name: 'fastifyJwt', guards: true }
const betterAuth: Contender = { label: 'Better Auth (sessions)', name: 'betterAuth', guards: true }
/** The first is the baseline of every ratio. */
export const contenders = [baseline, control, ours, byHand, betterAuth]
/** Servers without sessions. All accept the same JWTs. */
const stateless = [baseline, control, ours, byHand]

export interface Request {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

/** One way to load the servers: a row of the table. */
export interface Scenario {
  title: string
  servers: Contender[]
  /** Whether this package keeps its tokens in Redis. */
  hasRedis?: boolean
  /** Status of all responses of the guards. Servers without a guard respond with 200. */
  status: number
  /** Maximum CPU time of this package, as a multiple of the baseline's. */
  target: number
  /**
   * The requests, which are sent repeatedly.
   *
   * @param token a token that the server accepts
   */
  requests(token: string): Request[]
}

/** A part of the cost of many routes: a row of the table. This package has the schema ScreenContract on each route. */
export interface Start {
  title: string
  /** What `servers/start.js` measures. */
  phase: 'start' | 'first'
  target: number
}

export const started = [baseline, control, ours]
export const starts: Start[] = [
  { title: 'start: 300 routes of the host, whose schema is ScreenContract', phase: 'start', target: 2 },
  { title: 'first: the first request to each of these routes', phase: 'first', target: 1.7 }
]

/** More than the 12,000 tokens that fastify-screen-auth caches, so each token is evicted before it is sent again. */
const MORE_THAN_CACHED = 60_000
const SIZE = 16_384
/** A username that takes longest to fold: digits of another script, and combining marks. */
const SLOWEST = `${'\u0669'.repeat(256)}${'\u0344'.repeat(7_800)}`

const now = Math.floor(Date.now() / 1000)

export const scenarios: Scenario[] = [
  {
    title: 'warm: the menu, with one valid token',
    servers: contenders,
    status: 200,
    target: 1.15,
    requests: token => [get('/menu/main', token)]
  },
  {
    title: 'cold: the menu, with tokens that no cache contains',
    servers: stateless,
    status: 200,
    // The guard calculates one HMAC more than @fastify/jwt by hand, because it parses only signed content.
    target: 3,
    requests: () => Array.from({ length: MORE_THAN_CACHED }, (_, user) => get('/menu/main', tokenOf(user)))
  },
  {
    title: 'screen: a route of the host whose schema is ScreenContract',
    servers: [baseline, control, ours],
    status: 200,
    target: 1.15,
    requests: token => [get('/screen', token)]
  },
  {
    title: 'session: the menu, with the token of a session in Redis',
    servers: [baseline, control, ours],
    hasRedis: true,
    status: 200,
    target: 1.9,
    requests: token => [get('/menu/main', token)]
  },
  refusal('no token', 1, () => undefined),
  refusal('7 KiB of garbage, as much as a browser with many cookies sends', 1, () => 'x'.repeat(7 * 1024)),
  refusal('a wrong signature', 1.5, withWrongSignature),
  refusal('an expired token', 2, () => tokenOf(0, now - 3600)),
  {
    title: 'login: valid credentials; no password is hashed',
    servers: contenders,
    status: 200,
    target: 6,
    requests: () => [login(username(0), PASSWORD)]
  },
  {
    title: 'body: a login with the slowest body of 16 KiB; no password is hashed',
    servers: stateless,
    status: 200,
    target: 6,
    requests: () => [login(SLOWEST, 'x'.repeat(SIZE - Buffer.byteLength(login(SLOWEST, '').body as string)))]
  }
]

function refusal(title: string, target: number, wrong: (token: string) => string | undefined): Scenario {
  return {
    title: `401: ${title}`,
    servers: stateless,
    status: 401,
    target,
    requests: token => [get('/menu/main', wrong(token))]
  }
}

function get(path: string, token?: string): Request {
  return { method: 'GET', path, ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }) }
}

function login(username: string, password: string): Request {
  const body = JSON.stringify({ fields: { username, password } })
  return { method: 'POST', path: '/auth/login', headers: { 'content-type': 'application/json' }, body }
}

/** A valid JWT of the user with this number. All these JWTs have the same length. */
export function tokenOf(user: number, exp = now + LIFETIME): string {
  const claims = { sub: username(user), display_name: DISPLAY_NAME, iat: exp - LIFETIME - 1, exp }
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`
}

/** Token with a wrong but well-formed signature of the same length. */
function withWrongSignature(token: string): string {
  const middle = token.lastIndexOf('.') + 11
  return token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1)
}

function username(user: number): string {
  return `user-${String(user).padStart(7, '0')}`
}
