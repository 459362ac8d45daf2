import { refused, validToken } from './check-responses.ts'
import { type Contender, contenders, type Refusal } from './contenders.ts'
import type { Load } from './load.ts'
import type { Server } from './server.ts'
import { tokensOf } from './tokens.ts'
import { form, login, menuWith, menuWithout, Traffic } from './traffic.ts'

/** More than the 12,000 tokens that fastify-screen-auth caches: each is evicted before it is sent again. */
const MORE_THAN_ANY_CACHE = 60_000
const USERS = 10_000

/** One way to load the servers. */
export interface Scenario {
  name: string
  title: string
  /** The servers that take part. */
  contenders: Contender[]
  load(contender: Contender, server: Server): Load
}

let made: string[] | undefined

/** The tokens of many users, made on first use. */
function tokens(): string[] {
  made ??= tokensOf(MORE_THAN_ANY_CACHE)
  return made
}

const sharesTokens = ({ token }: Contender) => token !== 'own'

export const scenarios: Scenario[] = [
  {
    name: 'warm',
    title: 'GET /menu/main with one valid token',
    contenders,
    load: (_, server) => ok(new Traffic(menuWith([validToken(server)])))
  },
  {
    name: 'users',
    title: 'GET /menu/main with the tokens of 10,000 users in turn, all seen before',
    contenders: contenders.filter(sharesTokens),
    load: () => ({ ...ok(new Traffic(menuWith(tokens().slice(0, USERS)))), before: USERS })
  },
  {
    name: 'cold',
    title: 'GET /menu/main with tokens that are seen for the first time, or forgotten',
    contenders: contenders.filter(sharesTokens),
    load: () => ok(new Traffic(menuWith(tokens())))
  },
  {
    name: 'screen',
    title: 'GET of a route of the host whose schema is ScreenContract, with one valid token',
    contenders: contenders.filter(({ serves }) => serves.includes('screen')),
    load: (_, server) => ok(new Traffic(menuWith([validToken(server)], '/screen')))
  },
  refusal('none', 'without a token'),
  refusal('garbage', 'with 7 KiB of garbage for a token'),
  refusal('signature', 'with a wrong signature'),
  refusal('expired', 'with an expired token'),
  {
    name: 'form',
    title: 'GET /auth/login, public',
    contenders: contenders.filter(({ serves }) => serves.includes('form')),
    load: () => ok(new Traffic([form]))
  },
  {
    name: 'login',
    title: 'POST /auth/login with credentials that are right; nobody hashes',
    contenders: contenders.filter(({ serves }) => serves.includes('login')),
    load: () => ok(new Traffic([login]))
  }
]

/** A scenario of 401s. The baseline has no guard, so it gets requests without a token and responds with the menu. */
function refusal(reason: Refusal, title: string): Scenario {
  return {
    name: `401-${reason}`,
    title: `GET /menu/main ${title}: a 401, against Fastify's menu without a token`,
    contenders: contenders.filter(({ token, refuses }) => token === 'unseen' || refuses.includes(reason)),
    load: ({ refuses }, server) =>
      refuses.includes(reason)
        ? { traffic: new Traffic([refused(server, reason)]), status: 401 }
        : ok(new Traffic([menuWithout]))
  }
}

function ok(traffic: Traffic): Load {
  return { traffic, status: 200 }
}
