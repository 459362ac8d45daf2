import { RateLimiterMemory, RateLimiterUnion } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import { type FailureStore, type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { collectLog, host } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

/** Hosts whose shared store counts in one memory, but for the calls that fail. */
async function insuredHosts(t: Test, failing: Set<keyof FailureStore>, serverOptions = {}) {
  const counters = new Map<string, RateLimiterMemory>()
  const store = (options: FailureStoreOptions) => {
    const memory = counters.get(options.keyPrefix) ?? new RateLimiterMemory(options)
    counters.set(options.keyPrefix, memory)
    const shared = new Proxy(memory, {
      get: (target, name: keyof FailureStore) =>
        failing.has(name) ? () => Promise.reject(new Error('down')) : Reflect.get(target, name).bind(target)
    })
    return insuredStore(shared, options)
  }
  return [
    await countingHost(t, { throttle: { store } }, serverOptions),
    await countingHost(t, { throttle: { store } }, serverOptions)
  ] as const
}

const CALLS = ['get', 'penalty', 'block', 'delete'] as const

t.test('an insured store counts what is shared for all', async t => {
  stopClock(t)
  const [one, two] = await insuredHosts(t, new Set())
  await repeat(5, () => attempt(one.app))
  await repeat(5, () => attempt(two.app))
  for (const { app } of [one, two])
    t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true, retryAfter: 900 })
  t.equal(one.checks() + two.checks(), 10)
})

for (const calls of [CALLS, ['penalty', 'block', 'delete'], ['get'], ['penalty']] as const)
  t.test(`an insured store blocks after as many failures when the shared one fails to ${calls}`, async t => {
    const [{ app, checks }] = await insuredHosts(t, new Set(calls))
    await repeat(9, () => attempt(app))
    t.equal((await attempt(app, RIGHT)).success, true, 'nine are not too many')
    await repeat(12, () => attempt(app))
    t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true })
    t.ok(checks() <= 20, `${checks()}`)
  })

t.test('what was counted before an outage, meanwhile and after is added up', async t => {
  const failing = new Set<keyof FailureStore>()
  const [{ app, checks }] = await insuredHosts(t, failing)
  await repeat(4, () => attempt(app))
  for (const call of ['penalty', 'block'] as const) failing.add(call)
  await repeat(3, () => attempt(app))
  failing.clear()
  await repeat(5, () => attempt(app))
  t.equal(checks(), 10)
  t.match(await attempt(app, RIGHT), { isBlocked: true })
})

t.test('a success clears both counts of an insured store', async t => {
  const failing = new Set<keyof FailureStore>()
  const [{ app }] = await insuredHosts(t, failing)
  await repeat(4, () => attempt(app))
  failing.add('penalty')
  await repeat(4, () => attempt(app))
  failing.clear()
  t.equal((await attempt(app, RIGHT)).success, true)
  await repeat(9, () => attempt(app))
  t.equal((await attempt(app, RIGHT)).success, true)
})

t.test('an insured store says how long the longer of its counts blocks', async t => {
  stopClock(t)
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const store = insuredStore(shared, options)
  await store.block('a', 100)
  const down = t.intercept(shared, 'block', { value: () => Promise.reject(new Error('down')) })
  await store.block('a', 500)
  down()
  t.equal((await store.get('a'))?.msBeforeNext, 500_000)
})

t.test('what an insured store blocks is blocked in the shared one', async t => {
  stopClock(t)
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  await insuredStore(shared, options).block('a', 100)
  t.equal((await shared.get('a'))?.msBeforeNext, 100_000)
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

t.test('a block is as long in both, also where the shared store cannot count 30 days', async t => {
  stopClock(t)
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const store = insuredStore(shared, options)
  await store.block('a', 30 * 86_400)
  t.equal((await store.get('a'))?.msBeforeNext, 2_147_483_000)
})

t.test('what was counted in one of two is taken back from that', async t => {
  const options = { keyPrefix: 'x', points: 5, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const store = insuredStore(shared, options)
  await store.penalty('a')
  const down = t.intercept(shared, 'penalty', { value: () => Promise.reject(new Error('down')) })
  await store.penalty('a')
  down()
  await store.reward('a')
  t.match(await store.get('a'), { consumedPoints: 1 })
  await store.reward('a')
  t.equal((await shared.get('a'))?.consumedPoints, 0)
  t.intercept(shared, 'reward', { value: () => Promise.reject(new Error('down')) })
  t.match(await store.reward('a'), { consumedPoints: 0 })
})

t.test('the log says once a minute that the shared store fails, and never that it works', async t => {
  const log = collectLog()
  const failing = new Set<keyof FailureStore>()
  const [{ app }] = await insuredHosts(t, failing, log)
  const warnings = () => log.lines.filter(({ level }) => level === 40)
  await attempt(app)
  t.strictSame(warnings(), [])
  for (const call of CALLS) failing.add(call)
  await repeat(3, () => attempt(app))
  // By username, by address, by both, the networks, and what is running.
  t.equal(warnings().length, 5)
  for (const warning of warnings()) {
    t.match(warning, {
      msg: 'screen-auth: the store of the throttle failed; meanwhile this process counts failed logins for itself',
      err: { code: 'FST_SCREEN_AUTH_THROTTLE_FAILED', message: /down/ }
    })
  }
  const { now } = performance
  t.intercept(performance, 'now', { value: () => now.call(performance) + 60_000 })
  await repeat(3, () => attempt(app))
  t.equal(warnings().length, 10)
})
