import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { collectLog, host, until } from '../../helpers.ts'
import { attempt, countingHost, heldChecks, isRight, RIGHT, repeat, storeWith } from './attempts.ts'
import { stopClock } from './clock.ts'

const ADDRESS = '192.0.2.1'
const throttle = { address: { failures: 1, seconds: 60 } }

t.test('the login checks no password after ten failures of a username from one address', async t => {
  stopClock(t)
  const { app, checks } = await countingHost(t)
  await repeat(10, async () => t.equal((await attempt(app)).isBlocked, false))
  t.strictSame(await attempt(app, RIGHT), {
    statusCode: 200,
    isBlocked: true,
    retryAfter: 900,
    success: false,
    token: null,
    error: 'Too many attempts. Try again in 15 minutes',
    screen: null
  })
  t.equal(checks(), 10)
  t.equal((await attempt(app, { ...RIGHT, address: '192.0.2.2' })).success, true, 'another address')
  t.equal((await attempt(app, { ...RIGHT, username: 'bob' })).success, true, 'another username')
})

for (const [what, failures, loginOf, blocked, free] of [
  ['address', 100, i => ({ username: `user-${i}` }), { username: 'bob' }, { address: '192.0.2.2' }],
  ['username', 50, i => ({ address: `10.0.0.${i}` }), { address: '10.0.1.1' }, { username: 'bob' }]
] as [string, number, (i: number) => object, object, object][])
  t.test(`${failures} failures of one ${what} block that ${what} for an hour`, async t => {
    stopClock(t)
    const { app, checks } = await countingHost(t)
    await repeat(failures, i => attempt(app, loginOf(i)))
    t.match(await attempt(app, { ...RIGHT, ...blocked }), { isBlocked: true, retryAfter: 3600 })
    t.equal(checks(), failures)
    t.equal((await attempt(app, { ...RIGHT, ...blocked, ...free })).success, true)
  })

t.test('Retry-After is the longest wait of all limits that are reached', async t => {
  stopClock(t)
  const throttle = {
    usernameAndAddress: { failures: 1, seconds: 60 },
    address: { failures: 1, seconds: 300 }
  }
  const { app } = await countingHost(t, { throttle })
  await attempt(app)
  t.equal((await attempt(app, RIGHT)).retryAfter, 300)
})

t.test('an unlock in the same millisecond as the failure ends the block', async t => {
  const clock = stopClock(t)
  const { app } = await countingHost(t, { throttle })
  await attempt(app)
  await app.screenAuth.unlock({ address: ADDRESS })
  t.equal((await clock.during(attempt(app, RIGHT))).success, true)
})

