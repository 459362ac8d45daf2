import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { bearerToken } from '../../../../lib/index.ts'
import { ADA, bearer, host, logIn } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { EVE, processWith, setUp, UNKNOWN } from './session-store.ts'

t.test('revoke ends one session in every process, and no other session of the user', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const other = processWith(store)
  const [one, two] = await Promise.all([issue(), issue()])
  await other.tokens.revoke(one)
  t.strictSame(await Promise.all([userOf(one), userOf(two), other.userOf(one)]), [null, ADA, null])
  await tokens.revoke(two)
  t.equal(await userOf(two), null)
})

t.test('revoke does nothing for a value that cannot be a token', async t => {
  const { store, tokens } = setUp()
  for (const nothing of [null, '', 'short', `${UNKNOWN}x`]) await tokens.revoke(nothing)
  t.strictSame(store.calls, [])
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
    const { tokens, issue, userOf, remembers } = setUp({ cache: 5 })
    const [token, eves] = [await issue(), await issue(EVE)]
    for (const each of [token, eves]) await userOf(each)
    await tokens[call](call === 'revoke' ? token : 'ada')
    t.equal(await userOf(token), null)
    t.ok(remembers(eves), 'and for no other user')
  })
}

const DAY = 86_400

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
  ['for 24 days', 100, 2_073_600_000],
  ['as long as the longest session, if that is longer', 9_000_000, 9_000_000_000]
] as const) {
  t.test(`the store keeps the mark of a revokeAll ${what}`, async t => {
    const { store, tokens } = setUp({ lifetime: 10, maxLifetime })
    await tokens.revokeAll('ada')
    t.strictSame(store.calls, [`set generation ${milliseconds}`])
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

t.test('a session from after a revokeAll is valid even when the store has dropped the mark', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ lifetime: 30 * DAY })
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
