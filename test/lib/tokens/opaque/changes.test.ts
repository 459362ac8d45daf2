// Stores that report their changes: what a process has read is believed until the store says that it has changed.
import { setImmediate, setTimeout } from 'node:timers/promises'
import t from 'tap'
import { ADA } from '../../../helpers.ts'
import { type StoppedClock, stopClock } from '../../../stopped-clock.ts'
import { EVE, processWith, ReportingStore, setUpTwo, startListening, TestStore } from './session-store.ts'

/** A store that reports its changes, and cannot prove it. */
class UnprovenStore extends ReportingStore {
  override ping = undefined as never
}

/** Loses the connection, and holds back the heartbeat that `use` starts until the function that this returns is called. */
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

t.test('a session that was read is verified without the store, for as long as it lasts', async t => {
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

  t.test(`${call} holds in every process that was told, and for no other user`, async t => {
    stopClock(t)
    const { one, two } = await setUpTwo()
    const [token, eves] = [await one.issue(), await one.issue(EVE)]
    for (const process of [one, two]) await Promise.all([process.userOf(token), process.userOf(eves)])
    await end(one, token)
    t.strictSame(await Promise.all([one, two].map(({ userOf }) => userOf(token))), [null, null])
    t.ok(two.remembers(eves))
  })

  for (const Store of [ReportingStore, UnprovenStore]) {
    t.test(`what ${call} has ended while it was read is not remembered: ${Store.name}`, async t => {
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

t.test('all sessions of a user end at once, and a later login of the user is remembered again', async t => {
  stopClock(t)
  const { one, two } = await setUpTwo()
  const tokens = [await one.issue(), await one.issue()]
  for (const token of tokens) await two.userOf(token)
  await one.tokens.revokeAll('ada')
  t.strictSame(await Promise.all(tokens.map(two.userOf)), [null, null])
  const token = await one.issue()
  await two.userOf(token)
  t.ok(two.remembers(token))
})

t.test('a session that is refused is forgotten, and the others of the user are not', async t => {
  stopClock(t)
  const { one, two } = await setUpTwo()
  const [known, ended] = [await one.issue(), await one.issue()]
  await one.tokens.revoke(ended)
  await two.userOf(known)
  t.equal(await two.userOf(ended), null)
  t.ok(two.remembers(known))
})

t.test('the end of all sessions reaches those that are left when one has ended before', async t => {
  stopClock(t)
  const { one, two } = await setUpTwo()
  const [left, ended] = [await one.issue(), await one.issue()]
  for (const token of [left, ended]) await two.userOf(token)
  await one.tokens.revoke(ended)
  await one.tokens.revokeAll('ada')
  t.equal(await two.userOf(left), null)
})

t.test('the end of a session from before leaves a later one within reach of the next end of all', async t => {
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

t.test('a change of another key ends no session', async t => {
  stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  await one.userOf(token)
  const others = ['', 'another', 'screen_auth_session', 'screen_auth_last_use:x', 'screen_auth_generation:x']
  for (const key of others) store.report(key)
  t.ok(one.remembers(token))
})

t.test('when changes may have been missed, every session is asked for again, and remembered', async t => {
  stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  await one.userOf(token)
  store.report(null)
  t.not((await store.callsDuring(() => one.userOf(token))).length, 0)
  await setImmediate()
  await one.userOf(token)
  t.ok(one.remembers(token))
})

t.test('a store that is silent is believed for `cache` seconds, and then asked', async t => {
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
  t.test(`a store whose ping ${how} is asked with every request, until it works`, async t => {
    const store = new ReportingStore()
    store.ping = ping
    const { one } = await setUpTwo({}, store)
    const token = await one.issue()
    for (let i = 0; i < 3; i++) t.not((await store.callsDuring(() => one.userOf(token))).length, 0)
    store.ping = ReportingStore.prototype.ping
    await startListening(one.tokens)
    await one.userOf(token)
    t.ok(one.remembers(token))
  })
}

t.test('without ping, what was read is believed for `cache` seconds, or until it is reported', async t => {
  const clock = stopClock(t)
  const { one, two } = await setUpTwo({ cache: 60 }, new UnprovenStore())
  const [token, ended] = [await one.issue(), await one.issue()]
  for (const each of [token, ended]) await two.userOf(each)
  await one.tokens.revoke(ended)
  t.equal(await two.userOf(ended), null)
  clock.advance(59.999)
  t.ok(two.remembers(token))
  clock.advance(0.001)
  t.notOk(two.remembers(token))
  await setImmediate()
  t.ok(two.remembers(token))
})

t.test('a ping proves nothing where nothing is reported', async t => {
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
  'goes on while the machine is suspended': clock => clock.advanceTimeOfDay(60),
  'is not longer when the time of day is set back': clock => {
    clock.advance(60)
    clock.advanceTimeOfDay(-3_600)
  }
})) {
  t.test(`the time of a silent connection ${what}`, async t => {
    const clock = stopClock(t)
    const { store, one, two } = await setUpTwo({ cache: 60 })
    const token = await one.issue()
    await two.userOf(token)
    await store.silently(() => one.tokens.revoke(token))
    move(clock)
    t.equal(await two.userOf(token), null)
  })
}

t.test('with `cache: 0` a store that reports its changes is asked with every request', async t => {
  const { store, one, two } = await setUpTwo({ cache: 0 })
  const token = await one.issue()
  for (let i = 0; i < 3; i++) t.not((await store.callsDuring(() => two.userOf(token))).length, 0)
})

t.test('sessions are remembered with the longest `cache`, too', async t => {
  const { two } = await setUpTwo({ cache: 2_147_483 })
  const token = await two.issue()
  await two.userOf(token)
  // A timer that is too long for Node would run after a millisecond.
  await setTimeout(20)
  t.ok(two.remembers(token))
})

t.test('changes are heard for as long as ping resolves, without a request', async t => {
  const { store, two } = await setUpTwo({ cache: 1 })
  // A heartbeat that the machine was too busy for is started again.
  const restarts = setInterval(() => startListening(two.tokens), 5_000)
  t.teardown(() => clearInterval(restarts))
  const pings = () => store.calls.filter(call => call === 'ping').length
  const before = pings()
  while (pings() < before + 5) await setTimeout(20)
  t.pass('time and again')
})

t.test('a heartbeat that was lost proves nothing when it is heard late', async t => {
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => one.userOf(token))
  store.report(null)
  const before = store.calls.length
  await release()
  t.equal(store.calls.length, before, 'and no other heartbeat follows it')
  t.not((await store.callsDuring(() => one.userOf(token))).length, 0)
})

t.test('a heartbeat that is never heard is given up, and the next one counts', async t => {
  const { store, one } = await setUpTwo({ cache: 1 })
  const { tokens, remembers } = processWith(store, { cache: 1 })
  const token = await one.issue()
  store.ping = () => new Promise(() => {})
  await startListening(tokens)
  store.ping = ReportingStore.prototype.ping
  // Two seconds, and what a busy machine takes.
  while (!remembers(token)) await setTimeout(20)
  t.pass('the session is remembered')
})

t.test('the time of a silent connection starts when a heartbeat is sent, not when it is heard', async t => {
  const clock = stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => one.userOf(token))
  clock.advance(400)
  await release()
  await one.userOf(token)
  t.ok(one.remembers(token))
  clock.advance(200)
  t.notOk(one.remembers(token))
})

t.test('what was read before changes were heard is asked for again', async t => {
  const { store, one, two } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => two.userOf(token))
  await store.silently(() => one.tokens.revoke(token))
  await release()
  t.equal(await two.userOf(token), null)
})

t.test('what was read while the connection was lost is not remembered', async t => {
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = store.hold(/^get .*session/)
  const reading = one.userOf(token)
  await setImmediate()
  store.report(null)
  release()
  t.strictSame(await reading, ADA)
  t.notOk(one.remembers(token))
})
