import { AsyncLocalStorage } from 'node:async_hooks'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { RateLimiterMemory, RateLimiterUnion } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import { type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { ADA, collectLog, host, listen } from '../../helpers.ts'
import { attempt, countingHost, never, RIGHT, repeat, storeWith, together } from './attempts.ts'
import { stopClock } from './clock.ts'

const OPTIONS = { keyPrefix: 'x', points: 10, duration: 60 }
const CALLS = ['get', 'penalty', 'reward', 'block', 'delete'] as const
const WRITES = CALLS.slice(1)
type Call = (typeof CALLS)[number]
type Fault = (call: () => Promise<unknown>, key: string) => unknown

const fails: Fault = async () => {
  throw new Error('down')
}

/** Two hosts and a store, all insured, and the shared store behind them, whose calls can fail. */
async function insured(t: Test, serverOptions = {}) {
  const clock = stopClock(t)
  let [broken, fault, callsBefore, callCount] = [[] as readonly Call[], fails, 0, 0]
  const shared = storeWith(memory => {
    const replaced = (name: Call) => async (key: string, n: number, given: undefined) => {
      callCount++
      // Some stores cannot add negative points.
      if (n < 0) throw new RangeError('negative points')
      const call = async () => memory[name](key, n as never, given)
      return broken.includes(name) && callsBefore-- <= 0 ? fault(call, key) : call()
    }
    return Object.fromEntries(CALLS.map(name => [name, replaced(name)]))
  })
  const memory: RateLimiterMemory = Object.getPrototypeOf(shared(OPTIONS))
  const makeStore = (options: FailureStoreOptions) => insuredStore(shared(options), options)
  const wait = (seconds: number) => clock.during(clock.sleep(seconds))
  const breaks = (calls: readonly Call[], how = fails, after = 0) => {
    ;[broken, fault, callsBefore] = [calls, how, after]
  }
  const overrides = { throttle: { store: makeStore } }
  return {
    clock,
    wait,
    one: await countingHost(t, overrides, serverOptions),
    two: await countingHost(t, overrides, serverOptions),
    makeStore,
    store: makeStore(OPTIONS),
    /** The shared store behind `store`. */
    memory,
    /** Returns the points in the shared store, and the seconds until they expire. */
    async counted(): Promise<[points: number, seconds: number]> {
      const count = await memory.get('a')
      return count === null ? [0, 0] : [count.consumedPoints, Math.round(count.msBeforeNext / 1000)]
    },
    callCount: () => callCount,
    /** Makes calls fail from now on, or after `after` more of them. */
    breaks,
    /** Ends the faults, and waits until the insured stores have noticed. */
    async comeBack() {
      breaks([])
      await wait(1.1)
    }
  }
}

for (const calls of [CALLS, WRITES, ['get'], ['penalty'], ['reward', 'block', 'delete']] as Call[][])
  t.test(`an insured store keeps its limit when the shared store fails to ${calls}`, async t => {
    const { clock, one, breaks } = await insured(t)
    breaks(calls)
    await repeat(10, async () => t.equal((await clock.during(attempt(one.app))).isBlocked, false))
    t.match(await attempt(one.app, RIGHT), { statusCode: 200, isBlocked: true })
    t.equal(one.checks(), 10)
  })

t.test('repeated outages allow no extra guesses', async t => {
  const { one, breaks, comeBack } = await insured(t)
  for (let i = 0; i < 5; i++) {
    await repeat(4, () => attempt(one.app))
    breaks(WRITES)
    await repeat(4, () => attempt(one.app))
    await comeBack()
  }
  t.equal(one.checks(), 10)
})

for (const isSilent of [false, true])
  t.test(`only the first logins of an outage wait: the shared store ${isSilent ? 'is silent' : 'fails'}`, async t => {
    const { clock, one, breaks, callCount } = await insured(t)
    breaks(CALLS, isSilent ? never : fails)
    const start = Date.now()
    const logins = together(30, i => attempt(one.app, { username: `user-${i}` }))
    for (const { statusCode, success } of await clock.during(logins))
      t.match({ statusCode, success }, { statusCode: 200, success: false })
    t.ok(Date.now() - start < 2_200, `${Date.now() - start} ms`)
    t.equal(one.checks(), 30)

    const before = [callCount(), Date.now()] as const
    await attempt(one.app)
    await attempt(one.app, RIGHT)
    await one.app.screenAuth.unlock({ username: 'ada' })
    t.equal(Date.now(), before[1], 'later ones do not wait')
    if (isSilent) t.equal(callCount(), before[0])
  })

for (const isSilent of [false, true])
  t.test(`an outage and its end each log one line and emit one event, isSilent: ${isSilent}`, async t => {
    const log = collectLog()
    const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
    const { clock, wait, one, two, breaks, comeBack } = await insured(t, log)
    await two.app.close()
    await attempt(one.app)
    const about = () => log.lines.filter(({ msg }) => /the store of the throttle/.test(String(msg)))
    t.strictSame(about(), [])

    breaks(isSilent ? CALLS : WRITES, isSilent ? never : fails)
    await clock.during(together(3, () => attempt(one.app)))
    await wait(10)
    await clock.during(together(3, () => attempt(one.app)))
    const down = 'screen-auth: the store of the throttle failed; meanwhile this process counts failed logins for itself'
    t.match(about(), [{ level: 40, msg: down, err: { code: 'FST_SCREEN_AUTH_THROTTLE_FAILED' } }])
    t.match(log.text(), isSilent ? /the store has not responded within 2 s/ : /down/)
    t.strictSame(outcomes, ['store-down'])

    await comeBack()
    await wait(3)
    t.match(about(), [{ msg: down }, { level: 30, msg: 'screen-auth: the store of the throttle is back' }])
    t.strictSame(outcomes, ['store-down', 'store-back'])
  })

for (const outcome of ['fails', 'succeeds'])
  t.test(`a check that ${outcome} after an outage began counts as one that ${outcome}`, async t => {
    const { makeStore, breaks } = await insured(t)
    const checkCredentials = () => {
      breaks(CALLS)
      return outcome === 'fails' ? null : ADA
    }
    const throttle = { store: makeStore, usernameAndAddress: { failures: 3, seconds: 60 } }
    const app = await host(t, { throttle, checkCredentials })
    await repeat(3, async () => t.match(await attempt(app), { statusCode: 200, isBlocked: false }))
    t.equal((await attempt(app)).isBlocked, outcome === 'fails')
  })

t.test('a read-only store counts as down, but its known networks apply', async t => {
  const { clock, one, two, breaks } = await insured(t)
  await attempt(one.app, RIGHT)
  breaks(WRITES)
  await repeat(60, i => clock.during(attempt(two.app, { address: `10.0.${i % 6}.1` })))
  t.equal((await clock.during(attempt(two.app, RIGHT))).success, true)
  t.equal((await attempt(two.app, { ...RIGHT, address: '10.1.1.1' })).isBlocked, true)
})

t.test('a closed server stops probing the store', async t => {
  const { wait, one, two, breaks, callCount } = await insured(t)
  breaks(CALLS)
  await attempt(one.app)
  await one.app.close()
  await two.app.close()
  await wait(1)
  const before = callCount()
  await wait(10)
  t.equal(callCount(), before)
})

for (const seconds of [0, 50])
  t.test(`an attempt is given back only once in an outage that begins ${seconds} s after it`, async t => {
    const { store, counted, breaks, comeBack, wait } = await insured(t)
    await repeat(5, () => store.penalty('a', 1))
    await wait(seconds)
    breaks(WRITES)
    await repeat(5, () => store.reward('a', 1))
    // With 50 s, the counter expires during this wait.
    await wait(11)
    await comeBack()
    t.match(await counted(), [0])
    t.match(await store.penalty('a', 1), { consumedPoints: 1 })
  })

for (const [seconds, expected] of [
  [40, [300_000, 19]],
  [61, [0]]
] as const)
  t.test(`failures in an outage of ${seconds} s reach the shared store later and keep their expiry`, async t => {
    const { store, counted, breaks, comeBack, wait } = await insured(t)
    await store.penalty('b', 1)
    breaks(WRITES)
    await repeat(3, () => store.penalty('a', 100_000))
    await wait(seconds)
    await comeBack()
    t.match(await counted(), expected)
    t.match(await store.penalty('a', 1), { consumedPoints: expected[0] + 1 })
  })

t.test('repeated outages do not extend the expiry of failures', async t => {
  const { store, breaks, wait } = await insured(t)
  breaks(WRITES)
  await store.penalty('a', 100_000)
  for (const seconds of [10, 20, 30, 40, 50]) {
    breaks(WRITES, fails, 1)
    await wait(10)
    const { msBeforeNext } = await store.penalty('a', 0)
    t.ok(msBeforeNext <= (60 - seconds) * 1000, `${msBeforeNext} ms are left after ${seconds} s`)
  }
})

t.test('failures in an outage add to earlier ones, and each keeps its own expiry', async t => {
  const { store, breaks, wait } = await insured(t)
  await store.penalty('a', 1_000_000)
  await wait(20)
  breaks(WRITES)
  const { consumedPoints, msBeforeNext } = await store.penalty('a', 1)
  t.strictSame([consumedPoints, Math.ceil(msBeforeNext / 1000)], [1_000_001, 40])
  t.match(await store.penalty('a', 1_500_000), { consumedPoints: 2_500_001, msBeforeNext: 60_000 })
  await wait(41)
  t.match(await store.penalty('a', 1), { consumedPoints: 1_500_002 })
  await store.delete('a')
  t.match(await store.penalty('a', 1), { consumedPoints: 1 })
})

for (const call of ['get', 'penalty', 'reward'] as const)
  for (const value of [undefined, 'many', { consumedPoints: Number.NaN, msBeforeNext: 1 }])
    t.test(`a shared store whose ${call} returns ${JSON.stringify(value)} counts as down`, async t => {
      const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
      const { one, breaks } = await insured(t)
      breaks([call], async () => value)
      await repeat(12, () => attempt(one.app))
      t.equal(one.checks(), 10)
      t.equal((await attempt(one.app, { ...RIGHT, username: 'bob' })).success, true)
      t.strictSame(outcomes, ['store-down'])
    })

t.test('a failure that cannot be written because a new outage begins is written later', async t => {
  const { store, counted, breaks, comeBack, wait } = await insured(t)
  breaks(WRITES)
  await store.penalty('a', 100_000)
  breaks(WRITES, fails, 1)
  await wait(1.1)
  t.match(await store.penalty('a', 1), { consumedPoints: 100_001 })
  t.match(await counted(), [0])
  await comeBack()
  t.match(await counted(), [100_001])
})

for (const points of [1, 99_999])
  t.test(`points that the shared store counts after the timeout count once: ${points}`, async t => {
    const { clock, store, counted, breaks, wait } = await insured(t)
    breaks(['penalty'], call => {
      breaks([])
      return clock.sleep(3).then(call)
    })
    t.match(await clock.during(store.penalty('a', points)), { consumedPoints: points })
    await wait(3)
    t.match(await store.penalty('a', 1), { consumedPoints: points + 1 })
    t.match(await counted(), [points + 1])
  })

for (const turns of [0, 1])
  t.test(`an event loop that is blocked ${turns} turns after a call causes no outage`, async t => {
    const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
    const shared = new RateLimiterMemory(OPTIONS)
    await shared.penalty('a', 5)
    const penalty = async (key: string, points: number) => {
      // A Redis client sends a command in the turn after the call.
      await setImmediate()
      await stat('.')
      return shared.penalty(key, points)
    }
    const reply = insuredStore(Object.assign(Object.create(shared), { penalty }), OPTIONS).penalty('a', 1)
    for (let i = 0; i < turns; i++) await setImmediate()
    const end = performance.now() + 2_200
    while (performance.now() < end);
    t.match(await reply, { consumedPoints: 6 })
    t.strictSame(outcomes, [])
  })

t.test('the events of an outage are emitted outside the async context of a login', async t => {
  const storage = new AsyncLocalStorage<string>()
  const seen = listen(t, 'throttle', ({ cause }) => [storage.getStore(), cause])
  const { store, breaks, comeBack } = await insured(t)
  breaks(WRITES)
  await storage.run('north', () => store.penalty('a', 1))
  await comeBack()
  t.match(seen, [
    [undefined, { message: 'down' }],
    [undefined, undefined]
  ])
  t.equal(seen.length, 2)
})

t.test('a shared store counts as down until its only failing counter works again', async t => {
  const outcomes = listen(t, 'throttle', ({ outcome }) => outcome)
  const { clock, wait, one, breaks, comeBack } = await insured(t)
  breaks(['penalty'], (call, key) => (key === '192.0.2.1' ? fails(call, key) : call()))
  await repeat(5, async () => {
    await clock.during(attempt(one.app))
    await wait(2)
  })
  t.strictSame(outcomes, ['store-down'])
  await comeBack()
  await attempt(one.app)
  t.strictSame(outcomes, ['store-down', 'store-back'])
})

t.test('an insured store applies the later of two expiries of a key', async t => {
  const { store, memory, breaks } = await insured(t)
  await store.block('a', 100)
  t.equal((await memory.get('a'))?.msBeforeNext, 100_000)
  breaks(['block'])
  await store.block('a', 500)
  t.equal((await store.get('a'))?.msBeforeNext, 500_000)
  await memory.block('a', 900)
  t.equal((await store.get('a'))?.msBeforeNext, 900_000)
})

t.test('an insured store ignores later changes to its options', async t => {
  const { makeStore, breaks, wait } = await insured(t)
  const options = { ...OPTIONS }
  const store = makeStore(options)
  options.duration = 9_999
  breaks(CALLS)
  await store.penalty('a', 1)
  await wait(1)
  const { msBeforeNext = 0 } = (await store.get('a')) ?? {}
  t.equal(Math.ceil(msBeforeNext / 1000), 59)
})

t.test('insuredStore rejects invalid arguments at the start, and the error names the fix', async t => {
  const shared = new RateLimiterMemory(OPTIONS)
  const expected = {
    code: 'FST_SCREEN_AUTH_INVALID_OPTION',
    message: /^screen-auth: option `insuredStore` must be given a limiter .* options of `throttle.store`$/
  }
  const wrong = [
    [undefined, OPTIONS],
    [null, OPTIONS],
    [{}, OPTIONS],
    [Promise.resolve(shared), OPTIONS],
    [new RateLimiterUnion(shared, new RateLimiterMemory({ ...OPTIONS, keyPrefix: 'y' })), OPTIONS],
    [shared],
    [shared, null],
    [shared, { ...OPTIONS, points: 0 }],
    [shared, { ...OPTIONS, duration: 0.5 }]
  ] as unknown as Parameters<typeof insuredStore>[]
  for (const given of wrong) {
    t.throws(() => insuredStore(...given), expected)
    await t.rejects(host(t, { throttle: { store: () => insuredStore(...given) } }), expected)
  }
})
