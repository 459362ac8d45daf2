/**
 * `npm run bench [-- options]`: CPU time per request of fastify-screen-auth and of other ways to guard a route, side by
 * side, as a multiple of what Fastify takes without any.
 */
import { writeFile } from 'node:fs/promises'
import { contenders } from './contenders.ts'
import { cpuModel, versionsOf } from './environment.ts'
import { measureGrowth } from './growth.ts'
import { measure } from './measure.ts'
import { readOptions } from './options.ts'
import { isPinned } from './pinning.ts'
import { noise } from './report/noise.ts'
import type { Report, Result } from './report/report.ts'
import { heading, table } from './report/text.ts'
import { regressions } from './report/verdict.ts'
import { scenarios } from './scenarios.ts'
import { measureStart } from './start.ts'

const { amount, json, check, isWanted, isChosen } = readOptions()

/** With `--json -` the tables would be in the way of the JSON. */
const say = json === '-' ? console.error : console.log

const head = {
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
if (isWanted('start')) publish(await measureStart(amount.starts))
if (isWanted('growth')) for (const result of await measureGrowth(amount.growth, amount)) publish(result)

const report: Report = { ...head, results }
const text = `${JSON.stringify(report, null, 2)}\n`
if (json === '-') process.stdout.write(text)
else if (json !== undefined) await writeFile(json, text)

if (check) {
  const reasons = regressions(results)
  for (const reason of reasons) console.error(`FAILED: ${reason}`)
  process.exitCode = reasons.length === 0 ? 0 : 1
}

function publish(result: Result): void {
  results.push(result)
  say(['', table(result), noise(result)].filter(line => line !== null).join('\n'))
}
