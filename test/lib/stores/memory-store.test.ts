import t from 'tap'
import { MemoryStore } from '../../../lib/stores/memory-store.ts'
import { stopClock } from '../../clock.ts'
import { testStore } from './contract.ts'

testStore(t, 'MemoryStore', async t => {
  const clock = stopClock(t)
  return [new MemoryStore(), ms => clock.tick(ms / 1000)]
})

for (const [what, seconds, left] of [
  ['back by a day', -86_400, 60_000],
  ['forward by less than the rest', 20, 40_000]
] as const)
  t.test(`a full count lasts no longer than its time after the clock was set ${what}`, async t => {
    const store = new MemoryStore()
    const now = Date.now()
    t.intercept(Date, 'now', { value: () => now, configurable: true })
    store.take('count:', 1, 60_000, 'a')
    t.intercept(Date, 'now', { value: () => now + seconds * 1000 })
    t.strictSame(store.take('count:', 1, 60_000, 'b'), { taken: false, ms: left })
    t.intercept(Date, 'now', { value: () => now + seconds * 1000 + left })
    t.match(store.take('count:', 1, 60_000, 'b'), { taken: true })
  })

/** Takes a place in more counts than a kind has room for, and again and again in the first one. */
function fill(store: MemoryStore, kind: string, limit: number) {
  for (let i = 0; i < 60_000; i++) store.take(`${kind}:${i % 1_000 === 0 ? 0 : i}`, limit, 60_000, `${i}`)
}

const areKept = (store: MemoryStore, ...keys: string[]) => keys.map(key => !store.take(key, 1, 60_000, 'new').taken)

for (const limit of [1, 100])
  t.test(`the number of counts with ${limit} places is bounded, and those that changed last are kept`, async t => {
    const store = new MemoryStore()
    fill(store, 'count', limit)
    t.strictSame(areKept(store, 'count:1', 'count:59999'), [false, true])
    const hasAllIds = !store.take('count:0', 60, 60_000, 'new').taken
    t.equal(hasAllIds, limit > 1)
  })

t.test('junk keys evict no full count, and nothing of another kind', async t => {
  const store = new MemoryStore()
  store.take('name:victim', 1, 60_000, 'a')
  store.set('session:victim', 1, 60_000)
  fill(store, 'name', 2)
  fill(store, 'address', 1)
  t.strictSame([...areKept(store, 'name:victim'), store.get('session:victim')], [true, 1])
})
