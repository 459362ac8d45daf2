/** CPU time per request of fastify-screen-auth and of other ways to guard a route, as a multiple of bare Fastify. */
import { readFile, writeFile } from 'node:fs/promises'
import { measureBodies } from './bodies.ts'
import { contenders } from './contenders.ts'
import { cpuModel, versionsOf } from './environment.ts'
import { measureGrowth } from './growth.ts'
import { measure } from './measure.ts'
import { readOptions } from './options.ts'
import { isPinned } from './pinning.ts'
import { measureRedis } from './redis.ts'
import { withResults } from './report/merge.ts'
import { noise } from './report/noise.ts'
import type { Report, Result, Run } from './report/report.ts'
import { heading, table } from './report/text.ts'
import { regressions } from './report/verdict.ts'
import { scenarios } from './scenarios.ts'
import { measureSessions } from './sessions.ts'
import { measureStart } from './start.ts'

const { amount, json, into, check, isWanted, isChosen } = readOptions()

/** With `--json -`, the standard output is only for the JSON. */
const say = json === '-' ? console.error : console.log

const head: Run = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  cpu: cpuModel(),
  pinned: isPinned,
  rounds: amount.rounds,
  seconds: amount.seconds,
  versions: versionsOf(contenders)
}
say(heading(head))

const results: Result[] = []
for (const scenario of scenarios.filter(({ name }) => isWanted(name))) {
  const chosen = scenario.contenders.filter(contender => isChosen(contender, scenario.name))
  publish(await measure(scenario, chosen, amount))
}
if (isWanted('bodies')) publish(await measureBodies(amount))
if (isWanted('start')) publish(await measureStart(amount.starts))
if (isWanted('growth')) for (const result of await measureGrowth(amount.growth, amount)) publish(result)
if (isWanted('redis')) publishIfAny(await measureRedis(isChosen, amount, head), 'redis')
if (isWanted('sessions')) publishIfAny(await measureSessions(amount, head), 'sessions')

const report: Report = { ...head, results }
if (json === '-') process.stdout.write(toText(report))
else if (json !== undefined) await writeFile(json, toText(report))
if (into !== undefined)
  await writeFile(into, toText(withResults(JSON.parse(await readFile(into, 'utf8')), report)))

if (check) {
  const reasons = regressions(results)
  for (const reason of reasons) console.error(`FAILED: ${reason}`)
  if (reasons.length > 0) process.exitCode = 1
}

function toText(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}

function publish(result: Result): void {
  results.push(result)
  say(['', table(result), noise(result)].filter(line => line !== null).join('\n'))
}

/** Without Redis there is no result. */
function publishIfAny(result: Result | null, scenario: string): void {
  if (result !== null) publish(result)
  else say(`\n${scenario}: skipped, because redis-server is not installed`)
  if (result === null && process.env.NOTHING_SKIPPED) process.exitCode = 1
}
