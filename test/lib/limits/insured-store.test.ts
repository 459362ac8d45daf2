import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { RateLimiterMemory, RateLimiterUnion } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import { type FailureStoreOptions, insuredStore, type ThrottleEvent } from '../../../lib/index.ts'
import { ADA, collectLog, host } from '../../helpers.ts'
import { attempt, countingHost, never, RIGHT, repeat, together } from './attempts.ts'
import { stopClock } from './clock.ts'

type Call = 'get' | 'penalty' | 'reward' | 'block' | 'delete'
const CALLS: Call[] = ['get', 'penalty', 'reward', 'block', 'delete']
const WRITES = CALLS.slice(1)

/** Two hosts whose stores share one memory, of which calls may fail, or never return. */
async function insuredHosts(t: Test, serverOptions = {}) {
  const clock = stopClock(t)
  let down: readonly Call[] = []
  let fail: () => unknown = () => Promise.reject(new Error('down'))
  let asked = 0
  const counters = new Map<string, RateLimiterMemory>()
  const store = (options: FailureStoreOptions) => {
    const memory = counters.get(options.keyPrefix) ?? new RateLimiterMemory(options)
    counters.set(options.keyPrefix, memory)
    const shared = new Proxy(memory, {
      get(target, name: Call) {
        const value = Reflect.get(target, name)
        if (!CALLS.includes(name)) return value
        asked++
        const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>
        return down.includes(name) ? fail : call
      }
    })
    return insuredStore(shared, options)
  }
  const one = await countingHost(t, { throttle: { store } }, serverOptions)
  const two = await countingHost(t, { throttle: { store } }, serverOptions)
  return {
    clock,
    store,
    one,
    two,
    asked: () => asked,
    breaks(calls: readonly Call[], how = fail) {
      down = calls
      fail = how
    }
  }
}

/** What is published about the store of the throttle. */
function outages(t: Test) {
  const outcomes: string[] = []
  const note = (event: unknown) => void outcomes.push((event as { outcome: string }).outcome)
  subscribe('fastify-screen-auth.throttle', note)
  t.teardown(() => unsubscribe('fastify-screen-auth.throttle', note))
  return outcomes
}

t.test('an insured store counts what is shared for all', async t => {
  const { one, two } = await insuredHosts(t)
  await repeat(5, () => attempt(one.app))
  await repeat(5, () => attempt(two.app))
  for (const { app } of [one, two])
    t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true, retryAfter: 900 })
  t.equal(one.checks() + two.checks(), 10)
})

for (const calls of [CALLS, WRITES, ['get'], ['penalty'], ['reward', 'block', 'delete']] as Call[][])
  t.test(`an insured store blocks after as many failures when the shared one fails to ${calls}`, async t => {
    const { clock, one, breaks } = await insuredHosts(t)
    breaks(calls)
    await repeat(10, async () => t.equal((await clock.during(attempt(one.app))).isBlocked, false))
    t.match(await attempt(one.app, RIGHT), { statusCode: 200, isBlocked: true })
    t.equal(one.checks(), 10)
  })

t.test('what was counted before an outage, meanwhile and after is added up', async t => {
  const { clock, one, breaks } = await insuredHosts(t)
  await repeat(4, () => attempt(one.app))
  breaks(WRITES)
  await repeat(3, () => attempt(one.app))
  breaks([])
  await clock.during(clock.sleep(1))
  await repeat(5, () => attempt(one.app))
  t.equal(one.checks(), 10)
  t.match(await attempt(one.app, RIGHT), { isBlocked: true })
})

for (const isSilent of [false, true])
  t.test(`only the first logins wait while the shared store ${isSilent ? 'is silent' : 'fails'}`, async t => {
    const { clock, one, breaks, asked } = await insuredHosts(t)
    breaks(CALLS, isSilent ? never : undefined)
    const start = Date.now()
    const logins = together(30, i => attempt(one.app, { username: `user-${i}` }))
    for (const { statusCode, success } of await clock.during(logins))
      t.match({ statusCode, success }, { statusCode: 200, success: false })
    t.ok(Date.now() - start < 2_200, `${Date.now() - start} ms`)
    t.equal(one.checks(), 30)

    const before = [asked(), Date.now()] as const
    await attempt(one.app)
    await attempt(one.app, RIGHT)
    await one.app.screenAuth.unlock({ username: 'ada' })
    t.equal(Date.now(), before[1], 'later ones do not wait')
    if (isSilent) t.equal(asked(), before[0])
  })

