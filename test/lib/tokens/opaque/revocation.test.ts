import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { bearerToken } from '../../../../lib/index.ts'
import { ADA, bearer, host, logIn } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { EVE, processWith, setUp, UNKNOWN } from './session-store.ts'

const DAY = 86_400

t.test('revoke ends one session in every process, and no other session of the user', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const other = processWith(store)
  const [one, two] = await Promise.all([issue(), issue()])
  await other.tokens.revoke(one)
  t.strictSame(await Promise.all([userOf(one), userOf(two), other.userOf(one)]), [null, ADA, null])
  await tokens.revoke(two)
  t.equal(await userOf(two), null)
})

t.test('revokeById ends a session in every process by its id, which is its key in the store', async t => {
  const { store, tokens, issue, userOf } = setUp({ cache: 60 })
  const other = processWith(store)
  const [one, two] = [await issue(), await issue()]
  await userOf(one)
  const id = tokens.idOf(one) as string
  t.ok(store.entries.has(`screen_auth_session:${id}`))
  t.equal(await userOf(id), null, 'the id is not a token')
  await other.tokens.revokeById(id)
  await tokens.revokeById(tokens.idOf(two) as string)
  t.strictSame(await Promise.all([one, two].map(other.userOf)), [null, null])
  t.equal(await userOf(two), null, 'at once in the process that ended it')
})

t.test('idOf returns null for a value that cannot be a token', async t => {
  const { tokens } = setUp()
  for (const nothing of [null, '', 'short', `${UNKNOWN}x`, 5, [UNKNOWN]] as string[])
    t.equal(tokens.idOf(nothing), null)
})

t.test(
  'a wrong argument of a revocation is a TypeError that names the right function, and ends no session of a user',
  async t => {
    const { store, tokens, issue, userOf } = setUp()
    const live = await issue()
    await Promise.all([tokens.revoke(null), tokens.revokeById(null)])
    const before = store.calls.length
    const wrong: [(value: string) => Promise<void>, unknown[], string][] = [
      [tokens.revoke, ['', 'ada', `${UNKNOWN}x`, undefined, [UNKNOWN]], 'revoke takes a token'],
      [tokens.revokeById, ['', 'ada', UNKNOWN, undefined, ['A'.repeat(43)]], 'revokeById takes the id of a session'],
      [tokens.revokeAll, ['', null, undefined, ADA, [UNKNOWN], live, tokens.idOf(live)], 'revokeAll takes a username']
    ]
    for (const [revoke, values, message] of wrong)
      for (const value of values) {
        const error = await revoke(value as string).catch(error => error)
        const hint = 'use revoke for a token, revokeById for an id, and revokeAll for a username'
        t.equal(error.message, `screen-auth: tokens.${message}; ${hint}`)
        t.match(error, { code: 'FST_SCREEN_AUTH_WRONG_ARGUMENT', statusCode: 400 })
        t.ok(error instanceof TypeError)
      }
    const ended = ['get session', 'get long', 'set generation 2147483000']
    t.strictSame(store.calls.slice(before), [...ended, ...ended])
    t.strictSame(await userOf(live), ADA)
  }
)

t.test('a username may look like a token or an id', async t => {
  const { tokens, issue, userOf } = setUp()
  for (const username of [UNKNOWN, UNKNOWN.slice(24)]) {
    const token = await issue({ username, displayName: 'Ada' })
    await tokens.revokeAll(username)
    t.equal(await userOf(token), null)
  }
})

t.test('revokeAll of a username that equals a live token or id rejects, but ends the sessions', async t => {
  const { tokens, issue, userOf } = setUp()
  const live = await issue(EVE)
  for (const username of [live, tokens.idOf(live) as string]) {
    const token = await issue({ username, displayName: 'Ada' })
    await t.rejects(tokens.revokeAll(username), { code: 'FST_SCREEN_AUTH_WRONG_ARGUMENT' })
    t.equal(await userOf(token), null)
  }
})

t.test('issue rejects sessions of more than 24 days if the store cannot keep entries for ten years', async t => {
  const { store, tokens, issue } = setUp()
  const { set } = store
  // Like Memcached, which reads more than 30 days as a date.
  store.set = (key, value, ttl) => set.call(store, key, value, ttl > 30 * DAY * 1000 ? 0 : ttl)
  const message = /the store cannot keep a value for ten years/
  await t.rejects(issue(ADA, { lifetime: 30 * DAY }), {
    code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED',
    cause: { message }
  })
  await t.resolves(issue(ADA, { lifetime: 24 * DAY }))
  await tokens.revokeAll('ada')
})

