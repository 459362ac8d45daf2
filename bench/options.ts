import { Command, InvalidArgumentError } from 'commander'
import { BASELINE, CONTROL, type Contender, contenders, OURS, redisContenders } from './contenders.ts'
import type { GrowthSteps } from './growth.ts'
import type { Effort } from './rounds.ts'
import { scenarios } from './scenarios.ts'

const SCENARIOS = [...scenarios.map(({ name }) => name), 'bodies', 'start', 'growth', 'redis']
const NAMES = [...contenders, ...redisContenders].map(({ name }) => name)

/** This package, in all the ways in which it is measured. */
const ALL_OURS = [OURS, ...redisContenders.map(({ name }) => name)]

/** With `--quick`, everybody else is in `warm` only. */
const ALWAYS = [BASELINE, CONTROL, ...ALL_OURS, 'fastify-jwt']

/** How much is measured. */
export interface Amount extends Effort {
  /** Processes of each kind in `start`. */
  starts: number
  growth: GrowthSteps
  /** Seconds of one look at the latency in `redis`. */
  latencySeconds: number
}

const FULL: Amount = {
  rounds: 10,
  roundsOfAProcess: 2,
  seconds: 1,
  warmUpSeconds: 5,
  starts: 20,
  growth: { routes: [100, 5_000], tokens: [10_000, 100_000, 1_000_000] },
  latencySeconds: 5
}
const QUICK: Amount = {
  rounds: 3,
  roundsOfAProcess: 3,
  seconds: 0.12,
  warmUpSeconds: 0.6,
  starts: 3,
  growth: { routes: [5_000], tokens: [30_000] },
  latencySeconds: 1
}
const CHECK: Amount = {
  rounds: 3,
  roundsOfAProcess: 3,
  seconds: 0.2,
  warmUpSeconds: 2.5,
  starts: 5,
  growth: { routes: [5_000], tokens: [60_000] },
  latencySeconds: 1
}

/** What the command line asks for. */
export interface Options {
  amount: Amount
  /** Where the JSON goes; `-` is the standard output. */
  json: string | undefined
  /** The JSON of an earlier run that the results are put into. */
  into: string | undefined
  check: boolean
  isWanted(scenario: string): boolean
  /** Whether a server takes part in a scenario. The baseline and its control always do. */
  isChosen(contender: Contender, scenario: string): boolean
}

/** Reads the command line; a mistake in it ends the process. */
export function readOptions(): Options {
  const given = new Command('npm run bench --')
    .description('CPU time of requests, as a multiple of what Fastify takes without any authentication.')
    .option('--rounds <number>', 'measurements of each server', positive)
    .option('--seconds <number>', 'of one measurement', positive)
    .option('--only <names>', `scenarios, separated by commas: ${SCENARIOS.join(', ')}`, listOf(SCENARIOS))
    .option('--servers <names>', `servers, separated by commas: ${NAMES.join(', ')}`, listOf(NAMES))
    .option('--json <file>', 'write everything as JSON; - is the standard output')
    .option(
      '--into <file>',
      'put the results into the JSON of an earlier run, in place of the same scenarios'
    )
    .option('--quick', 'all in about two minutes, for a first look: most servers in `warm` only')
    .option('--check', 'only this package and bare Fastify; exit with 1 when a ratio is far above its target')
    .parse()
    .opts<Given>()
  const { rounds, seconds, only, servers, json, into, check = false, quick = false } = given
  const preset = check ? CHECK : quick ? QUICK : FULL
  return {
    amount: { ...preset, ...(rounds && { rounds }), ...(seconds && { seconds }) },
    json,
    into,
    check,
    // What CI checks must not depend on Redis.
    isWanted: scenario => only?.includes(scenario) ?? !(check && scenario === 'redis'),
    isChosen({ name }, scenario) {
      if (name === BASELINE || name === CONTROL) return true
      if (check) return ALL_OURS.includes(name)
      if (servers) return servers.includes(name)
      return !quick || scenario === 'warm' || ALWAYS.includes(name)
    }
  }
}

interface Given {
  rounds?: number
  seconds?: number
  only?: string[]
  servers?: string[]
  json?: string
  into?: string
  quick?: true
  check?: true
}

function positive(text: string): number {
  const value = Number(text)
  if (value > 0) return value
  throw new InvalidArgumentError('It must be a number greater than 0.')
}

function listOf(names: string[]) {
  return (text: string): string[] => {
    const list = text.split(',')
    const unknown = list.find(name => !names.includes(name))
    if (unknown === undefined) return list
    throw new InvalidArgumentError(`There is no ${unknown}.`)
  }
}
