import { setImmediate } from 'node:timers/promises'
import v8 from 'node:v8'
import t, { type Test } from 'tap'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, setUp, UNKNOWN } from './session-store.ts'

t.test('without a cache every request asks the store', async t => {
  const { store, issue, userOf } = setUp()
  const token = await issue()
  for (let i = 0; i < 3; i++)
    t.strictSame(await store.callsDuring(() => userOf(token)), ['get session', 'get generation'])
})

t.test('the first request of a token asks the store everything at once', async t => {
  const { store, issue, userOf } = setUp({ maxLifetime: 1e6 })
  const token = await issue()
  const release = store.hold(/^get/)
  const asked = await store.callsDuring(() => {
    userOf(token)
    return setImmediate()
  })
  t.strictSame(asked, ['get session', 'get last_use', 'get generation'])
  release()
})

t.test('with a cache a known token is valid for so many seconds without asking the store', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ cache: 5 })
  const token = await issue()
  await userOf(token)
  clock.advance(4.999)
  t.strictSame(tokens.verify(token), ADA, 'without a promise')
  clock.advance(0.001)
  t.strictSame(await store.callsDuring(() => userOf(token)), ['get session', 'get generation'])
})

t.test('without maxLifetime the cache is used for its whole time', async t => {
  const clock = stopClock(t)
  const { issue, userOf, remembers } = setUp({ lifetime: 100, cache: 90 })
  const token = await issue()
  await userOf(token)
  clock.advance(80)
  t.ok(remembers(token))
})

t.test('a use that renews a token asks the store, and the cache serves the uses between', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 20, maxLifetime: 1000, cache: 20 })
  const token = await issue()
  for (let seconds = 1; seconds <= 60; seconds++) {
    clock.advance(1)
    t.strictSame(await userOf(token), ADA, `after ${seconds} seconds`)
  }
  t.equal(store.calls.filter(call => call.startsWith('set last_use')).length, 30, 'one every two seconds')
  t.equal(store.calls.filter(call => call === 'get session').length, 31, 'the first use and the renewals')
})

t.test('the time in the cache starts when the store is asked, not when it responds', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ cache: 5 })
  const token = await issue()
  const release = store.hold(/^get/)
  const slow = userOf(token)
  await setImmediate()
  clock.advance(4)
  release()
  await slow
  await processWith(store).tokens.revoke(token)
  clock.advance(0.999)
  t.strictSame(await userOf(token), ADA)
  clock.advance(0.001)
  t.equal(await userOf(token), null)
})

t.test('a refused token is not cached', async t => {
  const { userOf, remembers } = setUp({ cache: 60 })
  await userOf(UNKNOWN)
  t.notOk(remembers(UNKNOWN))
})

/** Sessions in a heap that has room for two of them. */
function setUpSmall(t: Test) {
  stopClock(t)
  t.intercept(v8, 'getHeapStatistics', { value: () => ({ heap_size_limit: 2 * 700 * 10 }) })
  return setUp({ cache: 60 })
}

t.test('sessions take a tenth of the heap at most: the one not used for longest is forgotten', async t => {
  const { issue, userOf, remembers } = setUpSmall(t)
  const [first, second, third] = [await issue(), await issue(), await issue()]
  for (const token of [first, second, first, third]) await userOf(token)
  t.strictSame([first, third, second].map(remembers), [true, true, false])
})

t.test('of a session that was forgotten nothing is kept, nor of a user who has none', async t => {
  const maps: Map<unknown, unknown>[] = []
  const NotedMap = class extends Map {
    number = maps.push(this)
  }
  t.intercept(globalThis, 'Map', { value: NotedMap })
  const { store, issue, userOf } = setUpSmall(t)
  for (const username of ['ada', 'ada', 'bob', 'cid', 'dan']) await userOf(await issue({ username, displayName: '' }))
  const kept = maps.filter(map => map !== store.entries)
  t.ok(kept.length > 0 && kept.every(({ size }) => size <= 2))
})

t.test('tokens that are refused push out no session', async t => {
  const { issue, userOf, remembers } = setUpSmall(t)
  const token = await issue()
  await userOf(token)
  for (const letter of 'ABC') await userOf(letter.repeat(67))
  t.ok(remembers(token))
})
