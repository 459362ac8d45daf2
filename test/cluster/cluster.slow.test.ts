import t from 'tap'
import { needs } from '../needs.ts'
import { PATIENCE } from '../soak/client.ts'
import { type Figures, inWords, isClean } from './figures.ts'
import { show } from './show.ts'

if (needs(t, 'redis-server')) {
  // A subtest: a teardown of the root test would end it too early.
  t.test('four processes are one server', async t => {
    const all: Figures[] = []
    await show(t, figures => {
      all.push(figures)
      t.ok(isClean(figures), `${figures.title}, and nothing is refused or wrong`, { figures })
      // A request that hangs is sent again after this time. How long others take depends on the machine.
      t.ok(figures.slowest < PATIENCE, `${figures.title}, and no request hangs`)
    })
    t.comment(inWords(all))
  })
}
