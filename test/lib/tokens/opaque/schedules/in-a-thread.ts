import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Outcome, Task } from './worker.ts'

/** Runs schedules in a thread, on one core. */
export async function runSchedules(task: Task): Promise<Outcome> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: task })
  const [outcome] = await once(worker, 'message')
  await worker.terminate()
  return outcome
}
