import cluster from 'node:cluster'
import { createHash } from 'node:crypto'
import t from 'tap'
import { type OpaqueTokensOptions, opaqueTokens, type ScreenUser } from '../../../lib/index.ts'
import { stopClock } from '../../clock.ts'
import { ADA, bearer, collectWarnings, host, logIn } from '../../helpers.ts'
import { setUp, storeThat, TestStore, UNKNOWN } from './sessions.ts'

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

t.test('verify and verifyToken return a promise for any value', async t => {
  const { tokens, issue } = setUp()
  const app = await host(t, { tokens })
  await app.ready()
  for (const value of ['garbage', UNKNOWN, await issue(), 5 as unknown as string])
    for (const verify of [tokens.verify, app.screenAuth.verifyToken])
      t.ok((verify(value) as unknown) instanceof Promise, String(value))
})

t.test('the user of a token is frozen and has only a username and a display name', async t => {
  const { issue, userOf } = setUp()
  const user = await userOf(await issue({ ...ADA, role: 'admin' } as ScreenUser))
  t.ok(Object.isFrozen(user))
  t.strictSame(user, ADA)
})

t.test('issue rejects a value that is not a user', async t => {
  const message = /tokens.issue must be given a user/
  await t.rejects(setUp().tokens.issue({} as ScreenUser), { message })
})

for (const [name, wrong] of [
  ['issue', { issue: () => 'two words' }],
  ['verify', { verify: () => ({ username: '' }) as never }]
] as const) {
  t.test(`the result of a ${name} that a host has replaced is checked`, async t => {
    const app = await host(t, { tokens: { ...setUp().tokens, ...wrong } })
    await t.rejects(
      async () => app.screenAuth.verifyToken(await app.screenAuth.issueToken(ADA)),
      new RegExp(`tokens.${name} must return`)
    )
  })
}

t.test('logins ignore an `issue` that a host replaces after the start', async t => {
  const tokens = setUp().tokens
  const app = await host(t, { tokens })
  await app.ready()
  tokens.issue = async () => 'two words'
  t.match((await logIn(app)).json(), { success: true, token: /^[\w-]{67}$/ })
})

for (const verify of [() => null, async () => null]) {
  t.test(`a token for which the service of a host returns null is refused with 401: ${verify}`, async t => {
    const app = await host(t, { tokens: { issue: () => 'token', verify } })
    t.equal((await app.inject({ url: '/screen', headers: bearer('token') })).statusCode, 401)
    t.equal(await app.screenAuth.verifyToken('token'), null)
  })
}

t.test('an invalid option throws an error that names the option', async t => {
  const store = new TestStore()
  for (const [options, message] of [
    [null, /`opaqueTokens` must be an object with store, lifetime/],
    [{ store: new Map() }, /`opaqueTokens.store` must be redisStore\(client\)/],
    [{ store: { ...storeThat(() => {}), touch: undefined } }, /`opaqueTokens.store`/],
    [{ store, cache: 3 }, /`opaqueTokens.cache` is gone: each request reads its session/],
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

t.test('the smallest and the largest allowed options are accepted', async t => {
  const store = new TestStore()
  t.doesNotThrow(() => opaqueTokens({ store, lifetime: 1, maxLifetime: 1, timeout: 1 }))
  t.doesNotThrow(() => opaqueTokens({ store, lifetime: 34_560_000, maxLifetime: 34_560_000, timeout: 2_147_483 }))
})

t.test('sessions in memory cause a warning only in a process that has others beside it', async t => {
  const warnings = collectWarnings(t)
  opaqueTokens()
  t.intercept(cluster, 'isWorker', { value: true })
  opaqueTokens({ store: new TestStore() })
  t.strictSame(warnings, [])
  opaqueTokens()
  t.match(warnings, [/the sessions of `opaqueTokens` are in the memory of one process; set `store`/])
})
