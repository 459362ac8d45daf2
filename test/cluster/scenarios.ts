import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisServer } from '../redis-server.ts'
import type { Cut, Wire } from '../wire.ts'
import { BELIEF, type EndedSession } from './ended-session.ts'
import { addLoad, blame, type Figures, noFigures } from './figures.ts'
import { type Fleet, SIZE } from './fleet.ts'
import type { Load } from './load.ts'
import { RoundRobin } from './round-robin.ts'
import { Users } from './users.ts'

/** Requests at the same time. */
const CONCURRENCY = 16

/** Milliseconds for which Redis is down: longer than the servers wait for it. */
const OUTAGE = 3_000

/** How many users go on while Redis is away. */
const USERS_OF_AN_OUTAGE = 20

/** Milliseconds after an outage until a process remembers sessions again: it does not send heartbeats at once. */
const RECOVERY = 1_500

/** Milliseconds between two requests with one token while Redis is away. */
const PAUSE = 25

/** A token of each user, by the number of the user. */
export type Tokens = Map<number, string>

/** All users log in, and all processes accept each token. */
export async function logInEverywhere(fleet: Fleet, users: number): Promise<[Figures, Tokens]> {
  let tokens: Tokens = new Map()
  const figures = await run('a token of one process is good in all', fleet, async people => {
    tokens = await logInAll(people, users)
    await forEach(tokens, ([user, token]) => onAll(member => people.openMenu(user, token, { member })))
  })
  return [figures, tokens]
}

/**
 * Half of the users, one after the other, have two sessions that all processes have seen. Some end one of them, the
 * others are signed out everywhere.
 *
 * @param load what goes on beside it
 * @returns also the sessions that have ended
 */
export async function endSessions(
  title: string,
  fleet: Fleet,
  tokens: Tokens,
  load: Load
): Promise<[Figures, EndedSession[]]> {
  const ended: EndedSession[] = []
  const figures = await run(title, fleet, async (people, figures) => {
    for (const [user, one] of [...tokens].slice(0, tokens.size / 2)) {
      const member = user % SIZE
      const two = (await people.logIn(user)) as string
      await onAll(member => people.openMenu(user, two, { member }))
      const session = await people.logOut(one, member)
      await onAll(member => people.untilRefused(session, member))
      await onAll(member => people.openMenu(user, two, { member }))
      const last = await people.signOutEverywhere(user, two, member)
      await onAll(member => people.untilRefused(last, member))
      ended.push(session, last)
      figures.delays.push(session.delay, last.delay)
      tokens.set(user, (await people.logIn(user)) as string)
    }
  })
  return [addLoad(figures, await load.stop()), ended]
}

/**
 * Three processes are cut off from Redis, the fourth ends sessions that all have seen, and the cables are mended.
 *
 * @param wires those of the processes, in their order
 * @param length milliseconds until the cables are mended
 */
export function cutCables(
  title: string,
  fleet: Fleet,
  wires: Wire[],
  how: Cut,
  length: number
): Promise<Figures> {
  const [, ...others] = wires
  return runOutage(title, fleet, {
    async leave(end) {
      for (const wire of others) wire.cut(how)
      return end()
    },
    length,
    comeBack() {
      for (const wire of others) wire.mend()
    },
    witnesses: range(SIZE).slice(1)
  })
}

/** One process ends sessions that all have seen, and Redis is silent from then on. */
export function freezeRedis(fleet: Fleet, redis: RedisServer): Promise<Figures> {
  return runOutage('Redis is silent', fleet, {
    async leave(end) {
      const ended = await end()
      redis.freeze()
      return ended
    },
    length: BELIEF + OUTAGE,
    comeBack: () => redis.thaw(),
    witnesses: range(SIZE)
  })
}

/** Some users fail to log in too often, each from its own address. */
export function lockOut(fleet: Fleet, users: number): Promise<Figures> {
  return run('a lockout in one process holds in all at once', fleet, people =>
    forEach(range(users), async user => {
      const from = `127.1.${user >> 8}.${user & 255}`
      for (let i = 0; i < 10; i++)
        await people.failToLogIn(user, 'wrong password', { member: user % SIZE, from })
      await onAll(member => people.failToLogIn(user, 'blocked', { member, from }))
      await people.logIn(user, { from: '127.2.0.1' })
    })
  )
}

/** One process after the other is killed and started again, under load. */
export function crashEach(fleet: Fleet, tokens: Tokens): Promise<Figures> {
  return run('processes are killed under load', fleet, people =>
    underLoad(people, tokens, async () => {
      for (const index of range(SIZE)) await fleet.crash(index)
    })
  )
}

/** Redis crashes, freezes and stops under load. Tokens from before and from meanwhile stay valid, and ended ones ended. */
export function loseRedis(
  fleet: Fleet,
  tokens: Tokens,
  ended: EndedSession[],
  redis: RedisServer
): Promise<Figures> {
  const away = async (leave: () => unknown, comeBack: () => unknown) => {
    await leave()
    await sleep(OUTAGE)
    await comeBack()
    await sleep(OUTAGE)
  }
  const title = 'Redis is stopped and started under load'
  return run(
    title,
    fleet,
    async people => {
      const made = await underLoad(people, tokens, async () => {
        await away(
          () => redis.stop('SIGKILL'),
          () => redis.start()
        )
        await away(
          () => redis.freeze(),
          () => redis.thaw()
        )
        await away(
          () => redis.stop('SIGTERM'),
          () => redis.start()
        )
      })
      for (const all of [tokens, made]) await forEach(all, ([user, token]) => people.openMenu(user, token))
      await forEach(ended, session => onAll(member => people.use(session, member)))
    },
    true
  )
}

