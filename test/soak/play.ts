import { setTimeout } from 'node:timers/promises'
import type { Tally } from './report.ts'
import type { Kind } from './traffic.ts'

let serial = 0

/**
 * Plays each kind of traffic at an even pace. A slow server makes it take longer, up to about twice the time.
 *
 * @param seconds how long it should take
 * @param share the part of the traffic of ten minutes
 * @param step called at 5 %, 10 %, … 100 % of the work
 */
export async function play(
  kinds: Kind[],
  seconds: number,
  share: number,
  tally: Tally,
  step: (percent: number) => Promise<void> = async () => {}
): Promise<void> {
  const jobs = kinds.map(kind => ({ kind, times: Math.ceil(kind.times * share), started: 0, running: 0 }))
  const all = jobs.reduce((sum, { times }) => sum + times, 0)
  const begin = performance.now()
  const latest = 2 * seconds + 120
  let ended = 0
  let percent = 0

  const start = async (job: (typeof jobs)[number]) => {
    job.started++
    job.running++
    const { name } = job.kind
    try {
      await job.kind.play(serial++, (...seen) => tally.see(name, ...seen))
    } catch (error) {
      tally.fail(name, error)
    }
    job.running--
    ended++
  }

  while (percent < 100) {
    const elapsed = (performance.now() - begin) / 1000
    if (elapsed > latest) {
      tally.late = all - ended
      return
    }
    for (const job of jobs) {
      const due = job.times * Math.min(1, elapsed / seconds)
      while (job.started < due && job.running < job.kind.atATime) start(job)
    }
    for (; percent + 5 <= (100 * ended) / all; percent += 5) await step(percent + 5)
    await setTimeout(4)
  }
}
