import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { type OpaqueTokensOptions, opaqueTokens, type ScreenUser } from '../../../lib/index.ts'
import { stopClock } from '../../clock.ts'
import { ADA, bearer, collectLog, collectWarnings, host, logIn, throwing } from '../../helpers.ts'
import { together } from '../limits/attempts.ts'
import { FAILED, processWith, setUp, storeThat, TestStore, UNKNOWN } from './sessions.ts'

t.test('the guard accepts a token that a login has issued, and no other token', async t => {
  const app = await host(t, { tokens: opaqueTokens() })
  const { token } = (await logIn(app)).json()
  t.strictSame((await app.inject({ url: '/screen', headers: bearer(token) })).json(), ADA)
  const other = token.replace(/^./, token.startsWith('A') ? 'B' : 'A')
  for (const wrong of [UNKNOWN, other, 'short', `${token}A`, token.slice(1)])
    t.equal((await app.inject({ url: '/screen', headers: bearer(wrong) })).statusCode, 401, wrong)
})

t.test("a token consists of a part of the username's hash and 256 random bits, in Base64url", async t => {
  const { issue } = setUp()
  const issued = await Promise.all(Array.from({ length: 100 }, () => issue()))
  const owner = createHash('sha256').update(ADA.username).digest('base64url').slice(0, 24)
  t.ok(issued.every(token => token.startsWith(owner)))
  const random = issued.map(token => token.slice(owner.length))
  t.equal(new Set(random).size, 100)
  t.ok(random.every(text => /^[\w-]{43}$/.test(text)))
  t.equal(new Set(random.join('')).size, 64, 'all characters occur')
})

t.test('the store holds the id, the user and the times of a session, and no token', async t => {
  stopClock(t)
  const { store, tokens, issue } = setUp({ lifetime: 60 })
  const token = await issue()
  await issue(ADA, { lifetime: 60, maxLifetime: 90 })
  await tokens.revokeAll('ada')
  const [one, two, generation] = [...store.entries]
  const id = createHash('sha256').update(token).digest('base64url')
  t.equal(id, tokens.idOf(token))
  const issued = Date.now()
  const session = { ...ADA, id, issued, expires: issued + 60_000, isOwn: false, generation: null }
  t.strictSame(one, [`screen_auth_opaque:${id}`, { value: session, ends: issued + 60_000 }])
  t.match(two?.[1].value, { expires: issued + 90_000, lifetime: 60_000, isOwn: true })
  t.match(generation?.[0], /^screen_auth_opaque:generation:[\w-]{24}$/)
  t.notMatch(JSON.stringify([...store.entries]), token)
})

t.test('a verification reads two values at once, and needs no other call', async t => {
  const { store, issue, userOf } = setUp()
  const token = await issue()
  const release = store.hold(/^get/)
  const reads = await store.callsDuring(() => void userOf(token))
  t.strictSame(reads, ['get generation', 'get session'])
  release()
})

t.test('text that cannot be a token is refused without a call to the store', async t => {
  const { store, userOf } = setUp()
  for (const text of ['', 'x', 'A'.repeat(66), 'A'.repeat(68), `${'A'.repeat(66)}=`, `${'A'.repeat(66)}\n`])
    t.equal(await userOf(text), null)
  t.strictSame(store.calls, [])
})

t.test('the user of a token is frozen and has only a username and a display name', async t => {
  const { issue, userOf } = setUp()
  const user = await userOf(await issue({ ...ADA, role: 'admin' } as ScreenUser))
  t.ok(Object.isFrozen(user))
  t.strictSame(user, ADA)
})

t.test('the results of functions that a host has replaced are checked', async t => {
  const wrong = { issue: () => 'two words', verify: () => ({ username: '' }) as never }
  const app = await host(t, { tokens: { ...setUp().tokens, ...wrong } })
  await t.rejects(async () => app.screenAuth.issueToken(ADA), /tokens.issue must return/)
  t.equal(await app.screenAuth.verifyToken(UNKNOWN), null)
})