for (const isSilent of [false, true])
  t.test(`an outage and its end are a line and an event each: isSilent ${isSilent}`, async t => {
    const log = collectLog()
    const outcomes = outages(t)
    const { clock, one, two, breaks } = await insuredHosts(t, log)
    await two.app.close()
    await attempt(one.app)
    const about = () => log.lines.filter(({ msg }) => /the store of the throttle/.test(String(msg)))
    t.strictSame(about(), [])

    breaks(isSilent ? CALLS : WRITES, isSilent ? never : undefined)
    await clock.during(together(3, () => attempt(one.app)))
    await clock.during(clock.sleep(10))
    await clock.during(together(3, () => attempt(one.app)))
    const down =
      'screen-auth: the store of the throttle failed; meanwhile this process counts failed logins for itself'
    t.match(about(), [{ level: 40, msg: down, err: { code: 'FST_SCREEN_AUTH_THROTTLE_FAILED' } }])
    t.match(log.text(), isSilent ? /it has not responded within 2 s/ : /down/)
    t.strictSame(outcomes, ['store-down'])

    breaks([])
    await clock.during(clock.sleep(4))
    t.match(about(), [{ msg: down }, { level: 30, msg: 'screen-auth: the store of the throttle is back' }])
    t.strictSame(outcomes, ['store-down', 'store-back'])
  })

for (const outcome of ['fails', 'succeeds'])
  t.test(`a check that ${outcome} after the shared store has gone is counted as one`, async t => {
    const { store, breaks } = await insuredHosts(t)
    const checkCredentials = () => {
      breaks(CALLS)
      return outcome === 'fails' ? null : ADA
    }
    const throttle = { store, usernameAndAddress: { failures: 3, seconds: 60 } }
    const app = await host(t, { throttle, checkCredentials })
    await repeat(3, async () => t.match(await attempt(app), { statusCode: 200, isBlocked: false }))
    t.equal((await attempt(app)).isBlocked, outcome === 'fails')
  })

t.test('a store that can only be read is down, but the networks that it knows are known', async t => {
  const { clock, one, two, breaks } = await insuredHosts(t)
  await attempt(one.app, RIGHT)
  breaks(WRITES)
  await repeat(60, i => clock.during(attempt(two.app, { address: `10.0.${i % 6}.1` })))
  t.equal((await clock.during(attempt(two.app, RIGHT))).success, true)
  t.equal((await attempt(two.app, { ...RIGHT, address: '10.1.1.1' })).isBlocked, true)
})

t.test('nobody asks whether the store is back when the server is closed', async t => {
  const { clock, one, two, breaks, asked } = await insuredHosts(t)
  breaks(CALLS)
  await attempt(one.app)
  await one.app.close()
  await two.app.close()
  await clock.during(clock.sleep(1))
  const before = asked()
  await clock.during(clock.sleep(10))
  t.equal(asked(), before)
})

/** Not every store can add less than nothing. */
function natural(points: number): number {
  if (points < 0) throw new RangeError('less than nothing')
  return points
}

/** A shared store that may be away or slow, and an insured one around it. */
function insured(t: Test) {
  const clock = stopClock(t)
  const options = { keyPrefix: 'x', points: 10, duration: 60 }
  const shared = new RateLimiterMemory(options)
  let calls = Number.POSITIVE_INFINITY
  let delay = 0
  const change = async <T>(call: () => Promise<T>): Promise<T> => {
    if (calls-- <= 0) throw new Error('away')
    const seconds = delay
    delay = 0
    if (seconds > 0) await clock.sleep(seconds)
    return call()
  }
  const store = insuredStore(
    {
      get: key => shared.get(key),
      penalty: (key, points, given) => change(() => shared.penalty(key, natural(points), given)),
      reward: (key, points) => change(() => shared.reward(key, natural(points))),
      block: (key, seconds) => shared.block(key, seconds),
      delete: key => shared.delete(key)
    },
    options
  )
  return {
    store,
    shared: async () => (await shared.get('a'))?.consumedPoints ?? 0,
    secondsLeft: async () => Math.round(Number((await shared.get('a'))?.msBeforeNext) / 1000),
    wait: (seconds: number) => clock.during(clock.sleep(seconds)),
    during: clock.during,
    /** Goes away, after so many more calls. */
    goAway(after = 0) {
      calls = after
    },
    /** Comes back, and waits until that is noticed. */
    async comeBack() {
      calls = Number.POSITIVE_INFINITY
      await clock.during(clock.sleep(1.1))
    },
    nextIsLate() {
      delay = 3
    }
  }
}

