import type { Load } from './load.ts'
import { expiredToken, get, login, menusOf, withWrongSignature } from './requests.ts'
import type { Server } from './server.ts'
import { DISPLAY_NAME, form, loggedIn, menuOf } from './servers/data.js'

/** One server of the comparison. */
export interface Contender {
  label: string
  /** The file in `servers`. */
  file: string
  settings?: { otherRoutes?: number; emptyHook?: boolean }
  /** Whether it refuses wrong tokens. */
  guards: boolean
}

/** The baseline of every ratio. */
export const baseline: Contender = { label: 'Fastify, no auth', file: 'fastify', guards: false }

/** The baseline in a second process: the difference of its ratio from 1 is the noise of the machine. */
export const control: Contender = { ...baseline, label: 'Fastify, no auth, again' }

const hook: Contender = { ...baseline, label: 'Fastify, empty hook', settings: { emptyHook: true } }

/** This package. */
export const ours: Contender = { label: 'fastify-screen-auth', file: 'screen-auth', guards: true }

export const byHand: Contender = { label: '@fastify/jwt by hand', file: 'fastify-jwt', guards: true }

const betterAuth: Contender = { label: 'Fastify + Better Auth (sessions)', file: 'better-auth', guards: true }

/** The servers that know no session: all take the same JWTs. */
const stateless = [baseline, control, hook, ours, byHand]
const all = [...stateless, betterAuth]

/** One way to load the servers. */
export interface Scenario {
  name: string
  title: string
  /** The servers that take part, the baseline first. */
  contenders: Contender[]
  /** The maximum CPU time of this package, as a multiple of the baseline's. */
  target: number
  load(server: Server): Load
}

const USERS = 10_000
/** More than the 12,000 tokens that fastify-screen-auth caches: each is evicted before it is sent again. */
const MORE_THAN_ANY_CACHE = 60_000

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
    name: 'users',
    title: 'GET /menu/main with the tokens of 10,000 users in turn, all seen before',
    contenders: stateless,
    target: 1.3,
    load: () => ({ ...ok, requests: menusOf(USERS), before: USERS })
  },
  {
    name: 'cold',
    title: 'GET /menu/main with tokens that are seen for the first time, or forgotten',
    contenders: stateless,
    // One HMAC more than by hand: nothing that is not signed is parsed.
    target: 3,
    load: () => ({ ...ok, requests: menusOf(MORE_THAN_ANY_CACHE) })
  },
  {
    name: 'screen',
    title: 'GET of a route of the host whose schema is ScreenContract, with one valid token',
    contenders: [baseline, control, ours],
    target: 1.15,
    load: ({ token }) => ({ ...ok, requests: [get('/screen', token)] })
  },
  refusal('401-none', 'without a token', all, 1, () => undefined),
  // As long as the headers of a browser with many cookies: Node takes up to 16 KiB of them.
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
    title: 'POST /auth/login with credentials that are right; nobody hashes',
    contenders: [baseline, control, ours, byHand, betterAuth],
    target: 6,
    load: () => ({ requests: [login()], status: 200, body: ({ token }) => loggedIn(String(token)) })
  }
]

/** A scenario of 401s. A server without a guard gets requests without a token and responds with the menu. */
function refusal(
  name: string,
  title: string,
  contenders: Contender[],
  target: number,
  wrong: (token: string) => string | undefined
): Scenario {
  return {
    name,
    title: `GET /menu/main ${title}: a 401, against Fastify's menu without a token`,
    contenders,
    target,
    load: ({ contender, token }) =>
      contender.guards
        ? { requests: [get('/menu/main', wrong(token))], status: 401 }
        : { ...ok, requests: [get('/menu/main')] }
  }
}