t.test('an invalid option throws an error that names the option', async t => {
  const store = new TestStore()
  for (const [options, message] of [
    [null, /`opaqueTokens` must be a plain object with store, lifetime/],
    [store, /`opaqueTokens` must be a plain object/],
    [{ store: new Map() }, /`opaqueTokens.store` must be redisStore\(client, { prefix }\)/],
    [{ store: { ...storeThat(() => {}), touch: undefined } }, /`opaqueTokens.store`/],
    [{ store, cache: 3 }, /`opaqueTokens` has no setting `cache`/],
    [{ store, lifetime: 0 }, /`opaqueTokens.lifetime` must be a whole number of seconds/],
    [{ store, lifetime: '60' }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: 34_560_001 }, /`opaqueTokens.lifetime` must be .* at most 400 days/],
    [{ store, lifetime: 60, maxLifetime: 59 }, /`opaqueTokens.maxLifetime` must be .* `lifetime` or more/],
    [{ store, maxLifetime: '90000' }, /`opaqueTokens.maxLifetime`/],
    [{ store, maxLifetime: 34_560_001 }, /`opaqueTokens.maxLifetime` must be .* at most 400 days/],
    [{ store, timeout: 0 }, /`opaqueTokens.timeout` must be .* at most 2147483/],
    [{ store, timeout: 2_147_484 }, /`opaqueTokens.timeout`/],
    [{ store, lifetim: 60 }, /`opaqueTokens` has no setting `lifetim`/]
  ] as [OpaqueTokensOptions, RegExp][]) {
    t.throws(() => opaqueTokens(options), { code: 'FST_SCREEN_AUTH_INVALID_OPTION', message })
  }
})

const memory = opaqueTokens()
const issuing = opaqueTokens()
await issuing.issue(ADA)
const inner = opaqueTokens()
const outer = { issue: (user: ScreenUser) => inner.issue(user), verify: (token: string) => inner.verify(token) }
for (const [isTold, what, service, tokens] of [
  [false, 'is the one of the plugin', memory, memory],
  [false, 'is inside the one of the plugin', inner, outer],
  [false, 'has issued a token', issuing, undefined],
  [false, 'shares a store', setUp().tokens, undefined],
  [true, 'is unknown to the plugin', opaqueTokens(), undefined]
] as const)
  t.test(`a revocation by a service that ${what} is ${isTold ? 'told once' : 'no mistake'}`, async t => {
    const warnings = collectWarnings(t)
    const app = await host(t, { tokens })
    await app.inject({ url: '/screen', headers: bearer(UNKNOWN) })
    for (let i = 0; i < 2; i++) await service.revoke(UNKNOWN)
    const told = warnings.map(text => /`opaqueTokens\(\)`.* the one (that|of) the plugin/.test(text))
    t.strictSame(told, isTold ? [true] : [])
  })

// A store that fails.

/** Waits for the turn in which time limits begin, and for the turn in which they end. */
async function pass(clock: ReturnType<typeof stopClock>, ms: number): Promise<void> {
  await setImmediate()
  clock.tick(ms / 1000)
  await setImmediate()
}

const reject = () => Promise.reject(new Error('redis://user:hunter2@down'))
const unavailable = { statusCode: 503, headers: { 'retry-after': /^\d+$/ } }

for (const [failure, fail] of Object.entries({
  'rejects a call': reject,
  'throws an error': throwing('down')
})) {
  t.test(`guarded routes and logins respond 503 with Retry-After while the store ${failure}`, async t => {
    const { store, tokens } = setUp()
    const log = collectLog()
    const app = await host(t, { tokens }, log)
    const { token } = (await logIn(app)).json()
    store.get = fail
    for (const sent of [token, UNKNOWN])
      t.match(await app.inject({ url: '/screen', headers: bearer(sent) }), unavailable)
    t.match(await logIn(app), unavailable)
    store.get = TestStore.prototype.get
    store.set = fail
    t.match(await logIn(app), unavailable)
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200, 'and then good again')
    t.match(log.text(), /the store of the tokens failed/)
    t.notMatch(log.text(), token)
  })
}

