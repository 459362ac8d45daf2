// A test runner for Stryker: it loads the tests of tap once, and runs for each mutant those that reach it, all in one
// process. Stryker's own runner for tap starts a process for each mutant and each test file instead.
import { appendFileSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from '@stryker-mutator/api/core'
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult
} from '@stryker-mutator/api/test-runner'
import type { Test as TapTest } from 'tap'

// tap sends its timeout to the parent process, which Stryker would not understand.
const { send } = process
delete process.send
const { default: tap, Test } = await import('tap')
tap.setTimeout(0)
if (send !== undefined) process.send = send

/** The test files. First those that check everything that is computed while the code loads. */
const FILES = ['test/schemas', 'test/lib', 'client/test']
  // The bundle is as large as the code, and Stryker makes that larger.
  .flatMap(folder => globSync(`${folder}/**/!(bundle|*.slow).test.ts`).sort())
  .concat('test/contract.test.ts', 'test/fuzz/forged-tokens.test.ts')
  .concat(['boot', 'hooks', 'wire'].map(name => `test/hosts/${name}.test.ts`))

// All processes share both files: Stryker often starts new processes.
/** The files of the mutants, and the names of the tests that killed them, as lines of JSON. */
const KILLED = '.killed-by.txt'
/** The milliseconds that each test takes without a mutant, by its name. */
const TIMES = '.times.json'

type Body = (t: TapTest) => unknown

interface Found {
  id: string
  file: string
  body: Body
}

/** The instrumented code reads the active mutant here, and counts which mutants it reaches. */
const context: InstrumenterContext = {}
Object.assign(globalThis, { [INSTRUMENTER_CONSTANTS.NAMESPACE]: context })

const found: Found[] = []

/** Imports the test files, and keeps the tests instead of running them. */
async function load(): Promise<void> {
  if (found.length > 0) return
  for (const file of FILES) {
    const test = (name: string, body: Body) => void found.push({ id: `${file}: ${name}`, file, body })
    Object.assign(tap, { test })
    await import(pathToFileURL(resolve(file)).href)
  }
}

/** @param patience the timeout in milliseconds; 0 for none */
async function run({ id, file, body }: Found, patience: number): Promise<TestResult> {
  const root = new Test({ name: file }) as TapTest
  root.resume()
  const start = performance.now()
  const outcome = await root.test(id, (t: TapTest) => {
    t.setTimeout(patience)
    return body(t)
  })
  root.end()
  const common = { id, name: id, fileName: file, timeSpentMs: performance.now() - start }
  if (outcome?.ok) return { ...common, status: TestStatus.Success }
  const failureMessage = JSON.stringify(root.lists.fail[0] ?? outcome)
  return { ...common, status: TestStatus.Failed, failureMessage }
}

/** First the tests that killed other mutants of the file, then the others; each group with the fastest first. */
function likelyFirst(tests: Found[], file: string, times: Record<string, number>): Found[] {
  const lines = readFileSync(KILLED, 'utf8').trimEnd().split('\n')
  const likely = new Set(lines.filter(line => line.startsWith(`${file} `)))
  const rank = ({ id }: Found) => (likely.has(`${file} ${id}`) ? 0 : 1_000_000) + (times[id] as number)
  return tests.toSorted((one, other) => rank(one) - rank(other))
}

/** Whether another mutant has run in this process. It may have left state behind, for example in a cache. */
let isUsed = false

const runner: TestRunner = {
  // A module cannot be loaded again: Stryker starts a new process for each mutant that needs it.
  capabilities: () => ({ reloadEnvironment: false }),

  async dryRun(): Promise<DryRunResult> {
    await load()
    const tests: TestResult[] = []
    for (const test of found) {
      context.currentTestId = test.id
      tests.push(await run(test, 0))
    }
    delete context.currentTestId
    const times = Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]))
    writeFileSync(TIMES, JSON.stringify(times))
    writeFileSync(KILLED, '')
    const { mutantCoverage } = context
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) }
  },

  /** Runs tests until one kills the mutant. */
  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit }): Promise<MutantRunResult> {
    const isFresh = !isUsed
    isUsed = true
    if (mutantActivation === 'runtime') await load()
    Object.assign(context, { activeMutant: activeMutant.id, hitCount: 0, hitLimit })
    try {
      await load()
    } catch (error) {
      return { status: MutantRunStatus.Error, errorMessage: String(error) }
    }
    const times = JSON.parse(readFileSync(TIMES, 'utf8')) as Record<string, number>
    const reaching = found.filter(({ id }) => testFilter?.includes(id) ?? true)
    const results: TestResult[] = []
    for (const test of likelyFirst(reaching, activeMutant.fileName, times)) {
      const patience = 2_000 + 4 * (times[test.id] as number)
      const result = await run(test, patience)
      results.push(result)
      const limit = determineHitLimitReached(context.hitCount, hitLimit)
      const isSlow = result.timeSpentMs > patience
      if (limit === undefined && !isSlow && result.status === TestStatus.Success) continue

      delete context.activeMutant
      // In a used process, a test that fails with the mutant is only reliable when it passes again without it. Else this
      // throws, so that Stryker starts a new process.
      const isReliable = isFresh || (await run(test, patience)).status === TestStatus.Success
      if (!isReliable) throw new Error('this needs a new process')
      if (limit !== undefined) return toMutantRunResult(limit)
      if (isSlow) return { status: MutantRunStatus.Timeout, reason: `timed out: ${test.id}` }
      appendFileSync(KILLED, `${activeMutant.fileName} ${test.id}\n`)
      break
    }
    delete context.activeMutant
    return toMutantRunResult({ status: DryRunStatus.Complete, tests: results })
  }
}

export const strykerPlugins = [declareValuePlugin(PluginKind.TestRunner, 'tap-in-process', runner)]
