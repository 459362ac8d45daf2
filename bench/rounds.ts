import type { Load } from './load.ts'
import { microsOf, send } from './load.ts'
import type { Server } from './server.ts'

/** Requests before the first measurement: V8 has optimised by then. */
const WARM_UP = 6_000
/** Fewest requests of a measurement. */
const FEWEST = 1_000

/** How long to measure. */
export interface Effort {
  rounds: number
  /** Of one measurement. */
  seconds: number
}

/** One server under one load. */
export interface Entry {
  name: string
  label: string
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
  { rounds, seconds }: Effort
): Promise<Map<string, number[]>> {
  const amounts = new Map<Entry, number>()
  for (const entry of entries) amounts.set(entry, await warmUp(entry, seconds))

  const micros = new Map<string, number[]>(entries.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const entry of inOrderOf(round, entries)) {
      const { name, server, load } = entry
      micros.get(name)?.push(await microsOf(name, server, load, amounts.get(entry) as number))
    }
  }
  return micros
}

/** @returns how many requests take so many seconds */
async function warmUp({ name, server, load }: Entry, seconds: number): Promise<number> {
  const all = Math.max(WARM_UP, load.traffic.size)
  await send(name, server, load, all)
  const start = performance.now()
  await send(name, server, load, WARM_UP)
  const perSecond = (WARM_UP / (performance.now() - start)) * 1000
  return Math.max(FEWEST, Math.round(perSecond * seconds))
}

/** Begins with another entry in each round, and goes backwards in every second one. */
function inOrderOf<T>(round: number, entries: T[]): T[] {
  const first = round % entries.length
  const order = [...entries.slice(first), ...entries.slice(0, first)]
  return round % 2 === 0 ? order : order.reverse()
}
