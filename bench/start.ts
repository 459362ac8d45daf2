import { type Result, rowsOf } from './report.ts'
import { baseline, byHand, type Contender, ours } from './scenarios.ts'
import { Server } from './server.ts'

/** Maximum ratio to the server with the same three routes built by hand. */
const TARGET = 1.3

/** Measures the CPU time from the start of a process until it listens, in `count` processes of each server in turn. */
export async function measureStart(count: number): Promise<Result> {
  const starters = [byHand, baseline, ours].map((contender: Contender) => ({
    contender,
    label: contender.label,
    costs: [] as number[],
    target: contender === ours ? TARGET : undefined
  }))
  for (let i = 0; i < count; i++) {
    for (const { contender, costs } of starters) {
      const server = await Server.start(contender)
      await server.stop()
      costs.push(server.atStart.cpu / 1000)
    }
  }
  return {
    scenario: 'start',
    title: 'From the start of the process until it listens, compared with @fastify/jwt by hand',
    unit: 'ms per start',
    rows: rowsOf(starters)
  }
}
