import { RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import { type FailureStore, type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

const ADDRESS = '192.0.2.1'
const limit = { failures: 3, seconds: 60 }

for (const [kind, who] of [
  ['usernameAndAddress', { username: 'ada' }],
  ['usernameAndAddress', { username: '\u00c1DA', address: ADDRESS }],
  ['username', { username: 'Ada' }],
  ['address', { address: ADDRESS }],
  ['address', { username: 'bob', address: ADDRESS }]
] as const)
  t.test(`${JSON.stringify(who)} is unlocked, blocked by ${kind}, and starts again at zero`, async t => {
    const clock = stopClock(t)
    const { app, checks } = await countingHost(t, { throttle: { [kind]: limit } })
    for (const _ of [1, 2]) {
      await repeat(5, () => clock.during(attempt(app)))
      clock.tick(10)
      await app.screenAuth.unlock(who)
    }
    t.equal(checks(), 6)
    t.equal((await clock.during(attempt(app))).isBlocked, false)
    await repeat(5, () => attempt(app))
    t.equal(checks(), 9)
    t.equal((await attempt(app, RIGHT)).isBlocked, true)
  })

for (const [kind, who] of [
  ['usernameAndAddress', { address: ADDRESS }],
  ['usernameAndAddress', { username: 'bob' }],
  ['username', { address: ADDRESS }],
  ['address', { username: 'ada' }],
  ['address', { address: '192.0.2.2' }]
] as const)
  t.test(`${JSON.stringify(who)} unlocks nobody who is blocked by ${kind} otherwise`, async t => {
    const { app } = await countingHost(t, { throttle: { [kind]: limit } })
    await repeat(3, () => attempt(app))
    await app.screenAuth.unlock(who)
    t.equal((await attempt(app, RIGHT)).isBlocked, true)
  })

t.test('a network that is known is unlocked with its name', async t => {
  const clock = stopClock(t)
  const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
  await attempt(app, RIGHT)
  await repeat(3, () => attempt(app))
  t.equal((await attempt(app, RIGHT)).isBlocked, true)
  clock.tick(1)
  await app.screenAuth.unlock({ username: 'ada' })
  t.equal((await clock.during(attempt(app, RIGHT))).success, true)
})

for (const isDown of [false, true])
  t.test(
    `an unlock holds on every server${isDown ? ', also for what one has counted in an outage' : ''}`,
    async t => {
      const clock = stopClock(t)
      const stores = new Map<string, RateLimiterMemory>()
      let isReadable = isDown
      const store = (options: FailureStoreOptions) => {
        const shared = stores.get(options.keyPrefix) ?? new RateLimiterMemory(options)
        stores.set(options.keyPrefix, shared)
        const penalty: FailureStore['penalty'] = (key, points) =>
          isReadable ? Promise.reject(new Error('down')) : shared.penalty(key, points)
        return insuredStore(
          {
            get: key => shared.get(key),
            penalty,
            reward: (key, points) => shared.reward(key, points),
            block: (key, seconds) => shared.block(key, seconds),
            delete: key => shared.delete(key)
          },
          options
        )
      }
      const throttle = { store, username: limit }
      const [one, two] = [await countingHost(t, { throttle }), await countingHost(t, { throttle })]
      await repeat(3, () => attempt(one.app))
      t.equal((await attempt(one.app, RIGHT)).isBlocked, true)
      isReadable = false
      await clock.during(clock.sleep(2))
      await two.app.screenAuth.unlock({ username: 'ada' })
      t.equal((await clock.during(attempt(one.app, RIGHT))).success, true)
    }
  )

t.test('an unlock of nobody is an error that says what is meant', async t => {
  const { app } = await countingHost(t)
  await app.ready()
  const wrong = [undefined, null, {}, 'ada', { username: 1 }, { name: 'ada' }, { address: '192.0.2.l' }]
  for (const who of wrong)
    await t.rejects(app.screenAuth.unlock(who as object), {
      code: 'FST_SCREEN_AUTH_INVALID_ANSWER',
      message: /unlock must be given \{ username, address \}/
    })
})
