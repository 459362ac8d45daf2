// Stores that report their changes: a process caches a session until the store reports its change.
import { setImmediate, setTimeout } from 'node:timers/promises'
import t from 'tap'
import { ADA } from '../../../helpers.ts'
import { type StoppedClock, stopClock } from '../../../stopped-clock.ts'
import { EVE, processWith, ReportingStore, setUpTwo, startListening, TestStore } from './session-store.ts'

/** A store that reports its changes, but has no `ping`. */
class UnprovenStore extends ReportingStore {
  override ping = undefined as never
}

/** Loses the connection, and delays the heartbeat that `use` starts until the returned function is called. */
async function loseAndHold(store: ReportingStore, use: () => unknown): Promise<() => Promise<void>> {
  store.report(null)
  const release = store.hold(/^ping/)
  await use()
  await setImmediate()
  return () => {
    release()
    return setImmediate()
  }
}

t.test('a session that was read is verified without the store', async t => {
  const clock = stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  t.strictSame(await store.callsDuring(() => one.userOf(token)), ['get session', 'get generation'])
  clock.advance(599)
  t.strictSame(one.tokens.verify(token), ADA, 'without a promise')
})

for (const call of ['revoke', 'revokeAll'] as const) {
  const end = (process: ReturnType<typeof processWith>, token: string) =>
    process.tokens[call](call === 'revoke' ? token : 'ada')

  t.test(`${call} takes effect in every process that receives the report, and for no other user`, async t => {
    stopClock(t)
    const { one, two } = await setUpTwo()
    const [token, eves] = [await one.issue(), await one.issue(EVE)]
    for (const process of [one, two]) await Promise.all([process.userOf(token), process.userOf(eves)])
    await end(one, token)
    t.strictSame(await Promise.all([one, two].map(({ userOf }) => userOf(token))), [null, null])
    t.ok(two.isCached(eves))
  })

  for (const Store of [ReportingStore, UnprovenStore]) {
    t.test(`a session that ${call} ends during a read is not cached: ${Store.name}`, async t => {
      const store = new Store()
      const { one, two } = await setUpTwo({}, store)
      const token = await one.issue()
      const release = store.hold(/^get .*session/)
      const reading = two.userOf(token)
      await setImmediate()
      await end(one, token)
      release()
      t.strictSame(await reading, ADA)
      t.equal(await two.userOf(token), null)
    })
  }
}

t.test('revokeAll ends all cached sessions of a user, and a later session is cached again', async t => {
  stopClock(t)
  const { one, two } = await setUpTwo()
  const tokens = [await one.issue(), await one.issue()]
  for (const token of tokens) await two.userOf(token)
  await one.tokens.revokeAll('ada')
  t.strictSame(await Promise.all(tokens.map(two.userOf)), [null, null])
  const token = await one.issue()
  await two.userOf(token)
  t.ok(two.isCached(token))
})

t.test('a refused session does not remove the other sessions of the user from the cache', async t => {
  stopClock(t)
  const { one, two } = await setUpTwo()
  const [known, ended] = [await one.issue(), await one.issue()]
  await one.tokens.revoke(ended)
  await two.userOf(known)
  t.equal(await two.userOf(ended), null)
  t.ok(two.isCached(known))
})

t.test('revokeAll ends the cached sessions that remain after a revoke', async t => {
  stopClock(t)
  const { one, two } = await setUpTwo()
  const [left, ended] = [await one.issue(), await one.issue()]
  for (const token of [left, ended]) await two.userOf(token)
  await one.tokens.revoke(ended)
  await one.tokens.revokeAll('ada')
  t.equal(await two.userOf(left), null)
})

t.test('revokeAll ends a newer session after a revoke of an older one that had ended before', async t => {
  stopClock(t)
  const { one, two } = await setUpTwo()
  const before = await one.issue()
  await two.userOf(before)
  await one.tokens.revokeAll('ada')
  const later = await one.issue()
  await two.userOf(later)
  await one.tokens.revoke(before)
  await one.tokens.revokeAll('ada')
  t.equal(await two.userOf(later), null)
})

t.test('a report for another key removes no session from the cache', async t => {
  stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  await one.userOf(token)
  const others = ['', 'another', 'screen_auth_session', 'screen_auth_last_use:x', 'screen_auth_generation:x']
  for (const key of others) store.report(key)
  t.ok(one.isCached(token))
})

t.test('every session is read again, and cached, after changes may have been missed', async t => {
  stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  await one.userOf(token)
  store.report(null)
  t.not((await store.callsDuring(() => one.userOf(token))).length, 0)
  await setImmediate()
  await one.userOf(token)
  t.ok(one.isCached(token))
})

t.test('a session of a silent store stays cached for `cache` seconds', async t => {
  const clock = stopClock(t)
  for (const [cache, seconds] of [
    [60, 60],
    [undefined, 3]
  ] as const) {
    const { store, one, two } = await setUpTwo({ cache })
    const token = await one.issue()
    await two.userOf(token)
    store.report = () => {}
    await one.tokens.revoke(token)
    clock.advance(seconds - 0.001)
    t.strictSame(await two.userOf(token), ADA)
    clock.advance(0.001)
    t.equal(await two.userOf(token), null)
  }
})

