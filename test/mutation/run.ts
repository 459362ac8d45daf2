// `npm run mutation [-- lib/jwt.ts …]`: does a test fail for each fault that Stryker puts into the code? Those that no
// test can tell are listed in survivors.json, each with the reason.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'

interface Survivor {
  file: string
  mutator: string
  /** The code that was changed, and what it was changed to; not where, because that moves. */
  original: string
  replacement: string
  reason: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const listed: Survivor[] = JSON.parse(readFileSync(new URL('survivors.json', import.meta.url), 'utf8'))
const files = process.argv.slice(2).filter(argument => argument !== '--score')

const results = await new Stryker({
  configFile: fileURLToPath(new URL('stryker.config.json', import.meta.url)),
  // Of a part the score says little; of the whole it is held to the threshold in the configuration.
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
// Whether a mutant times out or survives may depend on the machine: `--score` fails for a low score only.
if (faults.length > 0 && !process.argv.includes('--score')) process.exitCode = 1

/** Survivors that the list does not have. */
function notListed(): string[] {
  const known = [...listed]
  return survivors().flatMap(({ line, ...survivor }) => {
    const index = known.findIndex(other => isSame(other, survivor))
    if (index >= 0) known.splice(index, 1)
    return index >= 0 ? [] : [`No test tells, line ${line}: ${JSON.stringify(survivor, null, 2)}`]
  })
}

/** Entries of the list that a test tells by now, or whose code is gone. */
function stale(): string[] {
  const left = survivors()
  return listed
    .filter(({ file }) => files.length === 0 || files.includes(file))
    .filter(entry => {
      const index = left.findIndex(survivor => isSame(entry, survivor))
      if (index >= 0) left.splice(index, 1)
      return index < 0
    })
    .map(entry => `Stale, a test tells it: ${JSON.stringify(entry, null, 2)}`)
}

function isSame(one: Omit<Survivor, 'reason'>, other: Omit<Survivor, 'reason'>): boolean {
  return (['file', 'mutator', 'original', 'replacement'] as const).every(key => one[key] === other[key])
}

function survivors(): (Omit<Survivor, 'reason'> & { line: number })[] {
  return results
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(mutant => ({
      file: relative(root, mutant.fileName),
      mutator: mutant.mutatorName,
      original: originalOf(mutant),
      replacement: mutant.replacement,
      line: mutant.location.start.line
    }))
}

function originalOf({ fileName, location: { start, end } }: MutantResult): string {
  const lines = readFileSync(fileName, 'utf8').split('\n')
  const text = lines.slice(start.line - 1, end.line)
  text.push((text.pop() as string).slice(0, end.column - 1))
  text[0] = (text[0] as string).slice(start.column - 1)
  return text.join('\n')
}
