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
  t.strictSame(await Promise.all([userOf(one), userOf(two), other.userOf(one)]), [ADA, ADA, ADA])
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

t.test('revoke does nothing for a token that was never issued', async t => {
  const { store, tokens } = setUp()
  await tokens.revoke(UNKNOWN)
  t.equal(store.entries.size, 0)
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
  t.test(`a session that ${call} ends during a request is not cached by that request`, async t => {
    const { store, tokens, issue, userOf } = setUp({ cache: 60 })
    const token = await issue()
    const release = store.hold(/^get .*session/)
    const verifying = userOf(token)
    await setImmediate()
    await tokens[call](call === 'revoke' ? token : 'ada')
    release()
    await verifying
    t.equal(await userOf(token), null)
  })

  t.test(`with a cache, ${call} takes effect immediately in its own process`, async t => {
    stopClock(t)
    const { tokens, issue, userOf } = setUp({ cache: 5 })
    const token = await issue()
    await userOf(token)
    await tokens[call](call === 'revoke' ? token : 'ada')
    t.equal(await userOf(token), null)
  })

  t.test(`with a cache, ${call} takes effect in other processes once their cache is over`, async t => {
    const clock = stopClock(t)
    const { store, tokens, issue } = setUp({ cache: 5 })
    const other = processWith(store, { cache: 5 })
    const token = await issue()
    await other.userOf(token)
    await tokens[call](call === 'revoke' ? token : 'ada')
    clock.advance(4.999)
    t.strictSame(await other.userOf(token), ADA)
    clock.advance(0.001)
    t.equal(await other.userOf(token), null)
  })

  t.test(`${call} leaves other users in the cache`, async t => {
    stopClock(t)
    const { store, tokens, issue, userOf } = setUp({ cache: 5 })
    const [token, eves] = await Promise.all([issue(), issue(EVE)])
    await Promise.all([userOf(token), userOf(eves)])
    await tokens[call](call === 'revoke' ? token : 'ada')
    const asked = store.calls.length
    t.strictSame(tokens.verify(eves, null), EVE)
    t.equal(store.calls.length, asked)
  })
}
