/**
 * `npm run bench [-- options]`: CPU time per request of fastify-screen-auth and of other ways to guard a route, side by
 * side, as a multiple of what Fastify takes without any.
 */
import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { BASELINE, CONTROL, type Contender, contenders, OURS } from './contenders.ts'
import { cpuModel, versionsOf } from './environment.ts'
import { measureGrowth } from './growth.ts'
import { measure } from './measure.ts'
import { isPinned } from './pinning.ts'
import { noise } from './report/noise.ts'
import type { Report, Result } from './report/report.ts'
import { heading, table } from './report/text.ts'
import { regressions } from './report/verdict.ts'
import { scenarios } from './scenarios.ts'
import { measureStart } from './start.ts'

const list = (value: string) => value.split(',')

const options = new Command('npm run bench --')
  .description('Compares the CPU time of requests.')
  .option('--rounds <number>', 'measurements of each server', Number)
  .option('--seconds <number>', 'of one measurement', Number)
  .option('--only <names>', 'scenarios, separated by commas', list)
  .option('--servers <names>', 'servers, separated by commas; bare Fastify is always measured', list)
  .option('--json <file>', 'write everything as JSON; - is the standard output')
  .option('--quick', 'all in less than two minutes, which is good for a first look')
  .option('--check', 'only this package and bare Fastify; exit with 1 when a ratio is far above its target')
  .parse()
  .opts<{
    rounds?: number
    seconds?: number
    only?: string[]
    servers?: string[]
    json?: string
    quick?: true
    check?: true
  }>()

/** How much is measured: rounds, seconds, starts of a process, tokens to grow to. */
function effort() {
  const { rounds, seconds, quick, check } = options
  const preset = check
    ? { rounds: 5, seconds: 0.4, starts: 7, tokens: 100_000 }
    : quick
      ? { rounds: 3, seconds: 0.2, starts: 3, tokens: 10_000 }
      : { rounds: 15, seconds: 1.5, starts: 30, tokens: 1_000_000 }
  return { ...preset, ...(rounds && { rounds }), ...(seconds && { seconds }) }
}

/** With `--json -` the tables would be in the way of the JSON. */
const say = options.json === '-' ? console.error : console.log

const { starts, tokens, ...long } = effort()
const chosen = contenders.filter(isChosen)

const head = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  cpu: cpuModel(),
  pinned: isPinned,
  ...long,
  versions: versionsOf(chosen)
}
say(heading(head))

const results: Result[] = []
for (const scenario of scenarios) {
  if (!isWanted(scenario.name)) continue
  publish(await measure(scenario, scenario.contenders.filter(isChosen), long))
}
if (isWanted('start')) publish(await measureStart(starts))
if (isWanted('growth')) for (const result of await measureGrowth(tokens, long)) publish(result)

const report: Report = { ...head, results }
const json = `${JSON.stringify(report, null, 2)}\n`
if (options.json === '-') process.stdout.write(json)
else if (options.json !== undefined) await writeFile(options.json, json)

if (options.check) {
  const reasons = regressions(results)
  for (const reason of reasons) console.error(`FAILED: ${reason}`)
  process.exitCode = reasons.length === 0 ? 0 : 1
}

/** The baseline and its control take part in everything. */
function isChosen({ name }: Contender): boolean {
  if (name === BASELINE || name === CONTROL) return true
  return options.check ? name === OURS : (options.servers?.includes(name) ?? true)
}

function isWanted(name: string): boolean {
  return options.only?.includes(name) ?? true
}

function publish(result: Result): void {
  results.push(result)
  say(['', table(result), noise(result)].filter(line => line !== null).join('\n'))
}
