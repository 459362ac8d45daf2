import { BASELINE, type Contender, contenders, OURS } from './contenders.ts'
import { rowOf, withTarget } from './measure.ts'
import type { Result } from './report/report.ts'
import { spreadOf } from './report/spread.ts'
import { Server } from './server.ts'
import { START_MILLISECONDS } from './targets.ts'

/** The baseline for the start of fastify-screen-auth: the same three routes, made by hand. */
const BY_HAND = 'fastify-jwt'

/** Measures the CPU time from the start of a process until it listens, with many short processes in turn. */
export async function measureStart(count: number): Promise<Result> {
  const starters = contenders.filter(({ name }) => [BASELINE, BY_HAND, OURS].includes(name))
  const millis = new Map<string, number[]>(starters.map(({ name }) => [name, []]))
  for (let i = 0; i < count; i++) {
    for (const starter of starters) millis.get(starter.name)?.push(await millisOfStart(starter))
  }
  const rows = starters.map(starter => ({
    ...rowOf(starter, millis, BY_HAND),
    note: difference(starter, millis)
  }))
  return {
    scenario: 'start',
    title: 'From the start of the process until it listens, against @fastify/jwt by hand',
    unit: 'ms per start',
    rows: withTarget(rows, 'start')
  }
}

/** The median of the additional time compared with the baseline. */
function difference({ name }: Contender, millis: Map<string, number[]>): string {
  const others = millis.get(BY_HAND) as number[]
  const { median } = spreadOf((millis.get(name) as number[]).map((own, i) => own - (others[i] as number)))
  const target = name === OURS ? `, target at most +${START_MILLISECONDS} ms` : ''
  return `${median > 0 ? '+' : ''}${median.toFixed(0)} ms${target}`
}

async function millisOfStart(contender: Contender): Promise<number> {
  const server = await Server.start(contender)
  await server.stop()
  return server.atStart.cpu / 1000
}