t.test('a handler whose revocation fails responds 503 with Retry-After', async t => {
  const { store, tokens } = setUp()
  const app = await host(t, { tokens })
  app.post('/revoke', { config: { screenAuth: false } }, async () => tokens.revoke(UNKNOWN))
  app.post('/revoke-all', { config: { screenAuth: false } }, async () => tokens.revokeAll('ada'))
  store.delete = store.set = reject
  await t.rejects(tokens.revokeAll('ada'), { code: FAILED, cause: { message: /hunter2/ } })
  for (const url of ['/revoke', '/revoke-all']) {
    const response = await app.inject({ method: 'POST', url })
    t.match(response, unavailable)
    t.notMatch(response.body, /hunter2/)
  }
})

t.test('a session whose values can no longer be read is revoked', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const token = await issue()
  store.get = reject
  await tokens.revoke(token)
  store.get = TestStore.prototype.get
  t.equal(await userOf(token), null)
})

for (const [timeout, seconds] of [
  [undefined, 2],
  [7, 7]
] as const) {
  t.test(`calls to a silent store time out after ${seconds} s with timeout ${timeout}`, async t => {
    const clock = stopClock(t)
    const { tokens } = processWith(
      storeThat(() => new Promise(() => {})),
      { timeout }
    )
    const calls: Promise<unknown>[] = [
      tokens.issue(ADA),
      tokens.verify(UNKNOWN),
      tokens.revoke(UNKNOWN),
      tokens.revokeAll('ada')
    ]
    let settled = 0
    for (const call of calls) call.finally(() => settled++).catch(() => {})
    await pass(clock, seconds * 1000 - 1)
    t.equal(settled, 0)
    await pass(clock, 1)
    const message = new RegExp(`took longer than ${seconds} s$`)
    for (const call of calls) await t.rejects(call, { code: FAILED, message })
  })
}

t.test('a store that fails after its timeout causes no unhandled rejection', async t => {
  const clock = stopClock(t)
  let fail!: (error: Error) => void
  const never = new Promise((_, reject) => (fail = reject))
  const { userOf } = processWith(
    storeThat(() => never),
    { timeout: 1 }
  )
  const verifying = userOf(UNKNOWN)
  const rejected = t.rejects(verifying)
  await pass(clock, 1000)
  await rejected
  fail(new Error('late'))
  await setImmediate()
})

t.test('at most 1,000 tokens wait for the store, and then further ones again', async t => {
  const { store, issue, userOf } = setUp()
  const token = await issue()
  const release = store.hold(/^get/)
  const waiting = together(1_000, () => userOf(token))
  const calls = await store.callsDuring(() => t.rejects(userOf(token), { code: FAILED, message: /1000 reads/ }))
  t.strictSame(calls, [])
  release()
  t.strictSame(await waiting, Array(1_000).fill(ADA))
  t.strictSame(await userOf(token), ADA)
})

t.test('a store may return undefined for no value', async t => {
  const { issue, userOf } = processWith(storeThat(() => undefined))
  t.equal(await userOf(await issue()), null)
})

t.test('a value that is not the session of the token is an error', async t => {
  const { store, issue, userOf } = setUp()
  const [token, other] = [await issue(), await issue()]
  const [key = ''] = [...store.entries.keys()]
  const [value, another] = [...store.entries.values()].map(({ value }) => value as object)
  const wrong = ['[object Object]', 0, false, {}, another, { ...value, username: '' }, { ...value, displayName: 1 }]
  for (const value of wrong) {
    store.entries.set(key, { value, ends: Infinity })
    await t.rejects(userOf(token), {
      code: 'FST_SCREEN_AUTH_INVALID_ANSWER',
      message: /the store of the tokens must return the values that were set/
    })
  }
  t.strictSame(await userOf(other), ADA)
})