t.test('a host logs a user out with bearerToken and revoke', async t => {
  const { tokens } = setUp()
  const app = await host(t, { tokens })
  app.post('/auth/logout', async (request, reply) => {
    await tokens.revoke(bearerToken(request))
    return reply.code(204).send()
  })
  const { token } = (await logIn(app)).json()
  const logOut = () => app.inject({ method: 'POST', url: '/auth/logout', headers: bearer(token) })
  t.equal((await logOut()).statusCode, 204)
  t.equal((await logOut()).statusCode, 401)
})

for (const call of ['revoke', 'revokeAll'] as const) {
  t.test(`with a cache, ${call} takes effect immediately in its own process`, async t => {
    stopClock(t)
    const { tokens, issue, userOf, isCached } = setUp({ cache: 5 })
    const [token, eves] = [await issue(), await issue(EVE)]
    for (const each of [token, eves]) await userOf(each)
    await tokens[call](call === 'revoke' ? token : 'ada')
    t.equal(await userOf(token), null)
    t.ok(isCached(eves), 'and for no other user')
  })
}

t.test('revokeAll ends every session of one user in every process, and no later session', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const other = processWith(store)
  const [one, two, eves] = await Promise.all([issue(), issue(), issue(EVE)])
  await tokens.revokeAll('ada')
  t.strictSame(await Promise.all([one, two, eves].map(userOf)), [null, null, EVE])
  t.strictSame(await Promise.all([one, two, eves].map(other.userOf)), [null, null, EVE])

  const later = await issue()
  t.strictSame(await Promise.all([userOf(later), other.userOf(later)]), [ADA, ADA])
  await tokens.revokeAll('ada')
  t.strictSame(await Promise.all([userOf(later), other.userOf(later), userOf(one)]), [null, null, null])
})

for (const [what, maxLifetime, milliseconds] of [
  ['for 24 days', 100, 2_147_483_000],
  ['as long as the longest session, if that is longer', 9_000_000, 9_000_000_000]
] as const) {
  t.test(`the store keeps the mark of a revokeAll ${what}`, async t => {
    const { store, tokens } = setUp({ lifetime: 10, maxLifetime })
    await tokens.revokeAll('ada')
    t.strictSame(store.calls, ['get long', `set generation ${milliseconds}`])
  })
}

for (const held of [/^get .*generation/, /^set .*session/]) {
  t.test(`a session that revokeAll ended during its login never becomes valid: ${held}`, async t => {
    const clock = stopClock(t)
    const lifetime = 30 * DAY
    const { store, tokens, issue, userOf } = setUp({ lifetime })
    const release = store.hold(held)
    const login = issue()
    await setImmediate()
    await tokens.revokeAll('ada')
    clock.advance(1)
    release()
    const token = await login
    t.equal(await userOf(token), null)
    clock.advance(lifetime - 1)
    t.equal(await userOf(token), null)
  })
}

for (const order of ['before', 'during'] as const)
  t.test(`revokeAll ends for good a session longer than those of the service, issued ${order} it`, async t => {
    const clock = stopClock(t)
    const { store, tokens, issue, userOf } = setUp()
    const times = { lifetime: 300 * DAY }
    const release = order === 'during' ? store.hold(/^set .*session/) : () => {}
    const login = issue(ADA, times)
    if (order === 'before') await login
    await setImmediate()
    await tokens.revokeAll('ada')
    release()
    const token = await login
    const later = await issue(ADA, times)
    for (let days = 0; days < 299; days += 23) {
      clock.advance(23 * DAY)
      t.equal(await userOf(token), null)
    }
    clock.advance(-299 * DAY)
    t.strictSame(await userOf(later), ADA)
  })

t.test('a session issued after a revokeAll stays valid when the mark has expired in the store', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ lifetime: 20 * DAY })
  await tokens.revokeAll('ada')
  clock.advance(20 * DAY)
  const token = await issue()
  clock.advance(11 * DAY)
  const [generation] = [...store.entries.values()] as [{ ends: number }, ...unknown[]]
  t.ok(generation.ends < Date.now())
  t.strictSame(await userOf(token), ADA)
  await tokens.revokeAll('ada')
  t.equal(await userOf(token), null)
})
