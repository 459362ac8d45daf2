import type { Load } from './load.ts'
import { microsOf, send } from './load.ts'
import type { Server } from './server.ts'

/** Requests before the first measurement: after these, V8 has optimised the code and times are stable. */
const WARM_UP = 12_000
/** Requests in one step of the warm-up, between two looks at the clock. */
const STEP = 1_000
/** Requests right before each measurement, because other servers have used the caches of the processor meanwhile. */
const RUN_UP = 600
/** The minimum requests of a measurement. */
const FEWEST = 400

/** How long to measure. */
export interface Effort {
  rounds: number
  /** The length of one measurement. */
  seconds: number
  /** Rounds before the processes are replaced: V8 optimises the same code differently in each process. */
  roundsOfAProcess: number
  /** The maximum seconds of the warm-up, even if the requests are not all sent. */
  warmUpSeconds: number
}

/** One server under one load. */
export interface Entry {
  name: string
  server: Server
  load: Load
}

/**
 * Measures every entry once in each round. The order changes from round to round, so that no entry always follows the
 * same one.
 *
 * @returns the microseconds of CPU time per request in each round, by the name of the entry
 */
export async function playRounds(
  entries: Entry[],
  { rounds, ...effort }: Effort
): Promise<Map<string, number[]>> {
  const amounts = new Map<Entry, number>()
  for (const entry of entries) amounts.set(entry, await warmUp(entry, effort))

  const micros = new Map<string, number[]>(entries.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const entry of inOrderOf(round, entries)) {
      const { name, server, load } = entry
      await send(name, server, load, RUN_UP)
      micros.get(name)?.push(await microsOf(name, server, load, amounts.get(entry) as number))
    }
  }
  return micros
}

/** @returns the number of requests for one measurement */
async function warmUp(
  { name, server, load }: Entry,
  { seconds, warmUpSeconds }: Pick<Effort, 'seconds' | 'warmUpSeconds'>
) {
  if (load.before !== undefined) await send(name, server, load, load.before)
  let perSecond = 0
  const end = performance.now() + warmUpSeconds * 1000
  for (let sent = 0; sent < WARM_UP && (sent === 0 || performance.now() < end); sent += STEP) {
    const start = performance.now()
    await send(name, server, load, STEP)
    perSecond = (STEP / (performance.now() - start)) * 1000
  }
  return Math.max(FEWEST, Math.round(perSecond * seconds))
}

/** Starts with another entry in each round, and reverses every second round. */
function inOrderOf<T>(round: number, entries: T[]): T[] {
  const first = round % entries.length
  const order = [...entries.slice(first), ...entries.slice(0, first)]
  return round % 2 === 0 ? order : order.reverse()
}
