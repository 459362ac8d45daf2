import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { stopClock } from '../../clock.ts'
import { ADA, collectWarnings } from '../../helpers.ts'
import { EVE, processWith, setUp, UNKNOWN } from './sessions.ts'

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

t.test('revokeById ends a session in every process by its id, which is no token', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const other = processWith(store)
  const token = await issue()
  const id = tokens.idOf(token) as string
  t.equal(await userOf(id), null)
  await other.tokens.revokeById(id)
  t.strictSame(await Promise.all([userOf(token), other.userOf(token)]), [null, null])
})

t.test('idOf returns null for null and for text that cannot be a token', async t => {
  const { tokens } = setUp()
  for (const nothing of [null, '', 'short', `${UNKNOWN}x`]) t.equal(tokens.idOf(nothing), null)
})

t.test('without await, a wrong argument ends no process, and is told once', async t => {
  const warnings = collectWarnings(t)
  const unhandled: unknown[] = []
  const listener = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', listener)
  t.teardown(() => process.off('unhandledRejection', listener))
  const { tokens } = setUp()
  for (const revoke of [tokens.revoke, tokens.revoke, tokens.revokeAll]) revoke('')
  await setImmediate()
  t.strictSame(unhandled, [])
  t.match(warnings, [/a revocation failed.*revoke takes a token/, /a revocation failed.*revokeAll takes a username/])
  t.equal(warnings.length, 2)
})

t.test('a wrong argument of a revocation is a TypeError that names the right function', async t => {
  const { tokens, issue, userOf } = setUp()
  const live = await issue()
  const id = tokens.idOf(live)
  const wrong: [(value: string) => Promise<void>, unknown[], string][] = [
    [tokens.revoke, ['', 'ada', `${UNKNOWN}x`, undefined, [UNKNOWN], id], 'revoke takes a token'],
    [tokens.revokeById, [5, ADA, undefined, [id], live], 'revokeById takes an id'],
    [tokens.revokeAll, ['', null, undefined, ADA, [UNKNOWN], UNKNOWN, live, id], 'revokeAll takes a username']
  ]
  for (const [revoke, values, message] of wrong)
    for (const value of values) {
      const error = await revoke(value as string).catch(error => error)
      const hint = 'use revoke for a token, revokeById for an id, and revokeAll for a username'
      t.equal(error.message, `screen-auth: tokens.${message}; ${hint}`)
      t.match(error, { code: 'FST_SCREEN_AUTH_WRONG_ARGUMENT', statusCode: 400 })
      t.ok(error instanceof TypeError)
    }
  t.strictSame(await userOf(live), ADA)
})

t.test('idOf returns null for a request or a whole header, and says so once', async t => {
  const warnings = collectWarnings(t)
  for (const wrong of [undefined, 5, {}, [UNKNOWN], `Bearer ${UNKNOWN}`])
    t.equal(setUp().tokens.idOf(wrong as string), null)
  t.match(warnings, [/^screen-auth: tokens.idOf got a value that is no token/])
})

t.test('null, and text that cannot be an id, have no session to revoke', async t => {
  const { store, tokens } = setUp()
  await Promise.all([tokens.revoke(null), ...[null, '', 'ada', `${UNKNOWN}x`].map(tokens.revokeById)])
  t.strictSame(store.calls, [])
})

t.test('a username may look like an id', async t => {
  const { tokens, issue, userOf } = setUp()
  const username = tokens.idOf(UNKNOWN) as string
  const token = await issue({ username, displayName: 'Ada' })
  await tokens.revokeAll(username)
  t.equal(await userOf(token), null)
})

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

t.test('a revokeAll outlives the longest session by 30 days, whatever the lifetimes of its process', async t => {
  const clock = stopClock(t)
  const { store, tokens } = setUp({ lifetime: 10 })
  const other = processWith(store, { lifetime: 400 * DAY })
  const token = await other.issue()
  t.strictSame(await store.callsDuring(() => tokens.revokeAll('ada')), [`set generation ${430 * DAY * 1000}`])
  clock.tick(400 * DAY - 0.001)
  t.equal(await other.userOf(token), null)
})

t.test('a session goes on when the store has dropped an old generation', async t => {
  const clock = stopClock(t)
  const { tokens, issue, userOf } = setUp()
  await tokens.revokeAll('ada')
  clock.tick(429.5 * DAY)
  const token = await issue()
  clock.tick(0.9 * DAY)
  t.strictSame(await userOf(token), ADA)
})

for (const held of [/^get generation/, /^set session/])
  t.test(`a session whose login overlaps a revokeAll is valid or not, and stays so: ${held}`, async t => {
    const clock = stopClock(t)
    const { store, tokens, issue, userOf } = setUp({ lifetime: 30 * DAY })
    const release = store.hold(held)
    const login = issue()
    await setImmediate()
    await tokens.revokeAll('ada')
    release()
    const token = await login
    for (const days of [0, 1, 28]) {
      clock.tick(days * DAY)
      t.equal(await userOf(token), null)
    }
  })

t.test('a renewal that arrives after a revocation does not restore the session', async t => {
  const { store, tokens, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  const release = store.hold(/^touch/)
  t.strictSame(await userOf(token), ADA)
  await tokens.revoke(token)
  release()
  await setImmediate()
  t.equal(await userOf(token), null)
})
