// Runs many schedules in a thread of its own, because all of its clocks and timers are virtual.

import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { promisesHold } from './schedules.ts'
import { useVirtualClock } from './virtual-clock.ts'

// The time limit of each call makes an error at once, and most of the time would go into their stacks.
Error.stackTraceLimit = 0

const { store, parameters } = workerData
const result = await fc.check(promisesHold(store, useVirtualClock()), parameters)
parentPort?.postMessage({ numRuns: result.numRuns, failure: await fc.asyncDefaultReportMessage(result) })
