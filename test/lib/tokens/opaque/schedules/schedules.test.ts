// Runs schedules.ts in workers.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { holdsAs } from '../../../../fuzz/runs.ts'

t.jobs = 2

for (const [kind, what, share] of [
  ['reporting', 'a store that reports its changes', 35],
  ['polled', 'a store without reports', 15]
] as const) {
  t.test(`opaqueTokens keeps its promises in any order of events, with ${what}`, t =>
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
