import { BASELINE, type Contender, contenders, OURS } from './contenders.ts'
import { rowOf, withTarget } from './measure.ts'
import type { Result } from './report/report.ts'
import { Server } from './server.ts'

/** The same three routes, made by hand: what the start of fastify-screen-auth is compared with. */
const BY_HAND = 'fastify-jwt'

/** Measures the CPU time from the start of a process until it listens, of many short processes in turn. */
export async function measureStart(count: number): Promise<Result> {
  const starters = contenders.filter(({ name }) => [BASELINE, BY_HAND, OURS].includes(name))
  const millis = new Map<string, number[]>(starters.map(({ name }) => [name, []]))
  for (let i = 0; i < count; i++) {
    for (const starter of starters) millis.get(starter.name)?.push(await millisOfStart(starter))
  }
  const rows = starters.map(starter => rowOf(starter, millis, BY_HAND))
  return {
    scenario: 'start',
    title: 'From the start of the process until it listens, against @fastify/jwt by hand',
    unit: 'ms per start',
    rows: withTarget(rows, 'start')
  }
}

async function millisOfStart(contender: Contender): Promise<number> {
  const server = await Server.start(contender)
  await server.stop()
  return server.atStart.cpu / 1000
}
