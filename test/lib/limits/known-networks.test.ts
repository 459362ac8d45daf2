import t from 'tap'
import { type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { host, until } from '../../helpers.ts'
import { attempt, countingHost, emitted, heldChecks, isRight, RIGHT, repeat, storeWith, together } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

const HOME = { address: '198.51.100.7' }
const AT_HOME = { ...RIGHT, ...HOME }

/** Uses up the failures of the username, from addresses that the user has never used. */
const lockOut = (app: Parameters<typeof attempt>[0]) => repeat(60, i => attempt(app, { address: `10.0.${i % 6}.1` }))

t.test('an attacker cannot lock a user out of a network from which the user has logged in', async t => {
  const { app } = await countingHost(t)
  await attempt(app, AT_HOME)
  await lockOut(app)
  t.equal((await attempt(app, AT_HOME)).success, true)
  t.equal((await attempt(app, { ...RIGHT, address: '198.51.100.8' })).isBlocked, true, 'from elsewhere')
  t.equal((await attempt(app, { ...AT_HOME, username: 'ADA' })).isBlocked, true, 'spelt otherwise')
})

t.test('a known IPv6 network is a /56', async t => {
  const { app } = await countingHost(t)
  await attempt(app, { ...RIGHT, address: '2001:db8:0:100::1' })
  await lockOut(app)
  t.equal((await attempt(app, { ...RIGHT, address: '2001:db8:0:1ff::2' })).success, true)
  t.equal((await attempt(app, { ...RIGHT, address: '2001:db8:0:200::1' })).isBlocked, true)
})

t.test('a network becomes known for one username only, and only by a right password', async t => {
  const { app } = await countingHost(t)
  await attempt(app, { ...AT_HOME, username: 'bob' })
  await attempt(app, HOME)
  await lockOut(app)
  t.equal((await attempt(app, AT_HOME)).isBlocked, true)
})

t.test('the limits of the address, alone and with the username, apply in a known network', async t => {
  const clock = stopClock(t)
  const { app, checks } = await countingHost(t, { checks: { concurrency: 50 } })
  await repeat(5, () => attempt(app, AT_HOME))
  await clock.during(together(30, () => attempt(app, HOME)))
  t.equal(checks(), 5 + 10)
  await repeat(100, i => attempt(app, { ...HOME, username: `user-${i}` }))
  t.equal(checks(), 5 + 100)
})

t.test('failures in a known network do not count against the username elsewhere', async t => {
  const limit = { failures: 3, seconds: 60 }
  const { app } = await countingHost(t, { throttle: { username: limit } })
  await attempt(app, AT_HOME)
  await repeat(5, () => attempt(app, HOME))
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true)
})

t.test('a success in a known network clears its failures, but not the guesses that are running', async t => {
  const clock = stopClock(t)
  const { checkCredentials, open, release } = heldChecks(({ password }) => password === 'held')
  let guesses = 0
  const app = await host(t, {
    checkCredentials: async (fields: Record<string, string>) => {
      if (isRight(fields)) return checkCredentials(fields)
      guesses++
      await checkCredentials(fields)
      return null
    },
    checks: { concurrency: 50 }
  })
  await attempt(app, RIGHT)
  await repeat(2, () => attempt(app))
  const running = together(7, () => attempt(app, { password: 'held' }))
  await until(() => open.length === 7)
  await attempt(app, RIGHT)
  const more = together(20, () => attempt(app))
  await clock.during(clock.sleep(0.5))
  release()
  await clock.during(Promise.all([running, more]))
  t.equal(guesses, 2 + 10)
})

for (const successes of [2, 3, 9])
  t.test(`${successes} parallel successes in a known network clear its failures once`, async t => {
    let isFirst = true
    const { checkCredentials, open, release } = heldChecks(fields => isRight(fields) && !isFirst)
    const store = storeWith(memory => ({
      penalty: (key: string, points: number) => turns(2).then(() => memory.penalty(key, points)),
      reward: (key: string, points: number) => turns(2).then(() => memory.reward(key, points))
    }))
    const app = await host(t, {
      throttle: { store, usernameAndAddress: { failures: 20, seconds: 900 } },
      checks: { concurrency: 9 },
      checkCredentials
    })
    await attempt(app, RIGHT)
    isFirst = false
    await repeat(5, () => attempt(app))
    const all = together(successes, () => attempt(app, RIGHT))
    await until(() => open.length === successes)
    release()
    await all
    await turns()
    await repeat(20, async () => t.equal((await attempt(app)).isBlocked, false))
    t.equal((await attempt(app)).isBlocked, true)
  })

