/** A reason why a token is refused. */
export type Refusal = 'none' | 'garbage' | 'signature' | 'expired'

/** One server of the comparison. */
export interface Contender {
  name: string
  label: string
  /** The file in `servers`. */
  file: string
  /** The packages whose versions are reported. */
  packages: string[]
  /** The token that it accepts: any, the shared JWT, or one that it made. */
  token: 'unseen' | 'jwt' | 'own'
  /** The tokens that it refuses with 401. */
  refuses: Refusal[]
  /** What it serves besides the menu. */
  serves: ('form' | 'login')[]
  /** It asks Redis with each request. */
  cache?: 0
}

/** The baseline of every ratio. */
export const BASELINE = 'fastify'

/** The baseline in a second process: the difference of its ratio from 1 is the noise of the machine. */
export const CONTROL = 'fastify-again'

/** This package. */
export const OURS = 'screen-auth'

/** This package with its sessions in Redis. */
export const SESSIONS = 'redis'

const ALL: Refusal[] = ['none', 'garbage', 'signature', 'expired']

export const contenders: Contender[] = [
  open('node-http', 'node:http, no auth', []),
  { ...open(BASELINE, 'Fastify, no auth', ['fastify']), serves: ['form', 'login'] },
  { ...open(CONTROL, 'Fastify, no auth, again', ['fastify']), file: 'fastify', serves: ['form', 'login'] },
  open('fastify-hook', 'Fastify, empty hook', ['fastify']),
  {
    ...withJwt(OURS, 'fastify-screen-auth', ['fastify-screen-auth', 'fastify']),
    serves: ['form', 'login']
  },
  { ...withJwt('fastify-jwt', '@fastify/jwt by hand', ['@fastify/jwt', 'fastify']), serves: ['login'] },
  {
    ...withOwnToken('bearer-auth', '@fastify/bearer-auth (one static key)', [
      '@fastify/bearer-auth',
      'fastify'
    ]),
    refuses: ['none', 'garbage']
  },
  withJwt('hono-jwt', 'Hono + hono/jwt', ['hono', '@hono/node-server']),
  withJwt('koa-jwt', 'Koa + koa-jwt', ['koa', 'koa-jwt']),
  withJwt('express-jwt', 'Express + express-jwt', ['express', 'express-jwt']),
  withJwt('passport-jwt', 'Express + passport-jwt', ['express', 'passport', 'passport-jwt']),
  {
    ...withOwnToken('better-auth', 'Fastify + Better Auth (sessions)', ['better-auth', 'fastify']),
    refuses: ['none', 'garbage', 'signature'],
    serves: ['login']
  }
]

/** This package with its sessions in Redis, for the scenario `redis` only. */
export const redisContenders: Contender[] = [
  withSessions(SESSIONS, 'fastify-screen-auth, sessions in Redis'),
  { ...withSessions('redis-asked', 'fastify-screen-auth, sessions in Redis, `cache: 0`'), cache: 0 }
]

function open(name: string, label: string, packages: string[]): Contender {
  return { name, label, file: name, packages, token: 'unseen', refuses: [], serves: [] }
}

function withJwt(name: string, label: string, packages: string[]): Contender {
  return { ...open(name, label, packages), token: 'jwt', refuses: ALL }
}

function withOwnToken(name: string, label: string, packages: string[]): Contender {
  return { ...open(name, label, packages), token: 'own' }
}

function withSessions(name: string, label: string): Contender {
  return {
    ...withOwnToken(name, label, ['fastify-screen-auth', 'redis', 'fastify']),
    file: 'screen-auth-redis',
    refuses: ['none', 'garbage', 'signature'],
    serves: ['form', 'login']
  }
}
