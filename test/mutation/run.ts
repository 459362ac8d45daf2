// `npx -y -p node@26 -- node test/mutation/run.ts [lib/tokens/jwt.ts …]` checks that a test fails for each mutant of Stryker. Mutants that
// no test can kill are listed in survivors.json, each with the reason.
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { isSame, listed, type Survivor, toSurvivor } from './survivors.ts'

const files = process.argv.slice(2).filter(argument => !argument.startsWith('--'))

// With `--score`, which CI uses, only a low score is a failure: whether a mutant times out or survives may depend on the
// machine. The listed survivors are then skipped, because each of them would run every test.
const scoreOnly = process.argv.includes('--score')
if (scoreOnly) process.env.MUTATION_SCORE_ONLY = 'true'

const configFile = fileURLToPath(new URL('stryker.config.json', import.meta.url))
const { mutate } = JSON.parse(await readFile(configFile, 'utf8'))

const results = await new Stryker({
  configFile,
  // CI has time for every second file of lib/: today for these, tomorrow for the others.
  ...(process.argv.includes('--half') && { mutate: [...mutate, ...everySecond().map(file => `!${file}`)] }),
  // The score of single files says little, so only the score of the whole must reach the threshold.
  ...(files.length > 0 && { mutate: files, thresholds: { high: 100, low: 95, break: null } })
}).runMutationTest()

const faults = [...notListed(), ...stale()]
const count = (...statuses: string[]) => results.filter(({ status }) => statuses.includes(status)).length
const [killed, survived] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage')]
const score = (100 * killed) / (killed + survived)

for (const fault of faults) console.error(fault)
console.log(
  `mutation score ${score.toFixed(2)} %: ${results.length} mutants, ${count('Killed')} killed, ` +
    `${count('Timeout')} timed out, ${survived} survived, ${count('RuntimeError', 'CompileError')} did not load`
)
if (faults.length > 0 && !scoreOnly) process.exitCode = 1

function everySecond(): string[] {
  const day = Math.floor(Date.now() / 86_400_000)
  const sources = (readdirSync('lib', { recursive: true }) as string[]).filter(path => path.endsWith('.ts'))
  return sources.sort().flatMap((path, i) => (i % 2 === day % 2 ? [`lib/${path}`] : []))
}

/** Survivors that are not in the list. */
function notListed(): string[] {
  const known = [...listed]
  return survivors().flatMap(({ line, ...survivor }) => {
    const index = known.findIndex(other => isSame(other, survivor))
    if (index >= 0) known.splice(index, 1)
    return index >= 0 ? [] : [`No test kills it, line ${line}: ${JSON.stringify(survivor, null, 2)}`]
  })
}

/** Entries of the list that a test kills now, or whose code is gone. */
function stale(): string[] {
  const left = survivors()
  return listed
    .filter(({ file }) => files.length === 0 || files.includes(file))
    .filter(entry => {
      const index = left.findIndex(survivor => isSame(entry, survivor))
      if (index >= 0) left.splice(index, 1)
      return index < 0
    })
    .map(entry => `Out of date, a test kills it: ${JSON.stringify(entry, null, 2)}`)
}

function survivors(): (Survivor & { line: number })[] {
  return results
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(mutant => ({ ...toSurvivor(mutant, 1), line: mutant.location.start.line }))
}