t.test('a network stays known for 30 days after the last login', async t => {
  const clock = stopClock(t)
  const { app } = await countingHost(t)
  await attempt(app, AT_HOME)
  for (const [days, success] of [
    [29, true],
    [29.9, true],
    [30.1, false]
  ] as const) {
    clock.tick(days * 86_400)
    await lockOut(app)
    t.equal((await attempt(app, AT_HOME)).success, success, `after ${days} days`)
  }
})

t.test('forgetNetworks removes the networks of a username, and the next login adds one again', async t => {
  const clock = stopClock(t)
  const { app } = await countingHost(t)
  await attempt(app, AT_HOME)
  await attempt(app, { ...AT_HOME, username: 'bob' })
  clock.tick(1)
  await app.screenAuth.forgetNetworks('ada')
  await lockOut(app)
  await repeat(50, i => attempt(app, { username: 'bob', address: `10.1.0.${i}` }))
  t.equal((await attempt(app, AT_HOME)).isBlocked, true)
  t.equal((await attempt(app, { ...AT_HOME, username: 'bob' })).success, true)

  clock.tick(3_700)
  t.equal((await attempt(app, AT_HOME)).success, true)
  await lockOut(app)
  t.equal((await attempt(app, AT_HOME)).success, true)
})

for (const [name, isBlocked] of [
  ['Ada', true],
  [' \u00e1da', true],
  ['adam', false]
] as const)
  t.test(`forgetNetworks("${name}") ${isBlocked ? 'removes' : 'keeps'} the networks of ada`, async t => {
    const clock = stopClock(t)
    const { app } = await countingHost(t)
    await attempt(app, AT_HOME)
    clock.tick(1)
    await app.screenAuth.forgetNetworks(name)
    await lockOut(app)
    t.equal((await attempt(app, AT_HOME)).isBlocked, isBlocked)
  })

t.test('only the last twenty networks of a username are known', async t => {
  const { app } = await countingHost(t)
  const fromNetwork = (i: number) => attempt(app, { ...RIGHT, address: `2001:db8:0:${i}00::1` })
  await repeat(60, fromNetwork)
  await lockOut(app)
  t.equal((await fromNetwork(40)).success, true)
  t.equal((await fromNetwork(39)).isBlocked, true)
})

t.test('forgetNetworks and unlock do nothing without a throttle or in the no-auth mode', async t => {
  for (const overrides of [{ throttle: false }, { enabled: false }]) {
    const { app } = await countingHost(t, overrides)
    await app.ready()
    t.equal(await app.screenAuth.forgetNetworks('ada'), undefined)
    t.equal(await app.screenAuth.unlock({ username: 'ada' }), undefined)
  }
})

for (const isInsured of [false, true])
  t.test(`servers with one ${isInsured ? 'insured ' : ''}store share known networks, also after a restart`, async t => {
    const warnings = emitted(t, 'warning')
    const shared = storeWith()
    const store = (options: FailureStoreOptions) =>
      isInsured ? insuredStore(shared(options), options) : shared(options)
    const before = await countingHost(t, { throttle: { store } })
    await attempt(before.app, AT_HOME)
    await before.app.close()
    const { app } = await countingHost(t, { throttle: { store } })
    await lockOut(app)
    t.equal((await attempt(app, AT_HOME)).success, true)
    t.equal((await attempt(app, RIGHT)).isBlocked, true)
    t.strictSame(warnings, [], 'no timer is too long')
  })

t.test('an error of the checker makes no network known', async t => {
  let isBroken = true
  const checkCredentials = () => (isBroken ? Promise.reject(new Error('down')) : null)
  const app = await host(t, { checkCredentials, throttle: { username: { failures: 1, seconds: 60 } } })
  t.equal((await attempt(app)).statusCode, 500)
  isBroken = false
  await attempt(app, { address: '203.0.113.1' })
  t.equal((await attempt(app)).isBlocked, true)
})
