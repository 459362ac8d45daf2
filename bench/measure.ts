import type { Contender, Scenario, Start } from './scenarios.ts'
import { costOfStart, type Server, startServer } from './server.ts'

/** Requests before the first measurement. After them, V8 has optimised the code, and times are stable. */
const WARM_UP = 12_000
/** Maximum seconds of the warm-up. It ends then even if fewer than WARM_UP requests were sent. */
const WARM_UP_SECONDS = 2.5
/** Requests between two checks of the time during the warm-up. */
const WARM_UP_STEP = 1_000
/** Requests right before each measurement: they refill the processor caches, which other servers have used since. */
const WARM_UP_AGAIN = 600
/** Microseconds of CPU time of one measurement, and the minimum of its requests. */
const DURATION = 400_000
const MIN_REQUESTS = 400
/** Rounds before new processes replace the servers: V8 optimises the same code differently in each process. */
const ROUNDS = 3

/**
 * Measures those of the servers that take part in a scenario, each in `processes` processes, one after another. Returns
 * the median cost of each server, as a multiple of the first one's.
 */
export async function measure(
  scenario: Scenario,
  contenders: Contender[],
  processes: number
): Promise<Map<Contender, number>> {
  const compared = contenders.filter(contender => scenario.servers.includes(contender))
  const ratios = compared.map((): number[] => [])
  for (let done = 0; done < processes; done++) {
    const servers: Server[] = []
    for (const contender of compared) servers.push(await startServer(contender, scenario))
    const amounts: number[] = []
    for (const server of servers) amounts.push(await warmUp(server))
    for (let round = 0; round < ROUNDS; round++) {
      const costs: number[] = []
      for (const at of orderOf(round, servers.length)) {
        const server = servers[at] as Server
        await server.send(WARM_UP_AGAIN)
        costs[at] = await server.send(amounts[at] as number)
      }
      // Compares values of the same round, because other load on the machine changes between rounds.
      for (const [at, cost] of costs.entries()) ratios[at]?.push(cost / (costs[0] as number))
    }
    for (const server of servers) await server.stop()
  }
  return new Map(compared.map((contender, at) => [contender, median(ratios[at] as number[])]))
}

/** Starts each server `rounds` times. Returns the median costs, as multiples of the first one's. */
export function measureStart({ phase }: Start, compared: Contender[], rounds: number): Map<Contender, number> {
  const ratios = compared.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    const costs: number[] = []
    for (const at of orderOf(round, compared.length)) costs[at] = costOfStart(compared[at] as Contender, phase)
    for (const [at, cost] of costs.entries()) ratios[at]?.push(cost / (costs[0] as number))
  }
  return new Map(compared.map((contender, at) => [contender, median(ratios[at] as number[])]))
}

/** Sends requests until V8 has optimised the code. Returns the number of requests for one measurement. */
async function warmUp(server: Server): Promise<number> {
  let cost = 0
  const end = performance.now() + WARM_UP_SECONDS * 1000
  for (let sent = 0; sent < WARM_UP && performance.now() < end; sent += WARM_UP_STEP)
    cost = await server.send(WARM_UP_STEP)
  return Math.max(MIN_REQUESTS, Math.round(DURATION / cost))
}

/** The order changes, so that no server always follows the same one. */
function orderOf(round: number, length: number): number[] {
  const order = Array.from({ length }, (_, i) => (i + round) % length)
  return round % 2 === 0 ? order : order.reverse()
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2
}
