import type { Load } from './load.ts'
import { expiredToken, get, login, menusOf, withWrongSignature } from './requests.ts'
import type { Server } from './server.ts'
import { DISPLAY_NAME, form, loggedIn, menuOf } from './servers/data.js'

/** One server of the comparison. */
export interface Contender {
  label: string
  /** Name of the file in `servers`, without its extension. */
  file: string
  settings?: { otherRoutes?: number; emptyHook?: boolean; hasRedis?: boolean }
  /** Whether it rejects invalid tokens. */
  guards: boolean
}

/** Baseline of every ratio. */
export const baseline: Contender = { label: 'Fastify, no auth', file: 'fastify', guards: false }

/** Baseline in a second process. The distance of its ratio from 1 shows the noise of the machine. */
export const control: Contender = { ...baseline, label: 'Fastify, no auth, again' }

const hook: Contender = { ...baseline, label: 'Fastify, empty hook', settings: { emptyHook: true } }

/** This package. */
export const ours: Contender = { label: 'fastify-screen-auth', file: 'screen-auth', guards: true }

export const byHand: Contender = { label: '@fastify/jwt by hand', file: 'fastify-jwt', guards: true }

const betterAuth: Contender = { label: 'Fastify + Better Auth (sessions)', file: 'better-auth', guards: true }

/** Keeps its sessions in Redis. */
const inRedis = (contender: Contender): Contender => ({ ...contender, settings: { hasRedis: true } })

/** Servers without sessions. All accept the same JWTs. */
const stateless = [baseline, control, hook, ours, byHand]
const all = [...stateless, betterAuth]

/** One way to load the servers. */
export interface Scenario {
  name: string
  title: string
  /** Compared servers. The first is the baseline. */
  contenders: Contender[]
  /** Maximum CPU time of this package, as a multiple of the baseline's. */
  target: number
  load(server: Server): Load
}

const USERS = 10_000
/** More than the 12,000 tokens that fastify-screen-auth caches, so each token is evicted before it is sent again. */
const MORE_THAN_CACHED = 60_000

const ok = { status: 200, body: () => menuOf(DISPLAY_NAME) }

export const scenarios: Scenario[] = [
  {
    name: 'warm',
    title: 'GET /menu/main with one valid token',
    contenders: all,
    target: 1.15,
    load: ({ token }) => ({ ...ok, requests: [get('/menu/main', token)] })
  },
  {
    name: 'session',
    title: 'GET /menu/main with the token of a session in Redis (for @fastify/jwt: one valid JWT)',
    contenders: [baseline, control, inRedis(ours), byHand, inRedis(betterAuth)],
    target: 1.9,
    load: ({ token }) => ({ ...ok, requests: [get('/menu/main', token)] })
  },
  {
    name: 'users',
    title: 'GET /menu/main with the tokens of 10,000 users in turn, each sent before',
    contenders: stateless,
    target: 1.3,
    load: () => ({ ...ok, requests: menusOf(USERS), before: USERS })
  },
  {
    name: 'cold',
    title: 'GET /menu/main with tokens that no cache contains: new or evicted',
    contenders: stateless,
    // The guard calculates one HMAC more than @fastify/jwt by hand, because it parses only signed content.
    target: 3,
    load: () => ({ ...ok, requests: menusOf(MORE_THAN_CACHED) })
  },
  {
    name: 'screen',
    title: 'GET of a route of the host whose schema is ScreenContract, with one valid token',
    contenders: [baseline, control, ours],
    target: 1.15,
    load: ({ token }) => ({ ...ok, requests: [get('/screen', token)] })
  },
  refusal('401-none', 'without a token', all, 1, () => undefined),
  // 7 KiB is the size of the headers of a browser with many cookies. Node accepts up to 16 KiB of headers.
  refusal('401-garbage', 'with 7 KiB of garbage for a token', all, 1, () => 'x'.repeat(7 * 1024)),
  refusal('401-signature', 'with a wrong signature', all, 1.5, withWrongSignature),
  refusal('401-expired', 'with an expired token', stateless, 2, expiredToken),
  {
    name: 'form',
    title: 'GET /auth/login, public',
    contenders: [baseline, control, ours],
    target: 1.2,
    load: () => ({ requests: [get('/auth/login')], status: 200, body: () => form })
  },
  {
    name: 'login',
    title: 'POST /auth/login with valid credentials; no password is hashed',
    contenders: [baseline, control, ours, byHand, betterAuth],
    target: 6,
    load: () => ({ requests: [login()], status: 200, body: ({ token }) => loggedIn(String(token)) })
  }
]

/** A scenario in which guards respond with 401. Servers without a guard get no tokens, and send the menu. */
function refusal(
  name: string,
  title: string,
  contenders: Contender[],
  target: number,
  wrong: (token: string) => string | undefined
): Scenario {
  return {
    name,
    title: `GET /menu/main ${title}: a 401, compared with Fastify's menu without a token`,
    contenders,
    target,
    load: ({ contender, token }) =>
      contender.guards
        ? { requests: [get('/menu/main', wrong(token))], status: 401 }
        : { ...ok, requests: [get('/menu/main')] }
  }
}
