import { checkResponses } from './check-responses.ts'
import { BASELINE, type Contender, OURS } from './contenders.ts'
import type { Result, Row } from './report/report.ts'
import { spreadOf } from './report/spread.ts'
import { type Effort, type Entry, playRounds } from './rounds.ts'
import type { Scenario } from './scenarios.ts'
import { Server } from './server.ts'
import { targets } from './targets.ts'

/** The server of a row. */
type RowHead = Pick<Row, 'name' | 'label' | 'packages'>

/** Measures the given contenders in one scenario. */
export async function measure(
  { name, title, ...scenario }: Scenario,
  contenders: Contender[],
  { rounds, ...effort }: Effort
): Promise<Result> {
  const micros = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let played = 0; played < rounds; played += effort.roundsOfAProcess) {
    const some = { ...effort, rounds: Math.min(effort.roundsOfAProcess, rounds - played) }
    const more = await measureInFreshProcesses(scenario, contenders, some)
    for (const [contender, values] of more) micros.get(contender)?.push(...values)
  }
  const rows = contenders.map(contender => rowOf(contender, micros, BASELINE))
  return { scenario: name, title, unit: 'µs per request', rows: withTarget(rows, name) }
}

/** Gives the row of this package the target of the scenario. */
export function withTarget(rows: Row[], scenario: string): Row[] {
  const target = targets[scenario]
  return rows.map(row => (row.name === OURS && target !== undefined ? { ...row, target } : row))
}

/** @param baseline the name of the entry with the ratio 1 */
export function rowOf(
  { name, label, packages }: RowHead,
  costs: Map<string, number[]>,
  baseline: string
): Row {
  const own = costs.get(name) as number[]
  const others = costs.get(baseline) as number[]
  return {
    name,
    label,
    packages,
    cost: spreadOf(own),
    // Within a round, because the other load on the machine changes from round to round.
    ratio: spreadOf(own.map((cost, round) => cost / (others[round] as number)))
  }
}

async function measureInFreshProcesses(
  { load }: Pick<Scenario, 'load'>,
  contenders: Contender[],
  effort: Effort
): Promise<Map<string, number[]>> {
  const entries: Entry[] = []
  try {
    for (const contender of contenders) {
      const server = await Server.start(contender)
      entries.push({ name: contender.name, server, load: load(contender, server) })
      await checkResponses(contender, server)
    }
    return await playRounds(entries, effort)
  } finally {
    await Promise.all(entries.map(({ server }) => server.stop()))
  }
}
