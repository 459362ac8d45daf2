// Runs many schedules in a thread of its own, because all of its clocks and timers are virtual.

import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { promisesHold } from './schedules.ts'
import { useVirtualClock } from './virtual-clock.ts'
import type { Library } from './world.ts'

/** What the thread is given. */
export interface Task {
  /** URL of the module that exports `opaqueTokens` and `redisStore`. */
  module: string
  store: 'reporting' | 'asked'
  parameters: { numRuns: number; seed: number; endOnFailure?: boolean }
}

/** What comes of it. */
export interface Outcome {
  numRuns: number
  /** The smallest failure that was found. */
  failure: string | undefined
}

// The time limit of each call makes an error at once, and most of the time would go into their stacks.
Error.stackTraceLimit = 0

const { module, store, parameters } = workerData as Task
const library: Library = await import(module)
const result = await fc.check(promisesHold(store, useVirtualClock(), library), parameters)
const failure = await fc.asyncDefaultReportMessage(result)
parentPort?.postMessage({ numRuns: result.numRuns, failure } satisfies Outcome)
