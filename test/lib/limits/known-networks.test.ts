import { RateLimiterMemory } from 'rate-limiter-flexible'
import t from 'tap'
import { type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { ADA, host, PASSWORD, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, RIGHT, repeat, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

const HOME = { address: '198.51.100.7' }

/** A stranger uses up the failures of the username, from addresses that the person has never used. */
const lockOut = (app: Parameters<typeof attempt>[0]) =>
  repeat(60, i => attempt(app, { address: `10.0.${i % 6}.1` }))

t.test('a stranger cannot lock a person out of a network from which they have logged in', async t => {
  const { app } = await countingHost(t)
  await attempt(app, { ...RIGHT, ...HOME })
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
  t.equal((await attempt(app, { ...RIGHT, address: '198.51.100.8' })).isBlocked, true, 'from elsewhere')
  t.equal((await attempt(app, { ...RIGHT, ...HOME, username: 'ADA' })).isBlocked, true, 'spelt otherwise')
})

t.test('of IPv6 the network is the /56', async t => {
  const { app } = await countingHost(t)
  await attempt(app, { ...RIGHT, address: '2001:db8:0:100::1' })
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, address: '2001:db8:0:1ff::2' })).success, true)
  t.equal((await attempt(app, { ...RIGHT, address: '2001:db8:0:200::1' })).isBlocked, true)
})

t.test('a known network is known for one name only, and only a right password makes it known', async t => {
  const { app } = await countingHost(t)
  await attempt(app, { ...RIGHT, ...HOME, username: 'bob' })
  await attempt(app, HOME)
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, ...HOME })).isBlocked, true)
})

t.test('from a known network the counters of the pair and of the address hold', async t => {
  const { app, checks } = await countingHost(t)
  await attempt(app, { ...RIGHT, ...HOME })
  await repeat(20, () => attempt(app, HOME))
  t.equal(checks(), 11)
  await repeat(100, i => attempt(app, { ...HOME, username: `user-${i}` }))
  t.equal(checks(), 101)
})

t.test('what fails in a known network is not counted against the person elsewhere', async t => {
  const limit = { failures: 3, seconds: 60 }
  const { app } = await countingHost(t, { throttle: { username: limit } })
  await attempt(app, { ...RIGHT, ...HOME })
  await repeat(5, () => attempt(app, HOME))
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
})

t.test('a success in a known network ends the row, but not the guesses that are running', async t => {
  const clock = stopClock(t)
  const held: (() => void)[] = []
  let guesses = 0
  const checkCredentials = async ({ password }: Record<string, string>) => {
    if (password === PASSWORD) return ADA
    guesses++
    if (password === 'held') await new Promise<void>(resolve => held.push(resolve))
    return null
  }
  const app = await host(t, { checkCredentials, checks: { concurrency: 50 } })
  await attempt(app, RIGHT)
  await repeat(2, () => attempt(app))
  const running = together(7, () => attempt(app, { password: 'held' }))
  await until(() => held.length === 7)
  await attempt(app, RIGHT)
  const more = together(20, () => attempt(app))
  await clock.during(clock.sleep(0.5))
  for (const end of held) end()
  await clock.during(Promise.all([running, more]))
  t.equal(guesses, 2 + 10)
})

for (const successes of [2, 3, 9])
  t.test(`${successes} successes at once in a known network end the row once`, async t => {
    const checks = heldChecks()
    let guesses = 0
    const checkCredentials = (fields: Record<string, string>) =>
      fields.password === PASSWORD ? checks.checkCredentials(fields) : ++guesses && null
    const store = (options: FailureStoreOptions) => {
      const limiter = new RateLimiterMemory(options)
      const { penalty, reward } = limiter
      return Object.assign(limiter, {
        penalty: (key: string, points: number) => turns(2).then(() => penalty.call(limiter, key, points)),
        reward: (key: string, points: number) => turns(2).then(() => reward.call(limiter, key, points))
      })
    }
    const app = await host(t, {
      checkCredentials,
      throttle: { store, usernameAndAddress: { failures: 20, seconds: 900 } },
      checks: { concurrency: 9 }
    })
    const first = attempt(app, RIGHT)
    await until(() => checks.open.length === 1)
    checks.open.shift()?.()
    await first
    await repeat(5, () => attempt(app))
    const all = together(successes, () => attempt(app, RIGHT))
    await until(() => checks.open.length === successes)
    checks.letGo()
    await all
    await turns()
    await repeat(25, () => attempt(app))
    t.equal(guesses, 5 + 20)
  })

