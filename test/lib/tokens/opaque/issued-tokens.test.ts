import { createHash } from 'node:crypto'
import t from 'tap'
import { type OpaqueTokensOptions, opaqueTokens, type ScreenUser } from '../../../../lib/index.ts'
import { ADA, bearer, host, logIn } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { setUp, UNKNOWN } from './session-store.ts'

t.test('the guard accepts a token that a login has issued, and no other token', async t => {
  const app = await host(t, { tokens: setUp().tokens })
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

t.test('the store holds the hash of a token, the user and the times, and never the token', async t => {
  stopClock(t)
  const { store, issue } = setUp({ lifetime: 60 })
  const token = await issue()
  await issue(ADA, { lifetime: 60, maxLifetime: 90 })
  const [key, { value }] = [...store.entries][0] as [string, { value: unknown }]
  t.equal(key, `screen_auth_session:${createHash('sha256').update(token).digest('base64url')}`)
  const issued = Date.now()
  const expires = issued + 60_000
  t.strictSame(value, { ...ADA, issued, expires, generation: null })
  const own = { lifetime: 60_000, isOwn: true }
  t.strictSame([...store.entries.values()][1]?.value, {
    ...ADA,
    issued,
    expires: issued + 90_000,
    generation: null,
    ...own
  })
})

t.test('the keys of the store contain no username', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  clock.advance(5)
  await tokens.verify(token)
  await tokens.revokeAll('ada')
  t.equal(store.entries.size, 3)
  for (const key of store.entries.keys()) t.match(key, /^screen_auth_\w+:([\w-]{43}|[\w-]{24})$/)
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
  const store = new Map()
  const functions = { get() {}, set() {}, delete() {} }
  for (const [options, message] of [
    [undefined, /`opaqueTokens` must be an object with store, lifetime/],
    [{}, /`opaqueTokens.store` must be a Keyv/],
    [{ store: { ...functions, delete: undefined } }, /`opaqueTokens.store` must be a Keyv/],
    [{ store: { ...functions, onChange: true } }, /`opaqueTokens.store` must have a function `onChange`/],
    [{ store: { ...functions, onChange() {}, ping: 1 } }, /`opaqueTokens.store` must have a function `ping`/],
    [{ store, lifetime: 0 }, /`opaqueTokens.lifetime` must be a whole number of seconds/],
    [{ store, lifetime: '60' }, /`opaqueTokens.lifetime`/],
    [{ store, lifetime: 60, maxLifetime: 59 }, /`opaqueTokens.maxLifetime` must be .* `lifetime` or more/],
    [{ store, maxLifetime: '90000' }, /`opaqueTokens.maxLifetime`/],
    [{ store, cache: -1 }, /`opaqueTokens.cache` must be a whole number of seconds from 0 to 2147483/],
    [{ store, cache: 2_147_484 }, /`opaqueTokens.cache`/],
    [{ store, timeout: 0 }, /`opaqueTokens.timeout` must be .* at most 2147483/],
    [{ store, timeout: 2_147_484 }, /`opaqueTokens.timeout`/],
    [{ store, lifetim: 60 }, /`opaqueTokens` has no setting `lifetim`/]
  ] as [OpaqueTokensOptions, RegExp][]) {
    t.throws(() => opaqueTokens(options), { code: 'FST_SCREEN_AUTH_INVALID_OPTION', message })
  }
})

t.test('the smallest and the largest allowed options are accepted', async t => {
  const allowed = { store: new Map(), lifetime: 60, maxLifetime: 60, cache: 0, timeout: 2_147_483 }
  t.doesNotThrow(() => opaqueTokens(allowed))
})