t.test('a place that was given back in an outage is given back to the shared store after it', async t => {
  const { store, shared, goAway, comeBack } = insured(t)
  await repeat(2, () => store.penalty('a', 1))
  goAway()
  await repeat(2, () => store.reward('a', 1))
  await comeBack()
  t.equal(await shared(), 0)
})

t.test('a place whose counter has started again meanwhile gives none away in the next one', async t => {
  const { store, shared, goAway, comeBack, wait } = insured(t)
  await repeat(5, () => store.penalty('a', 1))
  await wait(50)
  goAway()
  await repeat(5, () => store.reward('a', 1))
  await wait(11)
  await comeBack()
  t.equal(await shared(), 0)
  t.match(await store.penalty('a', 1), { consumedPoints: 1 })
})

t.test('what failed in an outage is told to the shared store after it, and kept no longer', async t => {
  const { store, shared, secondsLeft, goAway, comeBack, wait } = insured(t)
  await store.penalty('b', 1)
  goAway()
  await repeat(3, () => store.penalty('a', 100_000))
  await wait(40)
  await comeBack()
  t.equal(await shared(), 300_000)
  t.equal(await secondsLeft(), 19)
  t.match(await store.penalty('a', 1), { consumedPoints: 300_001 })
})

t.test('what failed so long ago that it is forgotten is not told', async t => {
  const { store, shared, goAway, comeBack, wait } = insured(t)
  goAway()
  await store.penalty('a', 100_000)
  await wait(61)
  await comeBack()
  t.equal(await shared(), 0)
})

t.test('what failed is kept no longer because the shared store comes and goes', async t => {
  const { store, goAway, wait } = insured(t)
  goAway()
  await store.penalty('a', 100_000)
  for (const seconds of [10, 20, 30, 40, 50]) {
    goAway(1)
    await wait(10)
    const { msBeforeNext } = await store.penalty('a', 0)
    t.ok(msBeforeNext <= (60 - seconds) * 1000, `${msBeforeNext} ms are left after ${seconds} s`)
  }
})

t.test('one outage after the other gives nobody more guesses', async t => {
  const { clock, one, breaks } = await insuredHosts(t)
  for (let i = 0; i < 5; i++) {
    await repeat(4, () => attempt(one.app))
    breaks(WRITES)
    await repeat(4, () => attempt(one.app))
    breaks([])
    await clock.during(clock.sleep(2))
  }
  t.equal(one.checks(), 10)
})

t.test('in an outage a person is told when the failures of before are forgotten', async t => {
  const { store, goAway, wait } = insured(t)
  await store.penalty('a', 1_000_000)
  await wait(20)
  goAway()
  const { consumedPoints, msBeforeNext } = await store.penalty('a', 1)
  t.equal(consumedPoints, 1_000_001)
  t.equal(Math.ceil(msBeforeNext / 1000), 40)
  await store.delete('a')
  t.match(await store.penalty('a', 1), { consumedPoints: 1 })
})

t.test('what is counted in an outage and known from before wears off one after the other', async t => {
  const { store, goAway, wait } = insured(t)
  await store.penalty('a', 100_000)
  await wait(20)
  goAway()
  t.match(await store.penalty('a', 200_000), { consumedPoints: 300_000, msBeforeNext: 60_000 })
  await wait(41)
  t.match(await store.penalty('a', 1), { consumedPoints: 200_001 })
})

for (const call of ['get', 'penalty', 'reward'] as const)
  for (const value of [undefined, 'many', { consumedPoints: Number.NaN, msBeforeNext: 1 }])
    t.test(`a shared store whose ${call} returns ${JSON.stringify(value)} is down`, async t => {
      const outcomes = outages(t)
      const { one, breaks } = await insuredHosts(t)
      breaks([call], async () => value)
      await repeat(12, () => attempt(one.app))
      t.equal(one.checks(), 10)
      t.equal((await attempt(one.app, { ...RIGHT, username: 'bob' })).success, true)
      t.strictSame(outcomes, ['store-down'])
    })

