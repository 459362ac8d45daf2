import { parseArgs } from 'node:util'
import { BASELINE, CONTROL, type Contender, OURS } from './contenders.ts'
import type { GrowthSteps } from './growth.ts'
import type { Effort } from './rounds.ts'
import { scenarios } from './scenarios.ts'

const SCENARIOS = [...scenarios.map(({ name }) => name), 'bodies', 'start', 'growth']

const USAGE = `Usage: npm run bench -- [options]

CPU time of requests, as a multiple of what Fastify takes without any authentication.

  --only NAMES   these scenarios only, separated by commas: ${SCENARIOS.join(', ')}
  --quick        all in about two minutes, for a first look
  --check        only this package and bare Fastify; exit with 1 when a ratio is far above its target
  --write        write the table into docs/performance.md
  --help         show this help`

/** How much is measured. */
export interface Amount extends Effort {
  /** Processes per server in `start`. */
  starts: number
  growth: GrowthSteps
}

const FULL: Amount = {
  rounds: 6,
  roundsOfAProcess: 3,
  seconds: 0.5,
  warmUpSeconds: 2.5,
  starts: 10,
  growth: { routes: [5_000], tokens: [1_000_000] }
}
const QUICK: Amount = {
  rounds: 3,
  roundsOfAProcess: 3,
  seconds: 0.12,
  warmUpSeconds: 0.6,
  starts: 3,
  growth: { routes: [5_000], tokens: [30_000] }
}
const CHECK: Amount = {
  rounds: 3,
  roundsOfAProcess: 3,
  seconds: 0.2,
  warmUpSeconds: 2.5,
  starts: 5,
  growth: { routes: [5_000], tokens: [60_000] }
}

/** The options of the command line. */
export interface Options {
  amount: Amount
  check: boolean
  write: boolean
  isWanted(scenario: string): boolean
  /** Whether a server takes part. The baseline and its control always do. */
  isChosen(contender: Contender): boolean
}

/** Reads the command line. A wrong option ends the process with one line, and `--help` after the help. */
export function readOptions(): Options {
  const { only, quick, check, write, help } = parsed()
  if (help) {
    console.log(USAGE)
    process.exit(0)
  }
  const wanted = only?.split(',')
  const unknown = wanted?.find(name => !SCENARIOS.includes(name))
  if (unknown !== undefined) fail(`option '--only' does not know '${unknown}'`)
  if (write && (only !== undefined || check)) fail("option '--write' needs all scenarios and servers")
  return {
    amount: check ? CHECK : quick ? QUICK : FULL,
    check,
    write,
    isWanted: scenario => wanted?.includes(scenario) ?? true,
    isChosen: ({ name }) => !check || [BASELINE, CONTROL, OURS].includes(name)
  }
}

function parsed() {
  const flag = { type: 'boolean', default: false } as const
  try {
    const options = { only: { type: 'string' }, quick: flag, check: flag, write: flag, help: flag } as const
    return parseArgs({ options }).values
  } catch (error) {
    return fail((error as Error).message)
  }
}

function fail(message: string): never {
  console.error(`${message}; see npm run bench -- --help`)
  process.exit(1)
}
