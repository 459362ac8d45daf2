import { checkAnswers } from './check-answers.ts'
import { BASELINE, type Contender, OURS } from './contenders.ts'
import type { Result, Row } from './report/report.ts'
import { spreadOf } from './report/spread.ts'
import { type Effort, type Entry, playRounds } from './rounds.ts'
import type { Scenario } from './scenarios.ts'
import { Server } from './server.ts'
import { targets } from './targets.ts'

/** Measures the given contenders in one scenario, each in a fresh process. */
export async function measure(scenario: Scenario, contenders: Contender[], effort: Effort): Promise<Result> {
  const entries: Entry[] = []
  try {
    for (const contender of contenders) entries.push(await entryOf(scenario, contender))
    const { name, title } = scenario
    const micros = await playRounds(entries, effort)
    const rows = entries.map(entry => rowOf(entry, micros, BASELINE))
    const ours = rows.find(({ name }) => name === OURS)
    if (ours) ours.target = targets[name]?.ratio as number
    return { scenario: name, title, unit: 'µs per request', rows }
  } finally {
    await Promise.all(entries.map(({ server }) => server.stop()))
  }
}

/** @param baseline the name of the entry that its ratio refers to */
export function rowOf(
  { name, label }: Pick<Entry, 'name' | 'label'>,
  costs: Map<string, number[]>,
  baseline: string
): Row {
  const own = costs.get(name) as number[]
  const others = costs.get(baseline) as number[]
  return {
    name,
    label,
    cost: spreadOf(own),
    // Within a round, because what else the machine does changes from round to round.
    ratio: spreadOf(own.map((cost, round) => cost / (others[round] as number)))
  }
}

async function entryOf(scenario: Scenario, contender: Contender): Promise<Entry> {
  const server = await Server.start(contender)
  await checkAnswers(contender, server)
  const { name, label } = contender
  return { name, label, server, load: scenario.load(contender, server) }
}
