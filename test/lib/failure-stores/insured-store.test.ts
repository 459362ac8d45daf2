import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { RateLimiterMemory, RateLimiterUnion } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import { type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { ADA, collectLog, host } from '../../helpers.ts'
import { attempt, countingHost, never, RIGHT, repeat, together } from '../limits/attempts.ts'
import { stopClock, turns } from '../limits/clock.ts'

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
  t.test(
    `logins at once while the shared store ${isSilent ? 'is silent' : 'fails'} are rejected, the first ones after two seconds`,
    async t => {
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
      t.equal(Date.now(), before[1], 'later ones do not wait')
      if (isSilent) t.equal(asked(), before[0])
    }
  )

for (const isSilent of [false, true])
  t.test(
    `an outage is one warning and one event, and so is its end: the store ${isSilent ? 'was silent' : 'failed'}`,
    async t => {
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
      t.strictSame(outcomes, ['store-down'])

      breaks([])
      await clock.during(clock.sleep(4))
      t.match(about(), [{ msg: down }, { level: 30, msg: 'screen-auth: the store of the throttle is back' }])
      t.strictSame(outcomes, ['store-down', 'store-back'])
    }
  )

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

t.test('a place that was reserved too late is given back', async t => {
  const clock = stopClock(t)
  const options = { keyPrefix: 'x', points: 5, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const penalty = shared.penalty.bind(shared)
  t.intercept(shared, 'penalty', {
    value: async (...args: Parameters<typeof penalty>) => {
      await clock.sleep(3)
      return penalty(...args)
    }
  })
  const store = insuredStore(shared, options)
  t.match(await clock.during(store.penalty('a', 1)), { consumedPoints: 1 })
  await clock.during(clock.sleep(2))
  await turns()
  t.equal((await shared.get('a'))?.consumedPoints, 0)
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
  down()
  t.equal((await store.get('a'))?.msBeforeNext, 500_000)
})

t.test(
  'an insured store of something else stops the start with the name of the function and the fix',
  async t => {
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
  }
)
