import { type Command, help, parse } from '../conformance/cli/arguments.ts'
import { OptionError } from '../conformance/report/report.ts'
import { BASELINE, CONTROL, type Contender, contenders, OURS, redisContenders } from './contenders.ts'
import type { GrowthSteps } from './growth.ts'
import type { Effort } from './rounds.ts'
import { scenarios } from './scenarios.ts'

const SCENARIOS = [...scenarios.map(({ name }) => name), 'bodies', 'start', 'growth', 'redis', 'sessions']
const NAMES = [...contenders, ...redisContenders].map(({ name }) => name)

/** All variants of this package. */
const ALL_OURS = [OURS, ...redisContenders.map(({ name }) => name)]

/** With `--quick`, all other servers are measured in `warm` only. */
const ALWAYS = [BASELINE, CONTROL, ...ALL_OURS, 'fastify-jwt']

/** How much is measured. */
export interface Amount extends Effort {
  /** Processes per server in `start`. */
  starts: number
  growth: GrowthSteps
  /** Seconds of one latency measurement in `redis` and `sessions`. */
  latencySeconds: number
  /** Numbers of sessions in `sessions`. */
  sessions: number[]
}

const FULL: Amount = {
  rounds: 10,
  roundsOfAProcess: 2,
  seconds: 1,
  warmUpSeconds: 5,
  starts: 20,
  growth: { routes: [100, 5_000], tokens: [10_000, 100_000, 1_000_000] },
  latencySeconds: 5,
  sessions: [10_000, 1_000_000]
}
const QUICK: Amount = {
  rounds: 3,
  roundsOfAProcess: 3,
  seconds: 0.12,
  warmUpSeconds: 0.6,
  starts: 3,
  growth: { routes: [5_000], tokens: [30_000] },
  latencySeconds: 1,
  sessions: [10_000]
}
const CHECK: Amount = {
  rounds: 3,
  roundsOfAProcess: 3,
  seconds: 0.2,
  warmUpSeconds: 2.5,
  starts: 5,
  growth: { routes: [5_000], tokens: [60_000] },
  latencySeconds: 1,
  sessions: [10_000]
}

/** The options of the command line. */
export interface Options {
  amount: Amount
  /** The file for the JSON; `-` is the standard output. */
  json: string | undefined
  /** The JSON file of an earlier run that gets the new results. */
  into: string | undefined
  check: boolean
  isWanted(scenario: string): boolean
  /** Whether a server takes part in a scenario. The baseline and its control always do. */
  isChosen(contender: Contender, scenario: string): boolean
}

const command = {
  name: 'npm run bench --',
  usage: ['[options]'],
  description: 'CPU time of requests, as a multiple of what Fastify takes without any authentication.',
  positionals: 0,
  options: {
    rounds: { type: 'string', value: '<number>', help: 'measurements of each server' },
    seconds: { type: 'string', value: '<number>', help: 'length of one measurement' },
    only: {
      type: 'string',
      value: '<names>',
      help: `scenarios, separated by commas: ${SCENARIOS.join(', ')}`
    },
    servers: { type: 'string', value: '<names>', help: `servers, separated by commas: ${NAMES.join(', ')}` },
    json: { type: 'string', value: '<file>', help: 'write everything as JSON; - is the standard output' },
    into: {
      type: 'string',
      value: '<file>',
      help: 'put the results into the JSON of an earlier run, in place of the same scenarios'
    },
    quick: {
      type: 'boolean',
      help: 'all in about two minutes, for a first look: most servers in `warm` only'
    },
    check: {
      type: 'boolean',
      help: 'only this package and bare Fastify; exit with 1 when a ratio is far above its target or there is a round trip too many'
    },
    help: { type: 'boolean', short: 'h', help: 'show this help' }
  },
  notes: []
} as const satisfies Command

/** Reads the command line. A wrong option ends the process with one line, and `--help` after the help. */
export function readOptions(): Options {
  try {
    const { values } = parse(command, process.argv.slice(2), {})
    if (!values.help) return toOptions(values)
    console.log(help(command))
    process.exit(0)
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    console.error(`${error.message}; see ${command.name} --help`)
    process.exit(1)
  }
}

function toOptions({
  check = false,
  quick = false,
  json,
  into,
  ...given
}: ReturnType<typeof parse<typeof command.options>>['values']): Options {
  const rounds = positive('rounds', given.rounds)
  const seconds = positive('seconds', given.seconds)
  const only = listOf('only', SCENARIOS, given.only)
  const servers = listOf('servers', NAMES, given.servers)
  const preset = check ? CHECK : quick ? QUICK : FULL
  return {
    amount: { ...preset, ...(rounds && { rounds }), ...(seconds && { seconds }) },
    json,
    into,
    check,
    // A million sessions take many minutes.
    isWanted: scenario => only?.includes(scenario) ?? scenario !== 'sessions',
    isChosen({ name }, scenario) {
      if (name === BASELINE || name === CONTROL) return true
      if (check) return ALL_OURS.includes(name)
      if (servers) return servers.includes(name)
      return !quick || scenario === 'warm' || ALWAYS.includes(name)
    }
  }
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (value > 0) return value
  throw new OptionError(`option '--${name}' must be a number greater than 0, not '${text}'`)
}

function listOf(name: string, known: string[], text: string | undefined): string[] | undefined {
  const list = text?.split(',')
  const unknown = list?.find(one => !known.includes(one))
  if (unknown === undefined) return list
  throw new OptionError(`option '--${name}' does not know '${unknown}'`)
}
