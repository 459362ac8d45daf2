import fc from 'fast-check'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import type { FailureCount, FailureStore, FailureStoreOptions } from '../../../lib/index.ts'
import { ADA, host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, RIGHT, repeat, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

type Clock = ReturnType<typeof stopClock>

/** Servers that share a store, each call of which takes its own time, there and back: up to so many seconds each. */
async function serversWithOneStore(
  t: Test,
  clock: Clock,
  count: number,
  overrides: { checks?: object; throttle?: object; checkCredentials?: unknown },
  random: () => number = Math.random,
  seconds = 0.002
) {
  const limiters = new Map<string, FailureStore>()
  const wait = () => clock.sleep(random() * seconds)
  const note = (count: FailureCount) => {
    lowest = Math.min(lowest, count.consumedPoints)
    return count
  }
  const store = (options: FailureStoreOptions) => {
    const limiter = limiters.get(options.keyPrefix) ?? slow(new RateLimiterMemory(options), wait, note)
    limiters.set(options.keyPrefix, limiter)
    return limiter
  }
  let lowest = 0
  const servers: Awaited<ReturnType<typeof countingHost>>[] = []
  for (let i = 0; i < count; i++) {
    const throttle = { ...overrides.throttle, store }
    const server = await countingHost(t, {
      ...overrides,
      throttle,
      checks: { timeout: 300, ...overrides.checks }
    })
    servers.push(server)
  }
  return {
    /** The server whose turn it is. */
    app: (i: number) => (servers[i % count] as (typeof servers)[number]).app,
    checks: () => servers.reduce((sum, { checks }) => sum + checks(), 0),
    /** The lowest number of points that a counter had: with less than none there were more checks than may be. */
    lowest: () => lowest
  }
}

function slow(
  limiter: RateLimiterMemory,
  wait: () => Promise<void>,
  note: (count: FailureCount) => FailureCount
): FailureStore {
  const delayed = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args) => {
      await wait()
      const result = await call.apply(limiter, args)
      await wait()
      return result
    }
  }
  return {
    get: delayed((key: string) => limiter.get(key)),
    penalty: delayed((key: string, points: number) => limiter.penalty(key, points).then(note)),
    reward: delayed((key: string, points: number) => limiter.reward(key, points).then(note)),
    block: delayed((key: string, seconds: number) => limiter.block(key, seconds)),
    delete: delayed((key: string) => limiter.delete(key))
  }
}

t.test('parallel guesses do not get round the limit', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, { checks: { concurrency: 50 } })
  const answers = await clock.during(together(60, () => attempt(app)))
  t.equal(checks(), 10)
  t.equal(answers.filter(({ isBlocked }) => isBlocked).length, 50)
})

t.test('parallel guesses after some failures have only what is left', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, { checks: { concurrency: 50 } })
  await repeat(7, () => attempt(app))
  await clock.during(together(20, () => attempt(app)))
  t.equal(checks(), 10)
})

t.test('parallel guesses from many addresses have only what one username has left', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, { checks: { concurrency: 200 } })
  const answers = await clock.during(together(100, i => attempt(app, { address: `10.0.0.${i}` })))
  t.equal(answers.filter(({ isBlocked }) => isBlocked).length, 50)
  t.equal(checks(), 50)
})

t.test('a guess that comes while another is being checked does not get round the limit', async t => {
  const clock = stopClock(t)
  let checks = 0
  let reject = (_: null) => {}
  const held = new Promise<null>(resolve => {
    reject = resolve
  })
  const checkCredentials = ({ password }: Record<string, string>) => {
    checks++
    return password === 'held' ? held : null
  }
  const limit = { failures: 2, seconds: 60 }
  const app = await host(t, { checkCredentials, throttle: { usernameAndAddress: limit } })
  const first = attempt(app, { password: 'held' })
  await until(() => checks === 1)
  await attempt(app)
  const third = attempt(app)
  await turns()
  reject(null)
  t.equal((await clock.during(third)).isBlocked, true)
  t.equal((await first).isBlocked, false)
  t.equal(checks, 2)
})

t.test('what has failed while an attempt waited for its turn is counted against it', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, {
    checks: { concurrency: 1 },
    throttle: { address: { failures: 2, seconds: 60 } }
  })
  const names = ['a', 'b', 'c', 'd']
  const answers = await clock.during(Promise.all(names.map(username => attempt(app, { username }))))
  t.strictSame(
    answers.map(({ isBlocked }) => isBlocked),
    [false, false, true, true]
  )
  t.equal(checks(), 2)
})

t.test('what has failed while the store took its time to respond is counted, too', async t => {
  const clock = stopClock(t)
  const store = (options: FailureStoreOptions) => {
    const limiter = new RateLimiterMemory(options)
    const { get } = limiter
    return Object.assign(limiter, {
      get: async (key: string) => {
        const count = await get.call(limiter, key)
        await clock.sleep(0.1)
        return count
      }
    })
  }
  const { app, checks } = await countingHost(t, {
    throttle: { store, address: { failures: 1, seconds: 60 } }
  })
  const first = attempt(app, { username: 'a' })
  await clock.during(clock.sleep(0.05))
  const second = attempt(app, { username: 'b' })
  const answers = await clock.during(Promise.all([first, second]))
  t.strictSame(
    answers.map(({ isBlocked }) => isBlocked),
    [false, true]
  )
  t.equal(checks(), 1)
})

