// Stores that report their changes: what a process has read is believed until the store says that it has changed.
import { setImmediate, setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import {
  EVE,
  type processWith,
  ReportingStore,
  setUpTwo,
  startListening,
  type TestStore
} from './session-store.ts'

const callsFor = async (store: TestStore, use: () => unknown): Promise<string[]> => {
  const before = store.calls.length
  await use()
  return store.calls.slice(before).filter(call => !call.includes('heartbeat'))
}

const isHeartbeat = (key: string | null): key is string => key?.includes('heartbeat') === true

function count(beats: Map<string, number>, key: string): number {
  beats.set(key, (beats.get(key) ?? 0) + 1)
  return beats.get(key) as number
}

/** Waits until one heartbeat was sent several times. One that the machine was too busy for is started again. */
async function goesOn(t: Test, { tokens }: ReturnType<typeof processWith>, beats: Map<string, number>) {
  const restarts = setInterval(() => startListening(tokens), 5_000)
  t.teardown(() => clearInterval(restarts))
  while (Math.max(0, ...beats.values()) < 5) await setTimeout(20)
}

/** Loses the connection, and holds back the heartbeat that `use` starts until the function that this returns is called. */
async function loseAndHold(store: ReportingStore, use: () => unknown): Promise<() => void> {
  store.report(null)
  const release = store.hold(/^set .*heartbeat/)
  await use()
  await setImmediate()
  return release
}

t.test('a session that was read is verified without the store, for as long as it lasts', async t => {
  const clock = stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  t.strictSame(await callsFor(store, () => one.userOf(token)), ['get session', 'get generation'])
  clock.advance(599)
  t.strictSame(one.tokens.verify(token), ADA, 'without a promise')
  t.strictSame(await callsFor(store, () => one.userOf(token)), [])
})

for (const call of ['revoke', 'revokeAll'] as const) {
  const end = (process: ReturnType<typeof processWith>, token: string) =>
    process.tokens[call](call === 'revoke' ? token : 'ada')

  t.test(`${call} holds in every process that was told, and for no other user`, async t => {
    stopClock(t)
    const { store, one, two } = await setUpTwo()
    const [token, eves] = [await one.issue(), await one.issue(EVE)]
    for (const process of [one, two]) await Promise.all([process.userOf(token), process.userOf(eves)])
    await end(one, token)
    t.strictSame(await Promise.all([one, two].map(({ userOf }) => userOf(token))), [null, null])
    t.strictSame(await callsFor(store, () => two.userOf(eves)), [])
  })

  t.test(`what ${call} has ended while it was read is not remembered`, async t => {
    const { store, one, two } = await setUpTwo()
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

t.test('all sessions of a user end at once, and a later login of the user is remembered again', async t => {
  stopClock(t)
  const { store, one, two } = await setUpTwo()
  const tokens = [await one.issue(), await one.issue()]
  for (const token of tokens) await two.userOf(token)
  await one.tokens.revokeAll('ada')
  t.strictSame(await Promise.all(tokens.map(two.userOf)), [null, null])
  const token = await one.issue()
  await two.userOf(token)
  t.strictSame(await callsFor(store, () => two.userOf(token)), [])
})

t.test('a session that is refused is forgotten, and the others of the user are not', async t => {
  stopClock(t)
  const { store, one, two } = await setUpTwo()
  const [known, ended] = [await one.issue(), await one.issue()]
  await one.tokens.revoke(ended)
  await two.userOf(known)
  t.equal(await two.userOf(ended), null)
  t.strictSame(await callsFor(store, () => two.userOf(known)), [])
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

t.test('a change that is nobody’s session matters to nobody', async t => {
  stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  await one.userOf(token)
  for (const key of [
    '',
    'another',
    'screen_auth_session',
    'screen_auth_last_use:x',
    'screen_auth_generation:x'
  ])
    store.report(key)
  t.strictSame(await callsFor(store, () => one.userOf(token)), [])
})

t.test('when changes may have been missed, every session is asked for again', async t => {
  stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  await one.userOf(token)
  store.report(null)
  t.not((await callsFor(store, () => one.userOf(token))).length, 0)
  await setImmediate()
  await one.userOf(token)
  t.strictSame(await callsFor(store, () => one.userOf(token)), [], 'and then remembered again')
})

t.test(
  'a store that is silent is believed for `cache` seconds, and then asked with every request',
  async t => {
    const clock = stopClock(t)
    const { store, one, two } = await setUpTwo({ cache: 60 })
    const token = await one.issue()
    await two.userOf(token)
    store.report = () => {}
    await one.tokens.revoke(token)
    clock.advance(59.999)
    t.strictSame(await two.userOf(token), ADA)
    clock.advance(0.001)
    t.equal(await two.userOf(token), null)
  }
)

t.test('a store that never reports anything is asked with every request', async t => {
  const store = new ReportingStore()
  store.report = () => {}
  const { one } = await setUpTwo({}, store)
  const token = await one.issue()
  for (let i = 0; i < 3; i++) t.not((await callsFor(store, () => one.userOf(token))).length, 0)
})

t.test('with `cache: 0` a store that reports its changes is asked with every request', async t => {
  const { store, one, two } = await setUpTwo({ cache: 0 })
  const token = await one.issue()
  for (let i = 0; i < 3; i++) t.not((await callsFor(store, () => two.userOf(token))).length, 0)
})

t.test('by default a silent store is believed for three seconds', async t => {
  const clock = stopClock(t)
  const { store, one, two } = await setUpTwo({ cache: undefined })
  const token = await one.issue()
  await two.userOf(token)
  clock.advance(2.999)
  t.strictSame(await callsFor(store, () => two.userOf(token)), [])
  clock.advance(0.001)
  t.not((await callsFor(store, () => two.userOf(token))).length, 0)
})

t.test('sessions are remembered with the longest `cache`, too', async t => {
  const { store, two } = await setUpTwo({ cache: 2_147_483 })
  const token = await two.issue()
  await two.userOf(token)
  // A timer that is too long for Node would run after a millisecond.
  await setTimeout(20)
  t.strictSame(await callsFor(store, () => two.userOf(token)), [])
})

t.test('a store that cannot be written is asked with every request, until it can', async t => {
  const clock = stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  store.report(null)
  store.set = () => Promise.reject(new Error('full'))
  const before = store.calls.length
  for (let i = 0; i < 3; i++) t.not((await callsFor(store, () => one.userOf(token))).length, 0)
  const heartbeats = store.calls.slice(before).filter(call => call.startsWith('get heartbeat'))
  t.equal(heartbeats.length, 1, 'but not for a heartbeat each time')
  store.set = ReportingStore.prototype.set
  clock.advance(1)
  await startListening(one.tokens)
  await one.userOf(token)
  t.strictSame(await callsFor(store, () => one.userOf(token)), [])
})

t.test('a store that returns something else than was set is asked with every request', async t => {
  const store = new ReportingStore()
  const get = store.get.bind(store)
  store.get = key => get(key).then(value => (key.includes('heartbeat') ? 'OK' : value))
  const { one } = await setUpTwo({}, store)
  const token = await one.issue()
  for (let i = 0; i < 3; i++) t.not((await callsFor(store, () => one.userOf(token))).length, 0)
})

t.test('changes are heard for as long as the store reports those of this process', async t => {
  const { store, two } = await setUpTwo({ cache: 1 })
  const report = store.report.bind(store)
  const beats = new Map<string, number>()
  store.report = key => {
    if (isHeartbeat(key)) count(beats, key)
    report(key)
  }
  await goesOn(t, two, beats)
  t.pass('time and again, without a request')
})

t.test('a heartbeat that was lost is not missed when its report comes late', async t => {
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => one.userOf(token))
  store.report(null)
  const before = store.calls.length
  release()
  await setImmediate()
  t.strictSame(store.calls.slice(before), [], 'the store is not asked for anything more')
  t.not((await callsFor(store, () => one.userOf(token))).length, 0)
})

t.test('the late report of a heartbeat that was lost proves nothing', async t => {
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const late: string[] = []
  const report = store.report.bind(store)
  store.report = key => void late.push(key ?? '')
  for (let i = 0; i < 2; i++) {
    report(null)
    await one.userOf(token)
    await setImmediate()
  }
  report(late.find(key => key.includes('heartbeat')) ?? '')
  await setImmediate()
  for (let i = 0; i < 2; i++) t.not((await callsFor(store, () => one.userOf(token))).length, 0)
})

t.test('the time of a silent connection starts when a heartbeat is sent, not when it is heard', async t => {
  const clock = stopClock(t)
  const { store, one } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => one.userOf(token))
  clock.advance(400)
  release()
  await setImmediate()
  await one.userOf(token)
  t.strictSame(await callsFor(store, () => one.userOf(token)), [])
  clock.advance(200)
  t.not((await callsFor(store, () => one.userOf(token))).length, 0)
})

t.test('a store that reports early, because it cannot keep in mind what was read, is heard on', async t => {
  const store = new ReportingStore()
  const [get, report] = [store.get.bind(store), store.report.bind(store)]
  const beats = new Map<string, number>()
  // Redis does so with a key that it drops from its tracking table, and the later change is not reported.
  store.get = async key => {
    const value = await get(key)
    if (isHeartbeat(key)) report(key)
    return value
  }
  store.report = key => {
    if (isHeartbeat(key)) count(beats, key)
    else report(key)
  }
  const { two } = await setUpTwo({ cache: 1 }, store)
  await goesOn(t, two, beats)
  t.pass('without a request')
})

t.test('an end that was missed is found when changes are heard again', async t => {
  const { store, one, two } = await setUpTwo()
  const token = await one.issue()
  await two.userOf(token)
  await store.silently(() => one.tokens.revoke(token))
  store.report(null)
  await startListening(two.tokens)
  t.equal(await two.userOf(token), null)
})

t.test('what was read before changes were heard is asked for again', async t => {
  const { store, one, two } = await setUpTwo()
  const token = await one.issue()
  const release = await loseAndHold(store, () => two.userOf(token))
  await store.silently(() => one.tokens.revoke(token))
  release()
  await setImmediate()
  t.equal(await two.userOf(token), null)
})

t.test('after a silence that was too long, sessions are asked for again, and remembered', async t => {
  const { store, one, two } = await setUpTwo({ cache: 1 })
  const [ended, kept] = [await one.issue(), await one.issue()]
  for (const token of [ended, kept]) await two.userOf(token)
  await store.silently(async () => {
    await one.tokens.revoke(ended)
    await setTimeout(2_500)
  })
  while (two.tokens.verify(kept) instanceof Promise) await setTimeout(20)
  t.equal(await two.userOf(ended), null)
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
  t.not((await callsFor(store, () => one.userOf(token))).length, 0)
})
