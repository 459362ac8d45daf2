import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisServer } from '../redis-server.ts'
import { type Figures, noFigures } from './figures.ts'
import { type Fleet, SIZE } from './fleet.ts'
import { RoundRobin } from './round-robin.ts'
import { Users } from './users.ts'

/** Requests at the same time. */
const CONCURRENCY = 16

/** Milliseconds for which Redis is down: longer than the servers wait for it. */
const OUTAGE = 3_000

/** A token of each user, by the number of the user. */
export type Tokens = Map<number, string>

/** All users log in, and all processes accept each token. */
export async function logInEverywhere(fleet: Fleet, users: number): Promise<[Figures, Tokens]> {
  let tokens: Tokens = new Map()
  const figures = await play('a token of one process is good in all', fleet, async people => {
    tokens = await logInAll(people, users)
    await forEach(tokens, ([user, token]) => onAll(member => people.openMenu(user, token, { member })))
  })
  return [figures, tokens]
}

/** Half of the users have two sessions: some end one of them, the others are signed out everywhere. */
export function endSessions(fleet: Fleet, tokens: Tokens): Promise<Figures> {
  return play('a logout in one process holds in all at once', fleet, people =>
    forEach([...tokens].slice(0, tokens.size / 2), async ([user, one]) => {
      const member = user % SIZE
      const two = (await people.logIn(user)) as string
      const isEverywhere = user % 2 === 1
      if (isEverywhere) await people.signOutEverywhere(user, one, { member })
      else await people.logOut(one, { member })
      await onAll(async member => {
        await people.findSessionEnded(one, { member })
        if (isEverywhere) await people.findSessionEnded(two, { member })
        else await people.openMenu(user, two, { member })
      })
      tokens.set(user, (await people.logIn(user)) as string)
    })
  )
}

/** Some users fail to log in too often, each from its own address. */
export function lockOut(fleet: Fleet, users: number): Promise<Figures> {
  return play('a lockout in one process holds in all at once', fleet, people =>
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
  return play('processes are killed under load', fleet, people =>
    underLoad(people, tokens, async () => {
      for (const index of range(SIZE)) await fleet.crash(index)
    })
  )
}

/** Redis crashes, freezes and stops under load. Tokens from before and from meanwhile stay valid. */
export function loseRedis(fleet: Fleet, tokens: Tokens, redis: RedisServer): Promise<Figures> {
  const away = async (leave: () => unknown, comeBack: () => unknown) => {
    await leave()
    await sleep(OUTAGE)
    await comeBack()
    await sleep(OUTAGE)
  }
  const title = 'Redis is stopped and started under load'
  return play(
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
    },
    true
  )
}

/** The secret of the JWTs is replaced under load. */
export function rotateSecret(fleet: Fleet, users: number, [old, next]: [string, string]): Promise<Figures> {
  return play('the secret of JWTs is replaced under load', fleet, async people =>
    underLoad(people, await logInAll(people, users), async () => {
      await fleet.roll({ SVC_AUTH_SECRET: old, SVC_AUTH_SECRET_PREVIOUS: next })
      await fleet.roll({ SVC_AUTH_SECRET: next, SVC_AUTH_SECRET_PREVIOUS: old })
    })
  )
}

async function play(
  title: string,
  fleet: Fleet,
  act: (people: Users) => Promise<unknown>,
  mayWait = false
): Promise<Figures> {
  const figures = noFigures(title)
  const roundRobin = new RoundRobin(fleet)
  await act(new Users(roundRobin, figures, mayWait))
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

function onAll(act: (member: number) => Promise<void>): Promise<unknown> {
  return Promise.all(range(SIZE).map(act))
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i)
}