/** The secret of the JWTs is replaced under load. */
export function rotateSecret(fleet: Fleet, users: number, [old, next]: [string, string]): Promise<Figures> {
  return run('the secret of JWTs is replaced under load', fleet, async people =>
    underLoad(people, await logInAll(people, users), async () => {
      await fleet.roll({ SVC_AUTH_SECRET: old, SVC_AUTH_SECRET_PREVIOUS: next })
      await fleet.roll({ SVC_AUTH_SECRET: next, SVC_AUTH_SECRET_PREVIOUS: old })
    })
  )
}

interface Outage {
  /** Lets Redis be away, and sessions be ended. */
  leave(end: () => Promise<EndedSession[]>): Promise<EndedSession[]>
  length: number
  comeBack(): void
  /** The processes that are away from Redis. */
  witnesses: number[]
}

/** Users go on with sessions that the first process has ended, and with others, until all is well again. */
function runOutage(
  title: string,
  fleet: Fleet,
  { leave, length, comeBack, witnesses }: Outage
): Promise<Figures> {
  return run(
    title,
    fleet,
    async (people, figures) => {
      await sleep(RECOVERY)
      const [kept, loggedOut, signedOut] = [new Map(), new Map(), new Map()] as [Tokens, Tokens, Tokens]
      for (const user of range(USERS_OF_AN_OUTAGE)) {
        for (const tokens of user % 2 ? [kept, loggedOut] : [signedOut]) {
          const token = (await people.logIn(user)) as string
          await onAll(member => people.openMenu(user, token, { member }))
          tokens.set(user, token)
        }
      }
      const ended = await leave(() =>
        Promise.all([
          ...[...loggedOut.values()].map(token => people.logOut(token, 0)),
          ...[...signedOut].map(([user, token]) => people.signOutEverywhere(user, token, 0))
        ])
      )
      const since = performance.now()
      let isBack = false
      const keepUsing = async (user: number, token: string, member: number) => {
        for (;;) {
          const sent = performance.now()
          const isOpen = await people.openMenu(user, token, { member })
          if (isOpen && isBack) return
          if (isOpen && sent > since + BELIEF) blame(figures, `${member} believes what it cannot know`)
          await sleep(PAUSE)
        }
      }
      const keepTrying = async (session: EndedSession, member: number) => {
        while ((await people.use(session, member)) !== 401 || !isBack) await sleep(PAUSE)
      }
      const using = witnesses.flatMap(member => [
        ...[...kept].map(([user, token]) => keepUsing(user, token, member)),
        ...ended.map(session => keepTrying(session, member))
      ])
      await sleep(length)
      isBack = true
      comeBack()
      await Promise.all(using)
      figures.delays.push(...ended.map(({ delay }) => delay))
    },
    true
  )
}

async function run(
  title: string,
  fleet: Fleet,
  act: (people: Users, figures: Figures) => Promise<unknown>,
  mayWait = false
): Promise<Figures> {
  const figures = noFigures(title)
  const roundRobin = new RoundRobin(fleet)
  await act(new Users(roundRobin, figures, mayWait), figures)
  roundRobin.close()
  return figures
}

async function logInAll(people: Users, users: number): Promise<Tokens> {
  const tokens: Tokens = new Map()
  await forEach(range(users), async user => {
    tokens.set(user, (await people.logIn(user)) as string)
  })
  return tokens
}

/**
 * Opens menus until the action is done; every twentieth request is a login.
 *
 * @returns the new tokens
 */
async function underLoad(people: Users, tokens: Tokens, action: () => Promise<void>): Promise<Tokens> {
  const made: Tokens = new Map()
  const known = [...tokens]
  let isOver = false
  let turn = 0
  const work = async () => {
    while (!isOver) {
      const [user, token] = known[turn++ % known.length] as [number, string]
      if (turn % 20 > 0) await people.openMenu(user, made.get(user) ?? token)
      else {
        const token = await people.logIn(user)
        if (token !== null) made.set(user, token)
      }
    }
  }
  const load = Promise.all(range(CONCURRENCY).map(work))
  try {
    await Promise.race([action(), load])
  } finally {
    isOver = true
    await load
  }
  return made
}

/** Calls `act` for each, with limited concurrency. */
async function forEach<T>(all: Iterable<T>, act: (one: T) => Promise<unknown>): Promise<void> {
  const rest = all[Symbol.iterator]()
  const work = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await act(next.value)
  }
  await Promise.all(range(CONCURRENCY).map(work))
}

function onAll(act: (member: number) => Promise<unknown>): Promise<unknown> {
  return Promise.all(range(SIZE).map(act))
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i)
}
