import fc from 'fast-check'
import t from 'tap'
import { ADA, PASSWORD } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'
import { serversWithOneStore } from './servers.ts'

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
