import { setImmediate } from 'node:timers/promises'
import v8 from 'node:v8'
import t, { type Test } from 'tap'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, setUp, UNKNOWN } from './session-store.ts'

t.test('every request reads from the store without a cache', async t => {
  const { store, issue, userOf } = setUp()
  const token = await issue()
  for (let i = 0; i < 3; i++)
    t.strictSame(await store.callsDuring(() => userOf(token)), ['get session', 'get generation'])
})

t.test('the first request of a token reads all keys in parallel', async t => {
  const { store, issue, userOf } = setUp({ maxLifetime: 1e6 })
  const token = await issue()
  const release = store.hold(/^get/)
  const calls = await store.callsDuring(() => {
    userOf(token)
    return setImmediate()
  })
  t.strictSame(calls, ['get session', 'get last_use', 'get generation'])
  release()
})

t.test('a cached token is valid for `cache` seconds without a read from the store', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ cache: 5 })
  const token = await issue()
  await userOf(token)
  clock.advance(4.999)
  t.strictSame(tokens.verify(token), ADA, 'without a promise')
  clock.advance(0.001)
  t.strictSame(await store.callsDuring(() => userOf(token)), ['get session', 'get generation'])
})

t.test('a session without maxLifetime stays cached for the whole `cache` time', async t => {
  const clock = stopClock(t)
  const { issue, userOf, isCached } = setUp({ lifetime: 100, cache: 90 })
  const token = await issue()
  await userOf(token)
  clock.advance(80)
  t.ok(isCached(token))
})

t.test('a use that renews a token reads from the store, and other uses read from the cache', async t => {
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

t.test('the cache time starts when the read begins, not when the store responds', async t => {
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
  const { userOf, isCached } = setUp({ cache: 60 })
  await userOf(UNKNOWN)
  t.notOk(isCached(UNKNOWN))
})

/** Sets up a heap whose cache has room for two sessions. */
function setUpSmall(t: Test) {
  stopClock(t)
  t.intercept(v8, 'getHeapStatistics', { value: () => ({ heap_size_limit: 2 * 700 * 10 }) })
  return setUp({ cache: 60 })
}

t.test('the cache takes at most a tenth of the heap, and evicts the least recently used session', async t => {
  const { issue, userOf, isCached } = setUpSmall(t)
  const [first, second, third] = [await issue(), await issue(), await issue()]
  for (const token of [first, second, first, third]) await userOf(token)
  t.strictSame([first, third, second].map(isCached), [true, true, false])
})

t.test('evicted sessions, and users without sessions, leave nothing in memory', async t => {
  const maps: Map<unknown, unknown>[] = []
  const RecordedMap = class extends Map {
    number = maps.push(this)
  }
  t.intercept(globalThis, 'Map', { value: RecordedMap })
  const { store, issue, userOf } = setUpSmall(t)
  for (const username of ['ada', 'ada', 'bob', 'cid', 'dan']) await userOf(await issue({ username, displayName: '' }))
  const kept = maps.filter(map => map !== store.entries)
  t.ok(kept.length > 0 && kept.every(({ size }) => size <= 2))
})

t.test('refused tokens do not evict a session', async t => {
  const { issue, userOf, isCached } = setUpSmall(t)
  const token = await issue()
  await userOf(token)
  for (const letter of 'ABC') await userOf(letter.repeat(67))
  t.ok(isCached(token))
})
