import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Test } from 'tap'
import type { Store } from '../../../lib/index.ts'

const MINUTE = 60_000

/**
 * Tests that a store keeps what its type promises.
 *
 * @param open returns a store, and a function that lets milliseconds pass
 */
export function testStore(t: Test, name: string, open: (t: Test) => Promise<[Store, wait: (ms: number) => unknown]>) {
  t.test(`${name} counts like a Set of ids with a limit`, async t => {
    const [store] = await open(t)
    const call = fc.record({
      name: fc.constantFrom('take', 'take', 'giveBack', 'delete'),
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      limit: fc.integer({ min: 1, max: 3 })
    })
    const property = fc.asyncProperty(fc.array(call, { maxLength: 40 }), async calls => {
      const [key, ids] = [`count:${randomUUID()}`, new Set<string>()]
      for (const { name, id, limit } of calls) {
        if (name === 'delete') ids.clear()
        if (name === 'delete') await store.delete(key)
        if (name === 'giveBack') ids.delete(id)
        if (name === 'giveBack') await store.giveBack(key, id)
        if (name !== 'take') continue
        if (ids.size < limit) ids.add(id)
        const { taken, ms } = await store.take(key, limit, MINUTE, id)
        if (taken !== ids.has(id) || ms <= 0 || ms > MINUTE) return false
      }
    })
    await fc.assert(property, { numRuns: 100 })
  })

  t.test(`${name} ends a count some time after its first id, or with its last one`, async t => {
    const [store, wait] = await open(t)
    const takes = async (key: string, limit: number, id: string, ms = MINUTE) =>
      (await store.take(key, limit, ms, id)).taken
    t.strictSame([await takes('count:x', 2, 'a', 2_000), await takes('count:x', 2, 'b')], [true, true])
    await takes('count:y', 1, 'a', 2_000)
    await store.giveBack('count:y', 'a')
    await takes('count:y', 1, 'b')
    await wait(2_100)
    t.strictSame([await takes('count:x', 2, 'c'), await takes('count:x', 2, 'd')], [true, true])
    // Ids of the count before, one of them twice, free no place.
    for (const id of ['a', 'a', 'b']) await store.giveBack('count:x', id)
    t.strictSame([await takes('count:x', 2, 'e'), await takes('count:y', 1, 'c')], [false, false])
  })

  t.test(`${name} keeps a value until it ends, and touch moves its end but creates none`, async t => {
    const [store, wait] = await open(t)
    for (const value of [{ a: [1, null, 'é'] }, 0, 'x']) {
      await store.set('value:kept', value, MINUTE)
      t.strictSame(await store.get('value:kept'), value)
    }
    const ended = ['value:set', 'value:touched', 'value:deleted']
    for (const key of ended) await store.set(key, 1, MINUTE)
    await store.set('value:set', 2, 50)
    await store.touch('value:touched', 50)
    await store.delete('value:deleted')
    await wait(100)
    for (const key of ended) {
      await store.touch(key, MINUTE)
      t.equal(await store.get(key), null, key)
    }
  })
}
