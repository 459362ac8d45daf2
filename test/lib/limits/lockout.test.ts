import t from 'tap'
import { loginLimits } from '../../../lib/index.ts'
import { stopClock } from '../../clock.ts'
import { collectLog, collectWarnings, FAILURE, host } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat, scopedHost, storeWith } from './attempts.ts'
import { type Fields, never, userOf } from './checkers.ts'

const ADDRESS = '192.0.2.1'
const limit = { failures: 3, seconds: 60 }

t.test('a limit that the running checks alone can reach emits one warning at the start', async t => {
  const warnings = collectWarnings(t)
  const throttle = { address: { failures: 17, seconds: 60 } }
  for (const concurrency of [16, 17, 17]) await host(t, { throttle, checks: { concurrency } })
  t.strictSame(warnings, ['screen-auth: `throttle.address.failures` (17) must exceed `checks.concurrency` (17)'])
})

for (const [what, failures, seconds, loginOf, free] of [
  ['one username from one address', 10, 900, () => ({}), [{ username: 'bob' }, { address: '192.0.2.2' }]],
  ['one address', 100, 3600, i => (i ? { username: `user-${i}` } : {}), [{ address: '192.0.2.2' }]],
  ['one username', 50, 3600, i => (i ? { address: `10.0.0.${i}` } : {}), [{ username: 'bob' }]]
] as [string, number, number, (i: number) => object, object[]][])
  t.test(`${failures} failures of ${what} block further logins for ${seconds} s, also those of others`, async t => {
    const clock = stopClock(t)
    const { app, checks } = await countingHost(t)
    await repeat(failures - 1, i => attempt(app, loginOf(i + 1)))
    clock.tick(300)
    await attempt(app)
    const blocked = { statusCode: 200, isBlocked: true, retryAfter: seconds - 300, ...FAILURE }
    const error = `Too many attempts. Try again in ${(seconds - 300) / 60} minutes`
    t.strictSame(await attempt(app, RIGHT), { ...blocked, error })
    for (const login of free) t.equal((await attempt(app, { ...RIGHT, ...login })).success, true)
    t.equal(checks(), failures + free.length)
    // A blocked attempt does not extend the block.
    clock.tick(seconds - 300.001)
    t.match(await attempt(app, RIGHT), { error: / in 1 second$/, retryAfter: 1 })
    clock.tick(0.001)
    t.equal((await attempt(app, RIGHT)).success, true)
  })

t.test('Retry-After is the wait of the first limit that is reached: address, pair, username', async t => {
  stopClock(t)
  const one = (seconds: number) => ({ failures: 1, seconds })
  const throttle = { usernameAndAddress: one(60), address: one(300), username: one(200) }
  const { app } = await countingHost(t, { throttle })
  await attempt(app)
  t.equal((await attempt(app, RIGHT)).retryAfter, 300)
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).retryAfter, 200)
  await app.screenAuth.unlock({ address: ADDRESS })
  t.equal((await attempt(app, RIGHT)).retryAfter, 60)
})

t.test('the message states seconds, minutes or hours in at most 42 characters', async t => {
  const clock = stopClock(t)
  let left = 2_147_483
  const { app } = await countingHost(t, { throttle: { address: { failures: 1, seconds: left } } })
  await attempt(app)
  const words = { 2147483: '597 hours', 5941: '2 hours', 5940: '99 minutes', 100: '2 minutes', 99: '99 seconds' }
  for (const [seconds, text] of Object.entries(words).reverse()) {
    clock.tick(left - Number(seconds))
    left = Number(seconds)
    const { error } = await attempt(app)
    t.ok(error.endsWith(` in ${text}`) && error.length <= 42, error)
  }
})

t.test('throttle: false limits no login', async t => {
  const { app, checks } = await countingHost(t, { throttle: false })
  await repeat(110, () => attempt(app))
  t.equal(checks(), 110)
})

const fails = (error: unknown) => () => Promise.reject(error)

for (const [what, check, statusCode, counts] of [
  ['a rejection', () => null, 200, true],
  ["a rejection with the host's own message", () => ({ error: 'Not today.' }), 200, true],
  ['an error with status 401', fails({ status: 401 }), 200, true],
  ['an error with statusCode 401', fails({ statusCode: 401 }), 200, true],
  ['an error with statusCode 404', fails({ statusCode: 404 }), 500, true],
  ['an error without a status', fails(new Error('InvalidCredentialsError')), 500, true],
  ['a string that is thrown', fails('wrong password'), 500, true],
  ['an invalid result', () => undefined, 500, true],
  ['a timeout', never, 503, true],
  ['an error with status 503', fails({ status: 503 }), 503, false],
  ['an error with statusCode 503', fails({ statusCode: 503 }), 503, false],
  ['a success', userOf, 200, false]
] as [string, (fields: Fields) => unknown, number, boolean][])
  t.test(`${what} ${counts ? 'counts' : 'does not count'} as a failure, for each limit`, async t => {
    const clock = stopClock(t)
    for (const kind of ['usernameAndAddress', 'address', 'username']) {
      const overrides = { throttle: { [kind]: limit }, checks: { timeout: 1 }, checkCredentials: check }
      const { app, checks } = await countingHost(t, overrides)
      const statuses: number[] = []
      await repeat(4, async () => statuses.push((await clock.during(attempt(app, RIGHT))).statusCode))
      t.strictSame(statuses, [statusCode, statusCode, statusCode, counts ? 200 : statusCode])
      t.equal(checks(), counts ? 3 : 4)
    }
  })