t.test('a success clears also what has failed while it was checked', async t => {
  const checks = heldChecks()
  const app = await host(t, {
    checkCredentials: (fields: Record<string, string>) =>
      fields.password === PASSWORD ? checks.checkCredentials(fields) : null,
    throttle: { usernameAndAddress: { failures: 3, seconds: 60 } }
  })
  const right = attempt(app, RIGHT)
  await until(() => checks.open.length === 1)
  await repeat(2, () => attempt(app))
  checks.letGo()
  t.equal((await right).success, true)
  await repeat(2, () => attempt(app))
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a guess that the username refuses is not held against its address', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, {
    throttle: { username: { failures: 1, seconds: 60 }, address: { failures: 3, seconds: 60 } }
  })
  await clock.during(together(9, () => attempt(app)))
  t.equal(checks(), 1)
  await attempt(app, { username: 'eve' })
  t.equal((await attempt(app, { ...RIGHT, username: 'bob' })).success, true)
})

t.test('guesses at once from a network that is known are no more after some logins', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, { checks: { concurrency: 50 } })
  await repeat(5, () => attempt(app, RIGHT))
  await clock.during(together(30, () => attempt(app)))
  t.equal(checks(), 5 + 10)
})

/** Lower than the defaults, so that not many guesses are needed to pass each of them. */
const throttle = {
  usernameAndAddress: { failures: 3, seconds: 900 },
  address: { failures: 20, seconds: 3600 },
  username: { failures: 10, seconds: 3600 }
}
const GUESSES = 80

const schedules: [string, (i: number) => object, number][] = [
  ['one name from one address', () => ({}), 3],
  ['one name from eight addresses', i => ({ address: `10.0.0.${i % 8}` }), 10],
  [
    'one name from five addresses, one after the other',
    i => ({ address: `10.0.0.${Math.floor(i / 16)}` }),
    10
  ],
  ['one name from three addresses', i => ({ address: `10.0.0.${i % 3}` }), 9],
  ['eight names from one address', i => ({ username: `user-${i % 8}` }), 20],
  [
    'eight names from two addresses',
    i => ({ username: `user-${i % 8}`, address: `10.0.0.${(i >> 3) % 2}` }),
    40
  ]
]

for (const [name, of, expected] of schedules)
  t.test(`guesses one after the other have as many checks as the limits allow: ${name}`, async t => {
    const { app, checks } = await countingHost(t, { throttle })
    await repeat(GUESSES, i => attempt(app, of(i)))
    t.equal(checks(), expected)
  })

for (const concurrency of [3, 100])
  for (const [name, of, expected] of schedules)
    t.test(
      `guesses at once on four servers, ${concurrency} at a time, have no more checks than in turn: ${name}`,
      async t => {
        const clock = stopClock(t)
        const { app, checks } = await serversWithOneStore(t, clock, 4, { throttle, checks: { concurrency } })
        await clock.during(together(GUESSES, i => attempt(app(i), of(i))))
        t.equal(checks(), expected)
      }
    )

t.test('of right and wrong passwords at once no more fail than may', async t => {
  const clock = stopClock(t)
  const limit = { failures: 5, seconds: 60 }
  const throttle = { username: limit, usernameAndAddress: limit, address: limit }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ isRight: fc.boolean(), address: fc.nat(5), server: fc.nat(1) }), {
        minLength: 20,
        maxLength: 60
      }),
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
        const { app } = await serversWithOneStore(t, clock, 2, { throttle, checkCredentials }, random)
        // Nobody logs in from where the guesses come, so that all of them count for the username.
        const answers = logins.map(({ isRight, address, server }) =>
          attempt(
            app(server),
            isRight ? { ...RIGHT, address: `10.1.0.${address}` } : { address: `10.0.0.${address}` }
          )
        )
        await clock.during(Promise.all(answers))
        return failed <= 5
      }
    ),
    { numRuns: 10 }
  )
})

t.test('a crowd on four servers gets in, and leaves nothing behind', async t => {
  const clock = stopClock(t)
  const { app } = await serversWithOneStore(t, clock, 4, { throttle, checks: { concurrency: 100 } })
  const crowd = together(GUESSES, i => attempt(app(i), { ...RIGHT, username: `user-${i % 40}` }))
  t.ok((await clock.during(crowd)).every(({ success }) => success))
  await clock.during(repeat(19, i => attempt(app(0), { username: `guest-${i}` })))
  t.equal((await clock.during(attempt(app(1), RIGHT))).success, true)
})

t.test('a crowd on four servers gets in one after the other when one more may fail', async t => {
  const clock = stopClock(t)
  const throttle = { address: { failures: 2, seconds: 60 } }
  const { app } = await serversWithOneStore(t, clock, 4, { throttle, checks: { concurrency: 20 } })
  await clock.during(attempt(app(0)))
  const crowd = together(40, i => attempt(app(i), { ...RIGHT, username: `user-${i}` }))
  t.ok((await clock.during(crowd)).every(({ success }) => success))
})

for (const [seconds, random] of [
  [0.15, Math.random],
  [0.5, () => 1]
] as const)
  t.test(
    `guesses at once have no more checks when counters start again, with up to ${seconds} s to the store`,
    async t => {
      const clock = stopClock(t)
      const limit = { failures: 5, seconds: 3 }
      const throttle = { usernameAndAddress: limit, address: limit, username: limit }
      const { app, checks, lowest } = await serversWithOneStore(
        t,
        clock,
        2,
        { throttle, checks: { concurrency: 100 } },
        random,
        seconds
      )
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
    }
  )
