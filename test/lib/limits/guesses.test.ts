import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import type { FailureCount, FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, isRight, RIGHT, repeat, storeWith, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

type Clock = ReturnType<typeof stopClock>
type Login = Parameters<typeof attempt>[1]

/** Servers that share a store. Each call is delayed by up to `seconds` on the way to the store, and on the way back. */
async function serversWithOneStore(
  t: Test,
  clock: Clock,
  count: number,
  overrides: { checks?: object; throttle?: object; checkCredentials?: unknown },
  { random = Math.random, seconds = 0.002 } = {}
) {
  let lowest = 0
  const delayed = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args) => {
      await clock.sleep(random() * seconds)
      const result = await call(...args)
      await clock.sleep(random() * seconds)
      return result
    }
  }
  const note = (count: FailureCount) => {
    lowest = Math.min(lowest, count.consumedPoints)
    return count
  }
  const store = storeWith(memory => ({
    get: delayed((key: string) => memory.get(key)),
    penalty: delayed((key: string, points: number) => memory.penalty(key, points).then(note)),
    reward: delayed((key: string, points: number) => memory.reward(key, points).then(note)),
    block: delayed((key: string, seconds: number) => memory.block(key, seconds)),
    delete: delayed((key: string) => memory.delete(key))
  }))
  const throttle = { ...overrides.throttle, store }
  const checks = { timeout: 300, ...overrides.checks }
  const servers: Awaited<ReturnType<typeof countingHost>>[] = []
  for (let i = 0; i < count; i++) servers.push(await countingHost(t, { ...overrides, throttle, checks }))
  return {
    /** Returns a server in turn. */
    app: (i: number) => (servers[i % count] as (typeof servers)[number]).app,
    checks: () => servers.reduce((sum, { checks }) => sum + checks(), 0),
    /** The lowest points that a counter had. Negative points would allow more checks than the limit. */
    lowest: () => lowest
  }
}

t.test('a success also clears the failures that were counted during its check', async t => {
  const { checkCredentials, open, release } = heldChecks(isRight)
  const throttle = { usernameAndAddress: { failures: 3, seconds: 60 } }
  const app = await host(t, { checkCredentials, throttle })
  const right = attempt(app, RIGHT)
  await until(() => open.length === 1)
  await repeat(2, () => attempt(app))
  release()
  t.equal((await right).success, true)
  await repeat(2, () => attempt(app))
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a guess that the username limit blocks does not count against its address', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, {
    throttle: { username: { failures: 1, seconds: 60 }, address: { failures: 3, seconds: 60 } }
  })
  await clock.during(together(9, () => attempt(app)))
  t.equal(checks(), 1)
  await attempt(app, { username: 'eve' })
  t.equal((await attempt(app, { ...RIGHT, username: 'bob' })).success, true)
})

/** Lower than the defaults, so that few guesses exceed each limit. */
const throttle = {
  usernameAndAddress: { failures: 3, seconds: 900 },
  address: { failures: 20, seconds: 3600 },
  username: { failures: 10, seconds: 3600 }
}
const GUESSES = 80

for (const [name, loginOf, expected] of [
  ['one name from one address', () => ({}), 3],
  ['one name from eight addresses', i => ({ address: `10.0.0.${i % 8}` }), 10],
  ['one name from five addresses, in turn', i => ({ address: `10.0.0.${Math.floor(i / 16)}` }), 10],
  ['one name from three addresses', i => ({ address: `10.0.0.${i % 3}` }), 9],
  ['eight names from one address', i => ({ username: `user-${i % 8}` }), 20],
  ['eight names from two addresses', i => ({ username: `user-${i % 8}`, address: `10.0.0.${(i >> 3) % 2}` }), 40]
] as [string, (i: number) => Login, number][]) {
  t.test(`sequential guesses get as many checks as the limits allow: ${name}`, async t => {
    const { app, checks } = await countingHost(t, { throttle })
    await repeat(GUESSES, i => attempt(app, loginOf(i)))
    t.equal(checks(), expected)
  })

  for (const concurrency of [3, 100])
    t.test(`parallel guesses on four servers exceed no limit, concurrency ${concurrency}: ${name}`, async t => {
      const clock = stopClock(t)
      const { app, checks } = await serversWithOneStore(t, clock, 4, { throttle, checks: { concurrency } })
      const responses = await clock.during(together(GUESSES, i => attempt(app(i), loginOf(i))))
      t.equal(checks(), expected)
      t.equal(responses.filter(({ isBlocked }) => isBlocked).length, GUESSES - expected)
    })
}