t.test('a login with an empty field or a malformed body does not count as a failure', async t => {
  const { app } = await countingHost(t, { throttle: { address: { failures: 1, seconds: 60 } } })
  await attempt(app, { password: '' })
  await app.inject({ method: 'POST', url: '/auth/login', remoteAddress: ADDRESS, payload: 'x' })
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('a success resets no failures', async t => {
  const { app, checks } = await countingHost(t)
  await repeat(30, i => attempt(app, i % 2 ? RIGHT : {}))
  t.equal(checks(), 10 + 9)
})

t.test('a login from a blocked address touches no other count, so that new names leave no records', async t => {
  const keys = new Set<string>()
  const store = storeWith((call, name, key) => (name === 'get' || keys.add(key)) && call())
  const { app } = await countingHost(t, { throttle: { store } })
  await repeat(300, i => attempt(app, { username: `my-password-by-mistake-${i}` }))
  t.equal(keys.size, 1 + 2 * 100)
  t.ok([...keys].every(key => /^[\w:@.-]{1,100}$/.test(key) && !key.includes('mistake')))
})

for (const [kind, who, ends] of [
  ['usernameAndAddress', { username: 'ada' }, true],
  ['usernameAndAddress', { username: '\u00c1DA', address: ADDRESS }, true],
  ['usernameAndAddress', { address: ADDRESS }, false],
  ['username', { username: 'Ada' }, true],
  ['username', { address: ADDRESS }, false],
  ['address', { address: ADDRESS }, true],
  ['address', { username: 'bob', address: ADDRESS }, true],
  ['address', { address: '192.0.2.2' }, false],
  ['address', { address: 'unknown' }, false]
] as const)
  t.test(`unlock(${JSON.stringify(who)}) ${ends ? 'ends' : 'keeps'} a block by ${kind}`, async t => {
    for (const store of [undefined, storeWith()]) {
      const { app, checks } = await countingHost(t, { throttle: { [kind]: limit, store } })
      for (const expected of ends ? [3, 6, 9] : [3, 3]) {
        await repeat(5, () => attempt(app))
        t.equal(checks(), expected)
        await app.screenAuth.unlock(who)
      }
      t.equal((await attempt(app, RIGHT)).success, ends)
    }
  })

const wholeSeconds = storeWith((call, name, _key, args) => {
  if (name === 'take' && Number(args[1]) < 1000) throw new Error('no whole second')
  return call()
})

for (const [call, target, pattern] of [
  ['unlock', { username: 'eva' }, /^screen-auth: unlock found no failed login of eva outside .*$/],
  ['unlock', { username: 'bob\n' }, /of bob\\u{a} outside/],
  ['unlock', { username: 'Ada' }, null],
  ['unlock', { username: 'bob' }, null],
  ['unlock', { address: '192.0.2.2' }, /^screen-auth: unlock found no failed login from 192.0.2.2$/],
  ['unlock', { address: ADDRESS }, null],
  ['unlock', { username: 'eva', address: ADDRESS }, /login of eva outside known networks$/],
  [
    'forgetNetworks',
    'Bob',
    /^screen-auth: forgetNetworks found no login of Bob; pass the username of checkCredentials$/
  ],
  ['forgetNetworks', 'bob', null]
] as [string, never, RegExp | null][])
  for (const store of [undefined, wholeSeconds])
    t.test(`${call}(${JSON.stringify(target)}) logs ${pattern ?? 'nothing'}, ${store ? 'a' : 'no'} store`, async t => {
      const log = collectLog()
      const { app } = await countingHost(t, { throttle: { store } }, log)
      await attempt(app)
      await attempt(app, { ...RIGHT, username: 'bob', address: '192.0.2.3' })
      const before = log.lines.length
      await app.screenAuth[call as 'unlock'](target)
      const lines = log.lines.slice(before).map(({ level, msg }) => [level, pattern?.test(String(msg))])
      t.strictSame(lines, pattern ? [[call === 'unlock' ? 40 : 30, true]] : [])
    })

t.test('without an app, unlock warns of a name without failures, and finds those of an app at any path', async t => {
  const warnings = collectWarnings(t)
  const store = storeWith()
  const app = scopedHost(t, { '/shop': { throttle: { store } } })
  await repeat(10, () => attempt(app, { prefix: '/shop' }))
  const limits = loginLimits({ store })
  await limits.forgetNetworks('eva')
  for (const username of ['eva', 'ada']) await limits.unlock({ username })
  t.strictSame(warnings, ['screen-auth: unlock found no failed login of eva outside known networks'])
  t.equal((await attempt(app, { ...RIGHT, prefix: '/shop' })).success, true)
})

t.test('an unlock applies to every server, to every address, and until the counts would end', async t => {
  const clock = stopClock(t)
  const throttle = { store: storeWith(), username: { ...limit, seconds: 3600 }, usernameAndAddress: limit }
  const [one, two] = [await countingHost(t, { throttle }), await countingHost(t, { throttle })]
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
  for (const login of [RIGHT, {}, {}, {}])
    for (const address of addresses) await attempt(one.app, { ...login, address })
  for (const address of addresses) t.equal((await attempt(one.app, { ...RIGHT, address })).isBlocked, true)
  await repeat(3, i => attempt(one.app, { address: `10.0.0.${i}` }))
  await two.app.screenAuth.unlock({ username: 'ada' })
  for (const address of [...addresses, '192.0.2.4', '192.0.2.5']) {
    t.equal((await attempt(one.app, { ...RIGHT, address })).success, true)
    clock.tick(600)
  }
})
