import type { Load } from './load.ts'
import { microsOf, send } from './load.ts'
import type { Server } from './server.ts'

/** Requests before the first measurement: after so many, V8 has optimised, and the time of a request is steady. */
const WARM_UP = 12_000
/** Warming up is done in steps, to see how long it takes. */
const STEP = 1_000
/** Requests right before each measurement: meanwhile the caches of the processor have been filled by other servers. */
const RUN_UP = 600
/** Fewest requests of a measurement. */
const FEWEST = 400

/** How long to measure. */
export interface Effort {
  rounds: number
  /** Of one measurement. */
  seconds: number
  /** Rounds that one process lives for: what V8 makes of the same code differs from process to process. */
  roundsOfAProcess: number
  /** After so many seconds a server has warmed up, although it has not answered all that many requests. */
  warmUpSeconds: number
}

/** One server under one load. */
export interface Entry {
  name: string
  server: Server
  load: Load
}

/**
 * Measures every entry once in each round, in an order that changes from round to round, so that no entry always comes
 * after the same one.
 *
 * @returns the microseconds of CPU time of a request, by the name of the entry, one for each round
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
      await send(name, server, load, load.runUp ?? RUN_UP)
      micros.get(name)?.push(await microsOf(name, server, load, amounts.get(entry) as number))
    }
  }
  return micros
}

/** @returns how many requests make one measurement */
export async function warmUp(
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

/** Begins with another entry in each round, and goes backwards in every second one. */
export function inOrderOf<T>(round: number, entries: T[]): T[] {
  const first = round % entries.length
  const order = [...entries.slice(first), ...entries.slice(0, first)]
  return round % 2 === 0 ? order : order.reverse()
}
