import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, setUp } from './session-store.ts'

t.test('the lifetime is 24 hours by default', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp()
  const token = await issue()
  t.ok(store.calls.includes('set session 86400000'))
  clock.advance(86_399)
  t.strictSame(await userOf(token), ADA)
  clock.advance(1)
  t.equal(await userOf(token), null)
})

t.test('an expired token is refused even if the store never removes anything', async t => {
  const clock = stopClock(t)
  const { issue, userOf } = processWith(new Map(), { lifetime: 60 })
  const token = await issue()
  clock.advance(59)
  t.strictSame(await userOf(token), ADA)
  clock.advance(2)
  t.equal(await userOf(token), null)
})

for (const cache of [0, 1000]) {
  t.test(`a token expires at the exact millisecond, with a cache of ${cache} seconds`, async t => {
    const clock = stopClock(t)
    const { issue, userOf } = processWith(new Map(), { lifetime: 60, cache })
    const token = await issue()
    clock.advance(59.999)
    t.strictSame(await userOf(token), ADA)
    clock.advance(0.001)
    t.equal(await userOf(token), null)
  })
}

t.test('a longer lifetime applies only to tokens that are issued later', async t => {
  const clock = stopClock(t)
  const store = new Map()
  const token = await processWith(store, { lifetime: 10 }).issue()
  const longer = processWith(store, { lifetime: 100, maxLifetime: 1000 })
  clock.advance(9)
  t.strictSame(await longer.userOf(token), ADA)
  clock.advance(1)
  t.equal(await longer.userOf(token), null)
})

t.test('a shorter lifetime applies also to tokens that were issued before', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 3600 })
  const token = await issue()
  const shorter = processWith(store, { lifetime: 60 })
  clock.advance(60)
  t.strictSame(await userOf(token), ADA)
  t.equal(await shorter.userOf(token), null)
})

t.test('a shorter lifetime applies also to tokens that were renewed before', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 100, maxLifetime: 1000 })
  const token = await issue()
  clock.advance(50)
  t.strictSame(await userOf(token), ADA)
  const shorter = processWith(store, { lifetime: 10, maxLifetime: 1000 })
  clock.advance(10)
  t.equal(await shorter.userOf(token), null)
  t.strictSame(await userOf(token), ADA)
})

t.test('a shorter maxLifetime applies also to tokens that were issued before', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 60, maxLifetime: 1000 })
  const token = await issue()
  const shorter = processWith(store, { lifetime: 60, maxLifetime: 80 })
  clock.advance(50)
  t.strictSame(await userOf(token), ADA)
  clock.advance(30)
  t.equal(await shorter.userOf(token), null)
  t.strictSame(await userOf(token), ADA)
})

t.test('a session that ends while the store responds is refused', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 30 })
  const token = await issue()
  const release = store.hold(/^get/)
  const reading = userOf(token)
  await setImmediate()
  clock.advance(30)
  release()
  t.equal(await reading, null)
})
