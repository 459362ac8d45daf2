// Sessions of two processes in any order of calls, messages and faults: see schedules.ts.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { holdsAs } from '../../../../fuzz/runs.ts'

t.jobs = 2

for (const [kind, what, share] of [
  ['reporting', 'a store that reports its changes', 35],
  ['asked', 'a store that is asked', 15]
] as const) {
  t.test(`in any order, with ${what}, the promises hold`, t =>
    holdsAs(t, share, async parameters => {
      const worker = new Worker(new URL('schedules.ts', import.meta.url), {
        workerData: { kind, parameters }
      })
      const [outcome] = await once(worker, 'message')
      await worker.terminate()
      return outcome
    })
  )
}
