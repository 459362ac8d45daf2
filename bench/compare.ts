/** CPU time per request of fastify-screen-auth and of other ways to guard a route, as a multiple of bare Fastify. */
import { readFile, writeFile } from 'node:fs/promises'
import { measureBodies } from './bodies.ts'
import { contenders } from './contenders.ts'
import { cpuModel, versionsOf } from './environment.ts'
import { measureGrowth } from './growth.ts'
import { measure } from './measure.ts'
import { readOptions } from './options.ts'
import { isPinned } from './pinning.ts'
import { noise } from './report/noise.ts'
import { withTable } from './report/page.ts'
import type { Result, Run } from './report/report.ts'
import { heading, table } from './report/text.ts'
import { regressions } from './report/verdict.ts'
import { scenarios } from './scenarios.ts'
import { measureStart } from './start.ts'

const PAGE = new URL('../docs/performance.md', import.meta.url)

const { amount, check, write, isWanted, isChosen } = readOptions()

const head: Run = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  cpu: cpuModel(),
  pinned: isPinned,
  rounds: amount.rounds,
  seconds: amount.seconds,
  versions: versionsOf(contenders)
}
console.log(heading(head))

const results: Result[] = []
for (const scenario of scenarios.filter(({ name }) => isWanted(name)))
  publish(await measure(scenario, scenario.contenders.filter(isChosen), amount))
if (isWanted('bodies')) publish(await measureBodies(amount))
if (isWanted('start')) publish(await measureStart(amount.starts))
if (isWanted('growth')) for (const result of await measureGrowth(amount.growth, amount)) publish(result)

if (write) await writeFile(PAGE, withTable(await readFile(PAGE, 'utf8'), { ...head, results }))

if (check) {
  const reasons = regressions(results)
  for (const reason of reasons) console.error(`FAILED: ${reason}`)
  if (reasons.length > 0) process.exitCode = 1
}

function publish(result: Result): void {
  results.push(result)
  console.log(['', table(result), noise(result)].filter(line => line !== null).join('\n'))
}