for (const [one, other, isSame] of [
  ['2001:db8:0:1::1', '2001:db8:0:ff:ffff::2', true],
  ['2001:db8:0:1::1', '2001:db8:0:100::1', false],
  ['2001:db8:1::1', '2001:db8:2::1', false],
  ['fe80::1%eth0', 'fe80::2', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.1:4711', true],
  ['192.0.2.1:80', '192.0.2.2:80', false],
  ['2001:db8::1', '[2001:db8::1]', true],
  ['[2001:db8::1]:443', '[2001:db9::1]:443', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
  ['2001:db8:0:100::1', '200:1db8:0:100::1', false],
  // Invalid, but a parser that only cuts a port off would accept the rest as an address.
  ['2001:[db8::1]', 'unknown', true],
  ['[2001:db8::1]:0:0', 'unknown', true],
  ['::ffff:192.0.2.1:80', 'unknown', true],
  ['192.0.2:80.1', 'unknown', true],
  ['unknown', 'no address', true]
] as const)
  t.test(`${one} and ${other} count as ${isSame ? 'one address' : 'two addresses'}`, async t => {
    const { app } = await countingHost(t, { throttle })
    await attempt(app, { username: 'x', address: one })
    t.equal((await attempt(app, { username: 'y', address: other })).isBlocked, isSame)
  })

/** Posts a login that a proxy has forwarded. */
const forward = (app: Parameters<typeof attempt>[0], headers: object) =>
  app.inject({
    method: 'POST',
    url: '/auth/login',
    headers: { ...headers },
    payload: { fields: { username: 'x', password: 'wrong' } }
  })

for (const trustProxy of [true, false])
  t.test(`trustProxy: ${trustProxy} counts the address of the ${trustProxy ? 'client' : 'proxy'}`, async t => {
    const { app } = await countingHost(t, { throttle }, { trustProxy })
    const isBlocked = async (address: string) =>
      'retry-after' in (await forward(app, { 'x-forwarded-for': address })).headers
    t.equal(await isBlocked('192.0.2.1'), false)
    t.equal(await isBlocked('192.0.2.1'), true)
    t.equal(await isBlocked('192.0.2.2'), !trustProxy)
  })

const forwarded = { 'x-forwarded-for': '192.0.2.1' }
for (const [outcome, headers, serverOptions, expected] of [
  ['logs one warning', forwarded, {}, ['127.0.0.1']],
  ['logs one warning if another proxy is trusted', forwarded, { trustProxy: '10.0.0.1' }, ['127.0.0.1']],
  ['logs no warning if the proxy is trusted', forwarded, { trustProxy: true }, []],
  [
    'logs no warning if the client runs on the machine of the proxy',
    { 'x-forwarded-for': '127.0.0.1' },
    { trustProxy: '127.0.0.1' },
    []
  ],
  ['logs no warning without a forwarded address', {}, {}, []]
] as const)
  t.test(`a login that the address of a proxy blocks ${outcome}`, async t => {
    const log = collectLog()
    const { app } = await countingHost(t, { throttle }, { ...log, ...serverOptions })
    await repeat(3, () => forward(app, headers))
    const warnings = log.lines.filter(({ level }) => level === 40)
    t.strictSame(
      warnings.map(({ msg, address }) => (/set `trustProxy`/.test(String(msg)) ? address : msg)),
      expected
    )
  })

t.test('all clients of a Unix socket count as one address', async t => {
  const { app } = await countingHost(t, { throttle })
  const folder = mkdtempSync(join(tmpdir(), 'screen-auth-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await app.listen({ path: join(folder, 'socket') })
  const postLogin = async () => {
    const headers = { 'content-type': 'application/json' }
    const post = request({ socketPath: join(folder, 'socket'), method: 'POST', path: '/auth/login', headers })
    post.end('{"fields":{"username":"x","password":"y"}}')
    const [response] = (await once(post, 'response')) as [IncomingMessage]
    response.resume()
    return [response.statusCode, 'retry-after' in response.headers]
  }
  t.strictSame(await postLogin(), [200, false])
  t.strictSame(await postLogin(), [200, true])
})

for (const kind of ['usernameAndAddress', 'address', 'username'])
  t.test(`a login blocked by ${kind} gets Retry-After although no check is free`, async t => {
    stopClock(t)
    const { checkCredentials, open, release } = heldChecks(({ username }) => username === 'bob')
    const app = await host(t, {
      checkCredentials,
      checks: { concurrency: 1, waiting: 0 },
      throttle: { [kind]: { failures: 1, seconds: 60 } }
    })
    await attempt(app)
    const other = attempt(app, { ...RIGHT, username: 'bob', address: '192.0.2.2' })
    await until(() => open.length === 1)
    t.match(await attempt(app), { statusCode: 200, isBlocked: true, retryAfter: 60 })
    release()
    await other
  })

t.test('the time of a limit starts with the first failure, and a blocked attempt does not extend it', async t => {
  const clock = stopClock(t)
  const limit = { failures: 2, seconds: 60 }
  const { app } = await countingHost(t, { throttle: { usernameAndAddress: limit } })
  await attempt(app)
  clock.tick(20)
  await attempt(app)
  t.equal((await attempt(app)).retryAfter, 40)
  clock.tick(39.999)
  t.match(await attempt(app, RIGHT), { error: / in 1 second$/, retryAfter: 1 })
  clock.tick(0.001)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('the message states seconds, minutes or hours in at most 42 characters', async t => {
  const clock = stopClock(t)
  let left = 2_147_483
  const { app } = await countingHost(t, { throttle: { address: { failures: 1, seconds: left } } })
  await attempt(app)
  for (const [seconds, words] of [
    [2_147_483, '597 hours'],
    [7200, '2 hours'],
    [5941, '2 hours'],
    [5940, '99 minutes'],
    [121, '3 minutes'],
    [100, '2 minutes'],
    [99, '99 seconds']
  ] as const) {
    clock.tick(left - seconds)
    left = seconds
    const { error } = await attempt(app)
    t.ok(error.endsWith(` in ${words}`), error)
    t.ok(error.length <= 42, error)
  }
})

t.test('an unknown username is limited like a known one, with the same responses', async t => {
  stopClock(t)
  const { app } = await countingHost(t)
  const [known, unknown] = [[] as unknown[], [] as unknown[]]
  await repeat(12, async () => known.push(await attempt(app)))
  await repeat(12, async () => unknown.push(await attempt(app, { username: 'eve' })))
  t.strictSame(known, unknown)
})

t.test('throttle: false limits no login', async t => {
  const { app, checks } = await countingHost(t, { throttle: false })
  await repeat(110, () => attempt(app))
  t.equal(checks(), 110)
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('the option of one limit leaves the other limits unchanged', async t => {
  const limit = { failures: 1000, seconds: 60 }
  const { app, checks } = await countingHost(t, { throttle: { usernameAndAddress: limit, username: limit } })
  await repeat(101, () => attempt(app))
  t.equal(checks(), 100)
})

for (const [what, attemptOnce, limit] of [
  ['a success does not count as a failure of the address', RIGHT, throttle],
  [
    'a success does not count as a failure of the username',
    { ...RIGHT, address: '192.0.2.2' },
    { username: throttle.address }
  ],
  ['a login with an empty field does not count as a failure', { password: '' }, throttle],
  ['an error of the checker does not count as a failure', { password: 'broken' }, throttle]
] as const)
  t.test(what, async t => {
    const checkCredentials = (fields: Record<string, string>) => {
      if (fields.password === 'broken') throw new Error('the user store is down')
      return isRight(fields) ? { username: fields.username, displayName: '' } : null
    }
    const { app } = await countingHost(t, { throttle: limit, checkCredentials })
    await attempt(app, attemptOnce)
    t.equal((await attempt(app, RIGHT)).success, true)
  })

t.test('a malformed body does not count as a failure', async t => {
  const { app } = await countingHost(t, { throttle })
  await app.inject({ method: 'POST', url: '/auth/login', remoteAddress: ADDRESS, payload: 'x' })
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test("a rejection with the host's own message counts as a failure", async t => {
  const { app } = await countingHost(t, { throttle, checkCredentials: () => ({ error: 'Not today.' }) })
  t.equal((await attempt(app)).error, 'Not today.')
  t.equal((await attempt(app)).isBlocked, true)
})

for (const kind of ['address', 'username'])
  t.test(`a success does not clear the failures of the ${kind}`, async t => {
    const { app } = await countingHost(t, { throttle: { [kind]: { failures: 2, seconds: 60 } } })
    await attempt(app)
    await attempt(app, { ...RIGHT, ...(kind === 'username' && { address: '192.0.2.2' }) })
    await attempt(app)
    t.equal((await attempt(app)).isBlocked, true)
  })

const limit = { failures: 3, seconds: 60 }

for (const [kind, who, ends] of [
  ['usernameAndAddress', { username: 'ada' }, true],
  ['usernameAndAddress', { username: '\u00c1DA', address: ADDRESS }, true],
  ['usernameAndAddress', { address: ADDRESS }, false],
  ['usernameAndAddress', { username: 'bob' }, false],
  ['username', { username: 'Ada' }, true],
  ['username', { address: ADDRESS }, false],
  ['address', { address: ADDRESS }, true],
  ['address', { username: 'bob', address: ADDRESS }, true],
  ['address', { username: 'ada' }, false],
  ['address', { address: '192.0.2.2' }, false]
] as const)
  t.test(`unlock(${JSON.stringify(who)}) ${ends ? 'ends' : 'keeps'} a block by ${kind}`, async t => {
    const clock = stopClock(t)
    const { app, checks } = await countingHost(t, { throttle: { [kind]: limit } })
    for (const expected of ends ? [3, 6, 9] : [3, 3]) {
      await repeat(5, () => clock.during(attempt(app)))
      t.equal(checks(), expected)
      clock.tick(10)
      await app.screenAuth.unlock(who)
    }
    t.equal((await clock.during(attempt(app, RIGHT))).success, ends)
  })

t.test('an unlock of a username also unblocks its known networks', async t => {
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
  t.test(`an unlock applies to every server${isDown ? ', also to the failures of an outage' : ''}`, async t => {
    const clock = stopClock(t)
    let fails = isDown
    const shared = storeWith(memory => ({
      penalty: (key: string, points: number) =>
        fails ? Promise.reject(new Error('down')) : memory.penalty(key, points)
    }))
    const store = (options: FailureStoreOptions) => insuredStore(shared(options), options)
    const throttle = { store, username: limit }
    const [one, two] = [await countingHost(t, { throttle }), await countingHost(t, { throttle })]
    await repeat(3, () => attempt(one.app))
    t.equal((await attempt(one.app, RIGHT)).isBlocked, true)
    fails = false
    await clock.during(clock.sleep(2))
    await two.app.screenAuth.unlock({ username: 'ada' })
    t.equal((await clock.during(attempt(one.app, RIGHT))).success, true)
  })

t.test('unlock rejects an invalid argument and names the properties that it takes', async t => {
  const { app } = await countingHost(t)
  await app.ready()
  const wrong = [undefined, null, {}, 'ada', { username: 1 }, { name: 'ada' }, { address: '192.0.2.l' }]
  for (const who of wrong)
    await t.rejects(app.screenAuth.unlock(who as object), {
      code: 'FST_SCREEN_AUTH_INVALID_ANSWER',
      message: /unlock must be given \{ username, address \}/
    })
})