t.test('a stranger has as many guesses as if nobody had ever logged in', async t => {
  const { app, checks } = await countingHost(t)
  await attempt(app, { ...RIGHT, ...HOME })
  await repeat(200, i => attempt(app, { address: `10.0.0.${i}` }))
  t.equal(checks(), 1 + 50)
})

t.test('a network is known for 30 days from the last login', async t => {
  const clock = stopClock(t)
  const days = (count: number) => clock.tick(count * 86_400)
  const { app } = await countingHost(t)
  await attempt(app, { ...RIGHT, ...HOME })
  days(29)
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
  days(29.9)
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
  days(30.1)
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, ...HOME })).isBlocked, true)
})

t.test(
  'a host can have the networks of a person forgotten, and the next login makes one known again',
  async t => {
    const clock = stopClock(t)
    const { app } = await countingHost(t)
    await attempt(app, { ...RIGHT, ...HOME })
    await attempt(app, { ...RIGHT, ...HOME, username: 'bob' })
    clock.tick(1)
    await app.screenAuth.forgetNetworks('ada')
    await lockOut(app)
    await repeat(50, i => attempt(app, { username: 'bob', address: `10.1.0.${i}` }))
    t.equal((await attempt(app, { ...RIGHT, ...HOME })).isBlocked, true)
    t.equal((await attempt(app, { ...RIGHT, ...HOME, username: 'bob' })).success, true)

    clock.tick(3_700)
    t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
    await lockOut(app)
    t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
  }
)

t.test('what is forgotten of a name is not forgotten of another one that looks like it', async t => {
  const { app } = await countingHost(t)
  await attempt(app, { ...RIGHT, ...HOME })
  await app.screenAuth.forgetNetworks('Ada')
  await app.screenAuth.forgetNetworks('\u00e1da')
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
})

t.test('one account with many networks makes nobody else forgotten, and keeps the last twenty', async t => {
  const { app } = await countingHost(t)
  await attempt(app, { ...RIGHT, ...HOME })
  const networkOf = (i: number) => `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}00::1`
  await repeat(60, i => attempt(app, { ...RIGHT, username: 'eve', address: networkOf(i) }))
  await lockOut(app)
  await repeat(60, i => attempt(app, { username: 'eve', address: `10.0.${i % 6}.1` }))
  t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
  const isKnown = async (i: number) =>
    (await attempt(app, { ...RIGHT, username: 'eve', address: networkOf(i) })).success
  t.equal(await isKnown(40), true)
  t.equal(await isKnown(39), false)
})

t.test('there is nothing to forget without a throttle and without a login', async t => {
  for (const overrides of [{ throttle: false }, { enabled: false }]) {
    const { app } = await countingHost(t, overrides)
    await app.ready()
    t.equal(await app.screenAuth.forgetNetworks('ada'), undefined)
    t.equal(await app.screenAuth.unlock({ username: 'ada' }), undefined)
  }
})

for (const isInsured of [false, true])
  t.test(
    `servers that share ${isInsured ? 'an insured store' : 'a store'} share the networks, and a restart forgets none`,
    async t => {
      const warnings: Error[] = []
      const note = (warning: Error) => warnings.push(warning)
      process.on('warning', note)
      t.teardown(() => process.off('warning', note))

      const limiters = new Map<string, RateLimiterMemory>()
      const store = (options: FailureStoreOptions) => {
        const limiter = limiters.get(options.keyPrefix) ?? new RateLimiterMemory(options)
        limiters.set(options.keyPrefix, limiter)
        return isInsured ? insuredStore(limiter, options) : limiter
      }
      const before = await countingHost(t, { throttle: { store } })
      await attempt(before.app, { ...RIGHT, ...HOME })
      await before.app.close()
      const { app } = await countingHost(t, { throttle: { store } })
      await lockOut(app)
      t.equal((await attempt(app, { ...RIGHT, ...HOME })).success, true)
      t.equal((await attempt(app, RIGHT)).isBlocked, true)
      t.strictSame(warnings, [], 'no timer is too long')
    }
  )
