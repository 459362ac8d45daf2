import { RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import type { FailureStoreOptions } from '../../../lib/index.ts'
import { host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, RIGHT, repeat, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

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
