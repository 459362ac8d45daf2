import { setImmediate } from 'node:timers/promises'
import v8 from 'node:v8'
import t from 'tap'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, setUp, UNKNOWN } from './session-store.ts'

t.test('without a cache every request asks the store', async t => {
  const { store, issue, userOf } = setUp()
  const token = await issue()
  for (let i = 0; i < 3; i++) {
    store.calls.splice(0)
    await userOf(token)
    t.strictSame(store.calls, ['get session', 'get generation'])
  }
})

t.test('the first request of a token asks the store everything at once', async t => {
  const { store, issue, userOf } = setUp({ maxLifetime: 1e6 })
  const token = await issue()
  store.calls.splice(0)
  const release = store.hold(/^get/)
  const known = userOf(token)
  await setImmediate()
  t.strictSame(store.calls, ['get session', 'get last_use', 'get generation'])
  release()
  await known
  t.equal(store.calls.length, 3)
})

t.test('with a cache a known token is valid for so many seconds without asking the store', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ cache: 5 })
  const token = await issue()
  await userOf(token)
  const asked = store.calls.length
  clock.advance(4.999)
  t.strictSame(tokens.verify(token), ADA, 'without a promise')
  t.equal(store.calls.length, asked)
  clock.advance(0.001)
  await userOf(token)
  t.ok(store.calls.length > asked)
})

t.test('a cached token is refused when it has expired', async t => {
  const clock = stopClock(t)
  const { issue, userOf } = setUp({ cache: 60, lifetime: 10 })
  const token = await issue()
  await userOf(token)
  clock.advance(10)
  t.equal(await userOf(token), null)
})

t.test('without maxLifetime the cache is used for its whole time', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 100, cache: 90 })
  const token = await issue()
  await userOf(token)
  const asked = store.calls.length
  clock.advance(80)
  t.strictSame(await userOf(token), ADA)
  t.equal(store.calls.length, asked)
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

t.test('a cached token is not valid for longer when the time of day is set back', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ cache: 5 })
  const token = await issue()
  await userOf(token)
  await processWith(store).tokens.revoke(token)
  clock.advance(6)
  clock.advanceTimeOfDay(-3_600)
  t.equal(await tokens.verify(token), null)
})

t.test('the time in the cache starts when the store is asked, not when it responds', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue } = setUp({ cache: 5 })
  const token = await issue()
  const release = store.hold(/^get/)
  const slow = tokens.verify(token)
  await setImmediate()
  clock.advance(4)
  release()
  await slow
  await processWith(store).tokens.revoke(token)
  clock.advance(2)
  t.equal(await tokens.verify(token), null)
})

t.test('a refused token is not cached', async t => {
  const { store, userOf } = setUp({ cache: 60 })
  await userOf(UNKNOWN)
  const asked = store.calls.length
  await userOf(UNKNOWN)
  t.equal(store.calls.length, 2 * asked)
})

t.test(
  'sessions take a tenth of the heap at most: the one that was not used for longest is asked for again',
  async t => {
    stopClock(t)
    t.intercept(v8, 'getHeapStatistics', { value: () => ({ heap_size_limit: 2 * 700 * 10 }) })
    const { store, tokens } = setUp({ cache: 60 })
    const [first, second, third] = [await tokens.issue(ADA), await tokens.issue(ADA), await tokens.issue(ADA)]
    for (const token of [first, second, first, third]) await tokens.verify(token)
    const asked = store.calls.length
    for (const token of [first, third]) await tokens.verify(token)
    t.equal(store.calls.length, asked)
    await tokens.verify(second)
    t.ok(store.calls.length > asked)
  }
)

t.test('tokens that are refused push out no session', async t => {
  stopClock(t)
  t.intercept(v8, 'getHeapStatistics', { value: () => ({ heap_size_limit: 2 * 700 * 10 }) })
  const { store, issue, userOf } = setUp({ cache: 60 })
  const token = await issue()
  await userOf(token)
  for (const letter of 'ABC') await userOf(letter.repeat(67))
  const asked = store.calls.length
  await userOf(token)
  t.equal(store.calls.length, asked)
})
