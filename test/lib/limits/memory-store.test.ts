import t from 'tap'
import { FAILURE, MemoryStore } from '../../../lib/limits/failure-store.ts'
import { repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

const make = (points = 10) => new MemoryStore({ points, duration: 60 })
const fail = (store: MemoryStore, key: string) => store.penalty(key, FAILURE)

for (const [what, points] of [
  ['failures', 10],
  ['blocks', 1]
] as const)
  t.test(`the number of ${what} in memory is bounded, and the oldest is evicted`, async t => {
    const store = make(points)
    await repeat(40_001, i => fail(store, `name-${i}`))
    t.equal(await store.get('name-0'), null)
    t.match(await store.get('name-1'), { consumedPoints: FAILURE })
  })

t.test('a new failure makes its counter the newest', async t => {
  const store = make()
  await repeat(40_000, i => fail(store, `name-${i}`))
  await fail(store, 'name-0')
  await fail(store, 'one-more')
  t.match(await store.get('name-0'), { consumedPoints: 2 * FAILURE })
  t.equal(await store.get('name-1'), null)
})

for (const [what, failures, by] of [
  ['failures of other names do not evict a block', 2, FAILURE],
  ['attempts that have not failed do not evict a failure', 1, 1]
] as const)
  t.test(what, async t => {
    const store = make(2)
    await repeat(failures, () => fail(store, 'victim'))
    await repeat(40_001, i => store.penalty(`name-${i}`, by))
    t.match(await store.get('victim'), { consumedPoints: failures * FAILURE })
    t.equal(await store.get('name-0'), null)
  })

t.test('a counter whose points are all given back is removed, and never becomes negative', async t => {
  const store = make()
  await store.penalty('ada', 2)
  t.match(await store.reward('ada', 1), { consumedPoints: 1 })
  await store.reward('ada', 1)
  t.equal(await store.get('ada'), null)
  await store.reward('ada', 1)
  t.equal(await store.get('ada'), null)
})

t.test('a counter starts again when its duration has passed by the system clock', async t => {
  const clock = stopClock(t)
  const store = make()
  await fail(store, 'eve')
  clock.tick(59.999)
  t.match(await fail(store, 'eve'), { consumedPoints: 2 * FAILURE, msBeforeNext: 1 })
  clock.tick(0.001)
  t.match(await fail(store, 'eve'), { consumedPoints: FAILURE, msBeforeNext: 60_000 })
})

t.test('a blocked key expires after its duration, and a name has at most twenty such keys', async t => {
  const clock = stopClock(t)
  const store = make()
  await repeat(20, i => store.block(`ada@${i}`, 90))
  await store.block('ada@0', 90)
  await store.block('ada@20', 90)
  await store.block('bob@0', 90)
  const isKept = async (key: string) => (await store.get(key)) !== null
  t.equal(await isKept('ada@0'), true, 'it was used again')
  t.equal(await isKept('ada@1'), false)
  for (const key of ['ada@2', 'ada@20', 'bob@0']) t.equal(await isKept(key), true)
  clock.tick(89.999)
  t.match(await store.get('bob@0'), { msBeforeNext: 1 })
  clock.tick(0.001)
  t.equal(await isKept('bob@0'), false)
})

t.test('delete removes failures and blocks', async t => {
  const store = make(2)
  await fail(store, 'eve')
  await repeat(2, () => fail(store, 'ada'))
  for (const key of ['eve', 'ada']) {
    await store.delete(key)
    t.equal(await store.get(key), null)
  }
})
