import t from 'tap'
import { type FailureStore, type FailureStoreOptions, insuredStore } from '../../../lib/index.ts'
import { collectLog } from '../../helpers.ts'
import { attempt, countingHost, never } from './attempts.ts'
import { stopClock, turns } from './clock.ts'

const silent = { get: never, penalty: never, reward: never, block: never, delete: never }
const options = { keyPrefix: 'x', points: 1, duration: 60 }

/** An insured store whose shared one responds as the test says: at first not at all. */
function insured() {
  let asked = 0
  let respond: () => Promise<unknown> = never
  const ask = () => {
    asked++
    return respond()
  }
  const shared = { get: ask, penalty: ask, reward: ask, block: ask, delete: ask } as unknown as FailureStore
  return {
    store: insuredStore(shared, options),
    asked: () => asked,
    responds(how: () => Promise<unknown>) {
      respond = how
    }
  }
}

/** Asks a store for something of each kind. */
const askAll = (store: FailureStore) =>
  Promise.all([store.penalty('a'), store.get('a'), store.reward('z'), store.block('a', 9), store.delete('b')])

t.test('an insured store waits two seconds for the shared one, and then counts for itself', async t => {
  const clock = stopClock(t)
  const store = insuredStore(silent, options)
  let isOver = false
  const counts = Promise.all([store.penalty('a'), store.get('b'), store.block('c', 9), store.delete('d')])
  const isCounted = counts.then(([count]) => {
    isOver = true
    t.equal(count.consumedPoints, 1)
  })
  await turns()
  clock.tick(1.999)
  await turns()
  t.equal(isOver, false)
  clock.tick(0.001)
  await isCounted
})

t.test('the log says that the shared store was silent', async t => {
  const clock = stopClock(t)
  const log = collectLog()
  const store = (options: FailureStoreOptions) => insuredStore(silent, options)
  const { app } = await countingHost(t, { throttle: { store } }, log)
  t.match(await clock.during(attempt(app)), { statusCode: 200, success: false })
  t.match(log.text(), /it took longer than 2 s/)
})

t.test('a login waits only once for each shared store that is silent', async t => {
  const clock = stopClock(t)
  const store = (options: FailureStoreOptions) => insuredStore(silent, options)
  const { app } = await countingHost(t, { throttle: { store } })
  const start = Date.now()
  t.match(await clock.during(attempt(app)), { statusCode: 200, success: false })
  // Four of the five are asked together.
  t.ok(Date.now() - start < 5_000, `${Date.now() - start} ms`)
})

t.test('while the shared store is silent one question at a time asks whether it is back', async t => {
  const clock = stopClock(t)
  const { store, asked } = insured()
  await clock.during(askAll(store))
  t.equal(asked(), 5)
  await askAll(store)
  t.equal(asked(), 6, 'nobody waits for it')
  await askAll(store)
  t.equal(asked(), 6, 'the first question is still open')
  clock.tick(2)
  await turns()
  await askAll(store)
  t.equal(asked(), 7, 'the first question got no response')
})

for (const [what, respond] of [
  ['responds', async () => null],
  ['fails', () => Promise.reject(new Error('down'))],
  [
    'throws at once',
    () => {
      throw new Error('at once')
    }
  ]
] as const)
  t.test(`a shared store that was silent is asked again once it ${what}`, async t => {
    const clock = stopClock(t)
    const { store, asked, responds } = insured()
    await clock.during(store.get('a'))
    responds(respond)
    t.equal(await store.get('c'), null)
    await turns()
    const before = asked()
    await askAll(store)
    t.equal(asked() - before, 5)
  })
