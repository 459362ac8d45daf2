import t from 'tap'
import { needs } from '../needs.ts'
import { type Figures, inWords, isClean } from './figures.ts'
import { show } from './show.ts'

/** Milliseconds that a login may take, the longest of all (README, `checks.timeout`), and what the load adds. */
const LONGEST = 12_000

if (needs(t, 'redis-server')) {
  // Not in the outermost test, which ends when it cleans up.
  t.test('four processes are one server', async t => {
    const all: Figures[] = []
    await show(t, figures => {
      all.push(figures)
      t.ok(isClean(figures), `${figures.title}, and nothing is refused or wrong`, { figures })
      t.ok(figures.slowest < LONGEST, `${figures.title}, and nobody waits for ever`)
    })
    t.comment(inWords(all))
    const postponed = all.filter(({ postponed }) => postponed > 0).map(({ title }) => title)
    t.strictSame(
      postponed,
      ['Redis is stopped and started under load'],
      'only then somebody has to come back'
    )
  })
}