for (const [how, ping] of Object.entries({
  rejects: () => Promise.reject(new Error('not subscribed')),
  throws: () => {
    throw new Error('not subscribed')
  }
})) {
  t.test(`every request reads from a store whose ping ${how}, until ping works`, async t => {
    const store = new ReportingStore()
    store.ping = ping
    const { one } = await setUpTwo({}, store)
    const token = await one.issue()
    for (let i = 0; i < 3; i++) t.not((await store.callsDuring(() => one.userOf(token))).length, 0)
    store.ping = ReportingStore.prototype.ping
    await startListening(one.tokens)
    await one.userOf(token)
    t.ok(one.isCached(token))
  })
}

t.test('a session of a store without ping is cached for `cache` seconds, or until it is reported', async t => {
  const clock = stopClock(t)
  const { one, two } = await setUpTwo({ cache: 60 }, new UnprovenStore())
  const [token, ended] = [await one.issue(), await one.issue()]
  for (const each of [token, ended]) await two.userOf(each)
  await one.tokens.revoke(ended)
  t.equal(await two.userOf(ended), null)
  clock.advance(59.999)
  t.ok(two.isCached(token))
  clock.advance(0.001)
  t.notOk(two.isCached(token))
  await setImmediate()
  t.ok(two.isCached(token))
})

t.test('a ping without onChange does not keep sessions cached', async t => {
  const store = Object.assign(new TestStore(), { ping() {} })
  const [one, two] = [processWith(store), processWith(store, { cache: 1 })]
  const clock = stopClock(t)
  const token = await one.issue()
  await two.userOf(token)
  await one.tokens.revoke(token)
  clock.advance(1)
  t.equal(await two.userOf(token), null)
})

for (const [what, move] of Object.entries<(clock: StoppedClock) => void>({
  'continues while the machine is suspended': clock => clock.advanceTimeOfDay(60),
  'does not get longer when the time of day is set back': clock => {
    clock.advance(60)
    clock.advanceTimeOfDay(-3_600)
  }
})) {
  t.test(`the cache time of a silent connection ${what}`, async t => {
    const clock = stopClock(t)
    const { store, one, two } = await setUpTwo({ cache: 60 })
    const token = await one.issue()
    await two.userOf(token)
    await store.silently(() => one.tokens.revoke(token))
    move(clock)
    t.equal(await two.userOf(token), null)
  })
}

t.test('every request reads from a store that reports its changes with `cache: 0`', async t => {
  const { store, one, two } = await setUpTwo({ cache: 0 })
  const token = await one.issue()
  for (let i = 0; i < 3; i++) t.not((await store.callsDuring(() => two.userOf(token))).length, 0)
})

t.test('sessions are cached with the longest `cache`', async t => {
  const { two } = await setUpTwo({ cache: 2_147_483 })
  const token = await two.issue()
  await two.userOf(token)
  // A timer that is too long for Node would run after a millisecond.
  await setTimeout(20)
  t.ok(two.isCached(token))
})

t.test('the heartbeat continues without requests', async t => {
  const { store, two } = await setUpTwo({ cache: 1 })
  // Restarts a heartbeat that timed out because the machine was busy.
  const restarts = setInterval(() => startListening(two.tokens), 5_000)
  t.teardown(() => clearInterval(restarts))
  const pings = () => store.calls.filter(call => call === 'ping').length
  const before = pings()
  while (pings() < before + 5) await setTimeout(20)
  t.pass('time and again')
})

t.test('a lost heartbeat that arrives late proves nothing', async t => {
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => one.userOf(token))
  store.report(null)
  const before = store.calls.length
  await release()
  t.equal(store.calls.length, before, 'and no other heartbeat follows it')
  t.not((await store.callsDuring(() => one.userOf(token))).length, 0)
})

t.test('a heartbeat without a reply times out, and the next one counts', async t => {
  const { store, one } = await setUpTwo({ cache: 1 })
  const { tokens, isCached } = processWith(store, { cache: 1 })
  const token = await one.issue()
  store.ping = () => new Promise(() => {})
  await startListening(tokens)
  store.ping = ReportingStore.prototype.ping
  // Takes two seconds, and longer on a busy machine.
  while (!isCached(token)) await setTimeout(20)
  t.pass('the session is cached')
})

t.test('the cache time of a silent connection starts when a heartbeat is sent, not at its reply', async t => {
  const clock = stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => one.userOf(token))
  clock.advance(400)
  await release()
  await one.userOf(token)
  t.ok(one.isCached(token))
  clock.advance(200)
  t.notOk(one.isCached(token))
})

t.test("a session that was read before the heartbeat's reply is read again", async t => {
  const { store, one, two } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => two.userOf(token))
  await store.silently(() => one.tokens.revoke(token))
  await release()
  t.equal(await two.userOf(token), null)
})

t.test('a session that was read while the connection was lost is not cached', async t => {
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = store.hold(/^get .*session/)
  const reading = one.userOf(token)
  await setImmediate()
  store.report(null)
  release()
  t.strictSame(await reading, ADA)
  t.notOk(one.isCached(token))
})
