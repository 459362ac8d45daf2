import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { RateLimiterMemory, RateLimiterUnion } from 'rate-limiter-flexible'
import t, { type Test } from 'tap'
import { type FailureStore, type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { collectLog, host } from '../../helpers.ts'
import { attempt, countingHost, RIGHT, repeat } from './attempts.ts'

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
  const [one, two] = await insuredHosts(t, new Set())
  await repeat(5, () => attempt(one.app))
  await repeat(5, () => attempt(two.app))
  for (const { app } of [one, two])
    t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true, retryAfter: 900 })
  t.equal(one.checks() + two.checks(), 10)
})

t.test('whatever the shared store does not do, an insured one blocks after as many failures', async t => {
  const outages: (typeof CALLS)[number][][] = [
    [...CALLS],
    ['penalty', 'block', 'delete'],
    ['get'],
    ['penalty']
  ]
  for (const calls of outages) {
    const failing = new Set(calls)
    const [{ app, checks }] = await insuredHosts(t, failing)
    await repeat(9, () => attempt(app))
    t.equal((await attempt(app, RIGHT)).success, true, `${calls}: nine are not too many`)
    await repeat(12, () => attempt(app))
    t.match(await attempt(app, RIGHT), { statusCode: 200, isBlocked: true }, `${calls}`)
    t.ok(checks() <= 20, `${calls}: ${checks()}`)
  }
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
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const store = insuredStore(shared, options)
  await store.block('a', 100)
  const down = t.intercept(shared, 'block', { value: () => Promise.reject(new Error('down')) })
  await store.block('a', 500)
  down()
  const { msBeforeNext } = (await store.get('a')) ?? { msBeforeNext: 0 }
  t.ok(msBeforeNext > 490_000 && msBeforeNext <= 500_000, `${msBeforeNext}`)
})

t.test('what an insured store blocks is blocked in the shared one', async t => {
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  await insuredStore(shared, options).block('a', 100)
  t.ok(((await shared.get('a'))?.msBeforeNext ?? 0) > 90_000)
})

t.test('an insured store waits two seconds for the shared one', async t => {
  const never = () => new Promise<never>(() => {})
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const store = insuredStore(
    { get: never, penalty: never, reward: never, block: never, delete: never },
    options
  )
  const start = performance.now()
  const [count] = await Promise.all([
    store.penalty('a'),
    store.get('b'),
    store.block('c', 9),
    store.delete('d')
  ])
  t.equal(count.consumedPoints, 1)
  const millis = performance.now() - start
  t.ok(millis > 1_900 && millis < 4_000, `${millis}`)
})

t.test('the log says that the shared store was silent', async t => {
  const log = collectLog()
  const never = () => new Promise<never>(() => {})
  const shared = { get: never, penalty: never, reward: never, block: never, delete: never }
  const store = (options: FailureStoreOptions) => insuredStore(shared, options)
  const { app } = await countingHost(t, { throttle: { store } }, log)
  t.match(await attempt(app), { statusCode: 200, success: false })
  t.match(log.text(), /it took longer than 2 s/)
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

t.test(
  'while the shared store is silent nobody waits for it, and one question at a time asks whether it is back',
  async t => {
    let asked = 0
    let respond: () => Promise<unknown> = () => new Promise(() => {})
    const ask = async () => {
      asked++
      return respond()
    }
    const options = { keyPrefix: 'x', points: 1, duration: 60 }
    const shared = { get: ask, penalty: ask, reward: ask, block: ask, delete: ask } as unknown as FailureStore
    const store = insuredStore(shared, options)
    const askFiveTimes = async () => {
      const before = asked
      await Promise.all([
        store.penalty('a'),
        store.get('a'),
        store.reward('z'),
        store.block('a', 9),
        store.delete('b')
      ])
      return asked - before
    }
    t.equal(await askFiveTimes(), 5)
    t.equal(await askFiveTimes(), 1)
    t.equal(await askFiveTimes(), 0, 'the first question is still open')

    await sleep(2_100)
    respond = () => Promise.reject(new Error('down'))
    t.equal(await askFiveTimes(), 1)
    await setImmediate()
    t.equal(await askFiveTimes(), 5, 'a failure is as quick as a response')

    respond = () => new Promise(() => {})
    await store.get('a')
    respond = async () => null
    t.equal(await store.get('c'), null)
    await setImmediate()
    t.equal(await askFiveTimes(), 5)
  }
)

t.test('a login waits only once for each shared store that is silent', async t => {
  const never = () => new Promise<never>(() => {})
  const shared = { get: never, penalty: never, reward: never, block: never, delete: never }
  const store = (options: FailureStoreOptions) => insuredStore(shared, options)
  const { app } = await countingHost(t, { throttle: { store } })
  const start = performance.now()
  t.match(await attempt(app), { statusCode: 200, success: false })
  t.ok(performance.now() - start < 8_000)
})

t.test('a shared store that throws at once is asked again, too', async t => {
  let respond: () => Promise<unknown> = () => new Promise(() => {})
  let asked = 0
  const ask = () => {
    asked++
    return respond()
  }
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = { get: ask, penalty: ask, reward: ask, block: ask, delete: ask } as unknown as FailureStore
  const store = insuredStore(shared, options)
  await store.get('a')
  respond = () => {
    throw new Error('at once')
  }
  await store.get('a')
  await setImmediate()
  asked = 0
  await store.get('a')
  t.equal(asked, 1)
})

t.test('a block is as long in both, also where the shared store cannot count 30 days', async t => {
  const options = { keyPrefix: 'x', points: 1, duration: 60 }
  const shared = new RateLimiterMemory(options)
  const store = insuredStore(shared, options)
  await store.block('a', 30 * 86_400)
  t.ok(((await store.get('a'))?.msBeforeNext ?? 0) <= 2_147_483_000)
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