t.test('what is told while the shared store goes away again is told later', async t => {
  const { store, shared, goAway, comeBack, wait } = insured(t)
  goAway()
  await store.penalty('a', 100_000)
  goAway(1)
  await wait(1.1)
  t.match(await store.penalty('a', 1), { consumedPoints: 100_001 })
  t.equal(await shared(), 0)
  await comeBack()
  t.equal(await shared(), 100_001)
})

for (const points of [1, 99_999])
  t.test(`what the shared store has counted too late is counted once: ${points}`, async t => {
    const { store, shared, during, nextIsLate, wait } = insured(t)
    nextIsLate()
    t.match(await during(store.penalty('a', points)), { consumedPoints: points })
    await wait(3)
    t.match(await store.penalty('a', 1), { consumedPoints: points + 1 })
    t.equal(await shared(), points + 1)
  })

for (const turns of [0, 1])
  t.test(`a store is not silent because the process was busy: ${turns} turns after it was asked`, async t => {
    const options = { keyPrefix: 'x', points: 10, duration: 60 }
    const shared = new RateLimiterMemory(options)
    await shared.penalty('a', 5)
    const penalty = async (key: string, points: number) => {
      // A client of Redis sends in the next turn what it was given in one.
      await setImmediate()
      await stat('.')
      return shared.penalty(key, points)
    }
    const outcomes = outages(t)
    const reply = insuredStore(Object.assign(Object.create(shared), { penalty }), options).penalty('a', 1)
    for (let i = 0; i < turns; i++) await setImmediate()
    const end = performance.now() + 2_200
    while (performance.now() < end);
    t.match(await reply, { consumedPoints: 6 })
    t.strictSame(outcomes, [])
  })

t.test('the events of an outage belong to no login', async t => {
  const storage = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const note = (event: unknown) => void seen.push(storage.getStore(), (event as ThrottleEvent).cause)
  subscribe('fastify-screen-auth.throttle', note)
  t.teardown(() => unsubscribe('fastify-screen-auth.throttle', note))
  const { store, goAway, comeBack } = insured(t)
  goAway()
  await storage.run('north', () => store.penalty('a', 1))
  await comeBack()
  t.match(seen, [undefined, { message: 'away' }, undefined, undefined])
  t.equal(seen.length, 4)
})

t.test('a shared store of which one counter fails is down until that is back', async t => {
  const clock = stopClock(t)
  const outcomes = outages(t)
  let isAway = true
  const store = (options: FailureStoreOptions) => {
    const shared = new RateLimiterMemory(options)
    const penalty = async (key: string, points: number) => {
      if (isAway && key === '192.0.2.1') throw new Error('away')
      return shared.penalty(key, points)
    }
    return insuredStore(Object.assign(Object.create(shared), { penalty }), options)
  }
  const { app } = await countingHost(t, { throttle: { store } })
  await repeat(5, async () => {
    await clock.during(attempt(app))
    await clock.during(clock.sleep(2))
  })
  t.strictSame(outcomes, ['store-down'])
  isAway = false
  await clock.during(clock.sleep(1.1))
  await attempt(app)
  t.strictSame(outcomes, ['store-down', 'store-back'])
})

t.test('an insured store keeps a key as long as both can', async t => {
  stopClock(t)
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const store = insuredStore(shared, options)
  await store.block('a', 100)
  t.equal((await shared.get('a'))?.msBeforeNext, 100_000)
  const down = t.intercept(shared, 'block', { value: () => Promise.reject(new Error('down')) })
  await store.block('a', 500)
  down.restore()
  t.equal((await store.get('a'))?.msBeforeNext, 500_000)
  await shared.block('a', 900)
  t.equal((await store.get('a'))?.msBeforeNext, 900_000)
})

t.test('an insured store of something else stops the start with the name and the fix', async t => {
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const expected = {
    code: 'FST_SCREEN_AUTH_INVALID_OPTION',
    message: /^screen-auth: option `insuredStore` must be given a limiter .* options of `throttle.store`$/
  }
  const wrong = [
    [undefined, options],
    [null, options],
    [{}, options],
    [Promise.resolve(shared), options],
    [new RateLimiterUnion(shared, new RateLimiterMemory({ ...options, keyPrefix: 'y' })), options],
    [shared],
    [shared, null],
    [shared, { ...options, points: 0 }],
    [shared, { ...options, duration: 0.5 }]
  ] as unknown as Parameters<typeof insuredStore>[]
  for (const given of wrong) {
    t.throws(() => insuredStore(...given), expected)
    await t.rejects(host(t, { throttle: { store: () => insuredStore(...given) } }), expected)
  }
})
