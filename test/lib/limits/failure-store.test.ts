import t from 'tap'
import { MemoryStore } from '../../../lib/limits/memory-store.ts'
import { repeat } from './attempts.ts'
import { stopClock } from './clock.ts'

const make = (points = 10) => new MemoryStore({ points, duration: 60 })

t.test('memory is bounded however many names are tried: the oldest counter goes', async t => {
  const store = make()
  await repeat(40_001, i => store.penalty(`name-${i}`))
  t.equal(await store.get('name-0'), null)
  t.match(await store.get('name-1'), { consumedPoints: 1 })
})

t.test('a counter that is counted again is not the oldest', async t => {
  const store = make()
  await repeat(40_000, i => store.penalty(`name-${i}`))
  await store.penalty('name-0')
  await store.penalty('one-more')
  t.match(await store.get('name-0'), { consumedPoints: 2 })
  t.equal(await store.get('name-1'), null)
})

t.test('a block is not pushed out by failures of other names', async t => {
  const store = make(1)
  await store.penalty('victim')
  await store.block('victim', 900)
  await store.penalty('victim')
  await repeat(40_001, i => store.penalty(`name-${i}`))
  t.match(await store.get('victim'), { consumedPoints: 3 })
})

t.test('blocks are bounded, too', async t => {
  const store = make()
  await repeat(40_001, i => store.block(`name-${i}`, 900))
  t.equal(await store.get('name-0'), null)
  t.match(await store.get('name-1'), { consumedPoints: 11 })
})

t.test('a point that is given back leaves nothing behind, and what has none gets none', async t => {
  const store = make()
  await store.penalty('ada')
  await store.penalty('ada')
  t.match(await store.reward('ada'), { consumedPoints: 1 })
  t.match(await store.reward('ada'), { consumedPoints: 0 })
  t.equal(await store.get('ada'), null)
  t.match(await store.reward('ada'), { consumedPoints: 0 })
  t.match(await store.penalty('ada'), { consumedPoints: 1 })
})

t.test('a counter starts again when its time is over', async t => {
  const clock = stopClock(t)
  const store = make()
  await store.penalty('eve')
  clock.tick(59.999)
  t.match(await store.penalty('eve'), { consumedPoints: 2 })
  clock.tick(0.001)
  t.match(await store.penalty('eve'), { consumedPoints: 1 })
})

t.test('a block ends when its time is over', async t => {
  const clock = stopClock(t)
  const store = make()
  await store.block('ada', 90)
  clock.tick(89.999)
  t.match(await store.get('ada'), { consumedPoints: 11 })
  clock.tick(0.001)
  t.equal(await store.get('ada'), null)
})

t.test('a block ends also while the machine sleeps, when no other clock goes on', async t => {
  const store = make()
  await store.block('ada', 90)
  const end = Date.now() + 91_000
  t.intercept(Date, 'now', { value: () => end })
  t.equal(await store.get('ada'), null)
})

t.test('what is deleted is gone, counted or blocked', async t => {
  const store = make()
  await store.penalty('eve')
  await store.block('ada', 90)
  for (const key of ['eve', 'ada']) {
    await store.delete(key)
    t.equal(await store.get(key), null)
  }
})
