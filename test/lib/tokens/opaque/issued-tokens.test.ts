import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { ScreenUser } from '../../../../lib/index.ts'
import { ADA, bearer, host, logIn } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, setUp, UNKNOWN } from './session-store.ts'

t.test('a login issues a token that the guard accepts', async t => {
  const app = await host(t, { tokens: setUp().tokens })
  const { token } = (await logIn(app)).json()
  t.strictSame((await app.inject({ url: '/screen', headers: bearer(token) })).json(), ADA)
})

t.test('a token that no login has issued is refused with 401', async t => {
  const app = await host(t, { tokens: setUp().tokens })
  const { token } = (await logIn(app)).json()
  const other = token.replace(/^./, token.startsWith('A') ? 'B' : 'A')
  for (const wrong of [UNKNOWN, other, 'short', `${token}A`, token.slice(1)])
    t.equal((await app.inject({ url: '/screen', headers: bearer(wrong) })).statusCode, 401, wrong)
})

t.test('a token is part of the hash of the username, and 256 random bits, in Base64url', async t => {
  const { issue } = setUp()
  const issued = await Promise.all(Array.from({ length: 100 }, () => issue()))
  const owner = createHash('sha256').update(ADA.username).digest('base64url').slice(0, 24)
  t.ok(issued.every(token => token.startsWith(owner)))
  const tokens = issued.map(token => token.slice(owner.length))
  t.equal(new Set(tokens).size, 100)
  t.ok(tokens.every(token => /^[\w-]{43}$/.test(token)))
  t.ok(tokens.every(token => Buffer.from(token, 'base64url').length === 32))
  const characters = new Set(tokens.join(''))
  t.equal(characters.size, 64)
})

t.test('a token that one process issued is valid in every process with the same store', async t => {
  const { store, issue } = setUp()
  const other = processWith(store)
  t.strictSame(await other.userOf(await issue()), ADA)
})

t.test('two simultaneous logins create two sessions, each of which can be revoked alone', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const release = store.hold(/^get/)
  const logins = [issue(), issue()]
  await setImmediate()
  release()
  const [one, two] = (await Promise.all(logins)) as [string, string]
  t.strictSame(await Promise.all([userOf(one), userOf(two)]), [ADA, ADA])
  await tokens.revoke(one)
  t.strictSame(await Promise.all([userOf(one), userOf(two)]), [null, ADA])
})

t.test('the store holds the hash of a token, the user and the times, and never the token', async t => {
  stopClock(t)
  const { store, issue } = setUp({ lifetime: 60 })
  const token = await issue()
  const [key, { value }] = [...store.entries][0] as [string, { value: unknown }]
  t.equal(key, `screen_auth_session:${createHash('sha256').update(token).digest('base64url')}`)
  const issued = Date.now()
  t.strictSame(value, { ...ADA, issued, expires: issued + 60_000, generation: null })
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

t.test('text that cannot be a token is refused without asking the store', async t => {
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
  const { tokens } = setUp()
  await t.rejects(tokens.issue({} as ScreenUser), {
    message: /tokens.issue must be given a user/
  })
})

for (const [name, wrong] of [
  ['issue', { issue: () => 'two words' }],
  ['verify', { verify: () => ({ username: '' }) as never }]
] as const) {
  t.test(
    `when a host replaces ${name}, what it returns is checked, as that of any service of a host`,
    async t => {
      const { tokens } = setUp()
      const app = await host(t, { tokens: { ...tokens, ...wrong } })
      await t.rejects(
        async () => app.screenAuth.verifyToken(await app.screenAuth.issueToken(ADA)),
        new RegExp(`tokens.${name} must return`)
      )
    }
  )
}

for (const verify of [() => null, async () => null]) {
  t.test(`a token for which the service of a host returns null is refused with 401: ${verify}`, async t => {
    const app = await host(t, { tokens: { issue: () => 'token', verify } })
    t.equal((await app.inject({ url: '/screen', headers: bearer('token') })).statusCode, 401)
    t.equal(await app.screenAuth.verifyToken('token'), null)
  })
}
