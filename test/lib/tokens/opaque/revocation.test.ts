import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { bearerToken, type ScreenUser } from '../../../../lib/index.ts'
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

const DAY = 86_400

t.test('revokeAll ends every session of one user in every process, and no later session', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const other = processWith(store)
  const [one, two, eves] = await Promise.all([issue(), issue(), issue(EVE)])
  await userOf(one)
  await other.userOf(one)
  await tokens.revokeAll('ada')
  t.strictSame(await Promise.all([one, two, eves].map(userOf)), [null, null, EVE])
  t.strictSame(await Promise.all([one, two, eves].map(other.userOf)), [null, null, EVE])

  const later = await issue()
  t.strictSame(await Promise.all([userOf(later), other.userOf(later)]), [ADA, ADA])
  await tokens.revokeAll('ada')
  t.strictSame(await Promise.all([userOf(later), other.userOf(later), userOf(one)]), [null, null, null])
})

t.test('revokeAll ends also sessions of a process with a longer lifetime', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 20 * DAY })
  const token = await issue()
  await processWith(store, { lifetime: 1 }).tokens.revokeAll('ada')
  clock.advance(19 * DAY)
  t.equal(await userOf(token), null)
})

t.test('the store keeps the mark of a revokeAll for 24 days', async t => {
  const { store, tokens } = setUp({ lifetime: 10, maxLifetime: 100 })
  await tokens.revokeAll('ada')
  t.strictSame(store.calls, ['set generation 2073600000'])
})

t.test(
  'the store keeps the mark of a revokeAll as long as the longest session, if that is longer',
  async t => {
    const { store, tokens } = setUp({ lifetime: 10, maxLifetime: 9_000_000 })
    await tokens.revokeAll('ada')
    t.strictSame(store.calls, ['set generation 9000000000'])
  }
)

t.test('a session that revokeAll ended during its login never becomes valid', async t => {
  const clock = stopClock(t)
  const lifetime = 30 * DAY
  const { store, tokens, issue, userOf } = setUp({ lifetime })
  const release = store.hold(/^get .*generation/)
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

t.test('a session that is stored after a revokeAll, but began before it, is ended', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const release = store.hold(/^set .*session/)
  const login = issue()
  await setImmediate()
  await tokens.revokeAll('ada')
  release()
  t.equal(await userOf(await login), null)
})

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

t.test('whatever the order of logins and revocations, exactly the revoked sessions are over', async t => {
  stopClock(t)
  const step = fc.oneof(
    fc.record({ do: fc.constant('login' as const), user: fc.constantFrom(ADA, EVE) }),
    fc.record({ do: fc.constant('revoke' as const), which: fc.nat(20) }),
    fc.record({ do: fc.constant('revokeAll' as const), user: fc.constantFrom(ADA, EVE) }),
    fc.record({ do: fc.constant('use' as const), which: fc.nat(20) })
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(1), async (steps, cache) => {
      const times = { lifetime: 50, maxLifetime: 100 }
      const store = new Map()
      // A session may be known to processes other than the one that ends it.
      const others = [processWith(store, times).tokens, processWith(store, times).tokens]
      const cached = processWith(store, { ...times, cache }).tokens
      const sessions: { token: string; user: ScreenUser; isOn: boolean }[] = []
      for (const step of steps) {
        const session = 'which' in step ? sessions[step.which % sessions.length] : undefined
        if (step.do === 'login')
          sessions.push({ token: await cached.issue(step.user), user: step.user, isOn: true })
        else if (step.do === 'use' && session) await cached.verify(session.token)
        else if (step.do === 'revoke' && session) {
          await cached.revoke(session.token)
          session.isOn = false
        } else if (step.do === 'revokeAll') {
          await cached.revokeAll(step.user.username)
          for (const one of sessions) if (one.user === step.user) one.isOn = false
        }
        for (const { token, user, isOn } of sessions)
          for (const service of [...others, cached])
            assert.equal((await service.verify(token)) !== null, isOn, user.username)
      }
    }),
    { numRuns: 50 }
  )
})