t.test('parallel right and wrong passwords never exceed the limit of failures', async t => {
  const clock = stopClock(t)
  const limit = { failures: 5, seconds: 60 }
  const throttle = { username: limit, usernameAndAddress: limit, address: limit }
  const login = fc.record({ isRight: fc.boolean(), address: fc.nat(5), server: fc.nat(1) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(login, { minLength: 20, maxLength: 60 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      async (logins, stream) => {
        let failed = 0
        const checkCredentials = async ({ password }: { password: string }) => {
          await turns(1)
          if (password === PASSWORD) return ADA
          failed++
          return null
        }
        const random = () => stream.next().value as number
        const { app } = await serversWithOneStore(t, clock, 2, { throttle, checkCredentials }, { random })
        // The right passwords come from other addresses, so that all guesses count for the username.
        const responses = logins.map(({ isRight, address, server }) =>
          attempt(app(server), isRight ? { ...RIGHT, address: `10.1.0.${address}` } : { address: `10.0.0.${address}` })
        )
        await clock.during(Promise.all(responses))
        return failed <= 5
      }
    ),
    { numRuns: 10 }
  )
})

for (const [servers, concurrency] of [
  [1, 3],
  [1, 100],
  [4, 20]
] as const)
  t.test(`parallel successes pass with one failure left: ${servers} servers, concurrency ${concurrency}`, async t => {
    const clock = stopClock(t)
    const { app } = await serversWithOneStore(t, clock, servers, { throttle, checks: { concurrency } })
    await clock.during(repeat(19, i => attempt(app(i), { username: `guest-${i}` })))
    const crowd = together(40, i => attempt(app(i), { ...RIGHT, username: `user-${i}` }))
    t.ok((await clock.during(crowd)).every(({ success }) => success))
  })

for (const [seconds, random] of [
  [0.15, Math.random],
  [0.5, () => 1]
] as const)
  t.test(`parallel guesses exceed no limit when counters expire, with a store delay of ${seconds} s`, async t => {
    const clock = stopClock(t)
    const limit = { failures: 5, seconds: 3 }
    const overrides = {
      throttle: { usernameAndAddress: limit, address: limit, username: limit },
      checks: { concurrency: 100 }
    }
    const { app, checks, lowest } = await serversWithOneStore(t, clock, 2, overrides, { random, seconds })
    const guess = async (i: number) => {
      for (let n = 0; n < 20; n++) {
        await attempt(app(i))
        await clock.sleep(0.4)
      }
    }
    const start = Date.now()
    await clock.during(together(10, guess))
    const windows = Math.ceil((Date.now() - start) / 3_000)
    t.ok(checks() > 10, 'counters have started again')
    t.ok(checks() <= 5 * windows, `${checks()} checks in ${windows} windows`)
    t.equal(lowest(), 0)
  })

// The figures of "How many guesses" in SECURITY.md.

const page = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8')
const HOUR = 3600

/** Guesses at the given seconds, and returns the highest number of checks in an hour. */
async function worstHour(t: Test, clock: Clock, seconds: number[], loginOf: (i: number) => Login, before?: Login) {
  // A shared store, whose counter keeps its expiry after the first attempt is given back.
  const store = (options: FailureStoreOptions) => new RateLimiterMemory(options)
  const { app, checks } = await countingHost(t, { throttle: { store } })
  if (before !== undefined) await attempt(app, before)
  const checked: number[] = []
  let now = 0
  for (const [i, second] of seconds.entries()) {
    clock.tick(second - now)
    now = second
    const count = checks()
    await attempt(app, loginOf(i))
    if (checks() > count && loginOf(i)?.password === undefined) checked.push(second)
  }
  return Math.max(...checked.map((start, i) => checked.slice(i).filter(time => time < start + HOUR).length))
}

/** The worst case: one guess starts the counter, and most other guesses come shortly before it expires. */
function meeting(seconds: number, more: number) {
  const end = seconds - 1
  const again = [0, 1, 2, 3].map(i => seconds + i * seconds).filter(time => time < end + HOUR)
  return [0, ...Array(more).fill(end), ...again.flatMap(time => Array(more).fill(time))]
}

/** Makes the first login a success of an account with a similar name. */
const afterALogin = (loginOf: (i: number) => Login) => (i: number) =>
  i === 0 ? { ...loginOf(i), ...RIGHT, username: 'Ada' } : loginOf(i)

const everywhere = (i: number) => ({ address: `10.${i >> 8}.${i & 255}.1` })
const withRight = (i: number) => (i === 0 ? RIGHT : {})
const otherNames = (i: number) => ({ username: `user-${i}` })

for (const [row, worst, loginOf, before] of [
  ['one address that the person has not used', meeting(900, 10), afterALogin(() => ({}))],
  ['however many such addresses, together', meeting(HOUR, 50), afterALogin(everywhere)],
  ['one network from which the person has logged in within 30 days', meeting(900, 10), withRight, RIGHT],
  ['one address, at all accounts together', meeting(HOUR, 100), afterALogin(otherNames)]
] as [string, number[], (i: number) => Login, Login?][])
  t.test(`the highest number of guesses in an hour is the one in SECURITY.md: ${row}`, async t => {
    const clock = stopClock(t)
    const promised = Number(
      page
        .split('\n')
        .find(line => line.startsWith(`| ${row}`))
        ?.split('|')[2]
    )
    t.equal(await worstHour(t, clock, worst, loginOf, before), promised)

    const burst = fc.record({ pause: fc.nat(2000), guesses: fc.integer({ min: 1, max: 60 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 8 }), async bursts => {
        let now = 0
        const times = bursts.flatMap(({ pause, guesses }) => {
          now += pause
          return Array(guesses).fill(now)
        })
        return (await worstHour(t, clock, times, loginOf, before)) <= promised
      }),
      { numRuns: 5 }
    )
  })
