import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, setUp, type TestStore } from './session-store.ts'

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

const renewals = (store: TestStore) => store.calls.filter(call => call.startsWith('set last_use'))

t.test('without maxLifetime the use of a token does not renew it', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10 })
  const token = await issue()
  clock.advance(9)
  t.strictSame(await userOf(token), ADA)
  t.strictSame(renewals(store), [])
  clock.advance(1)
  t.equal(await userOf(token), null)
})

t.test('with maxLifetime each use renews a token, until maxLifetime is over', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 25 })
  const token = await issue()
  t.ok(store.calls.includes('set session 25000'))
  for (let seconds = 8; seconds <= 24; seconds += 8) {
    clock.advance(8)
    t.strictSame(await userOf(token), ADA, `after ${seconds} seconds`)
  }
  clock.advance(1)
  t.equal(await userOf(token), null, 'after 25 seconds')
})

t.test('with maxLifetime a token that is not used expires after its lifetime', async t => {
  const clock = stopClock(t)
  const { issue, userOf } = setUp({ lifetime: 10, maxLifetime: 1000 })
  const [never, once] = [await issue(), await issue()]
  clock.advance(9)
  t.strictSame(await userOf(once), ADA)
  clock.advance(1)
  t.equal(await userOf(never), null)
  clock.advance(9)
  t.equal(await userOf(once), null)
})

t.test('a use is written to the store once a tenth of the lifetime has passed, and not before', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 100, maxLifetime: 1000 })
  const token = await issue()
  clock.advance(9.999)
  await userOf(token)
  t.strictSame(renewals(store), [])
  clock.advance(0.001)
  await userOf(token)
  await userOf(token)
  t.strictSame(renewals(store), ['set last_use 160000'])
})

t.test('the last renewal is stored no longer than the session lasts', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 15 })
  const token = await issue()
  clock.advance(9)
  await userOf(token)
  t.strictSame(renewals(store), ['set last_use 66000'])
  clock.advance(5)
  await userOf(token)
  t.equal(renewals(store).length, 1, 'then there is nothing left to renew')
})

t.test('a renewal that fails does not refuse the request, and the next use tries again', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  clock.advance(5)
  const { set } = store
  store.set = async () => {
    throw new Error('OOM')
  }
  t.strictSame(await userOf(token), ADA)
  store.set = set
  t.strictSame(await userOf(token), ADA)
  clock.advance(9)
  t.strictSame(await userOf(token), ADA)
})

t.test('a remembered session whose renewal failed is renewed by the next use', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100, cache: 60 })
  const token = await issue()
  clock.advance(9.5)
  const { set } = store
  store.set = async () => {
    throw new Error('OOM')
  }
  t.strictSame(await userOf(token), ADA)
  await setImmediate()
  store.set = set
  t.strictSame(await userOf(token), ADA)
  clock.advance(1.1)
  t.strictSame(await userOf(token), ADA)
})

t.test('a renewal that is written after the revocation of its token does not bring it back', async t => {
  const clock = stopClock(t)
  const { store, tokens, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  clock.advance(5)
  const release = store.hold(/^set .*last_use/)
  t.strictSame(await userOf(token), ADA)
  await tokens.revoke(token)
  release()
  await setImmediate()
  t.ok(store.entries.size > 0, 'the renewal was written after the revocation')
  t.equal(await userOf(token), null)
})

t.test('a session that another process renews while the store responds is good', async t => {
  const clock = stopClock(t)
  const { store, issue, userOf } = setUp({ lifetime: 10, maxLifetime: 100 })
  const token = await issue()
  clock.advance(9)
  const release = store.hold(/^get/)
  const late = userOf(token)
  await setImmediate()
  store.hold(/^nothing/)
  t.strictSame(await userOf(token), ADA)
  clock.advance(5)
  release()
  t.strictSame(await late, ADA)
})
