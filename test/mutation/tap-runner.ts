// A test runner for Stryker. It loads the tap tests once, and runs the tests that reach a mutant in one process.
// Stryker's own runner for tap starts a process for each mutant and each test file instead.
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

/** The test files, beginning with those that check the values computed while the code loads. */
const FILES = ['test/schemas', 'test/lib', 'test/hosts', 'client/test']
  // The bundle test checks the size of the code, and Stryker's instrumentation increases that size.
  .flatMap(folder => globSync(`${folder}/**/!(bundle|*.slow).test.ts`).sort())
  .concat('test/fuzz/forged-tokens.test.ts')

// All processes share both files: Stryker often starts new processes.
/** A line for each killed mutant, with its file and the name of the test that killed it. */
const KILLED = '.killed-by.txt'
/** The milliseconds that each test takes without a mutant, by its name, as JSON. */
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

/** @param timeout the timeout in milliseconds; 0 for none */
async function run({ id, file, body }: Found, timeout: number): Promise<TestResult> {
  const root = new Test({ name: file }) as TapTest
  root.resume()
  const folder = process.cwd()
  const start = performance.now()
  const outcome = await root.test(id, (t: TapTest) => {
    t.setTimeout(timeout)
    return body(t)
  })
  root.end()
  // tap has left it, if the test had a folder of its own.
  process.chdir(folder)
  const common = { id, name: id, fileName: file, timeSpentMs: performance.now() - start }
  if (outcome?.ok) return { ...common, status: TestStatus.Success }
  const failureMessage = JSON.stringify(root.lists.fail[0] ?? outcome)
  return { ...common, status: TestStatus.Failed, failureMessage }
}

/** Sorts the tests that killed other mutants of the file first, and each group by duration. */
function likelyFirst(tests: Found[], file: string, times: Record<string, number>): Found[] {
  const lines = readFileSync(KILLED, 'utf8').trimEnd().split('\n')
  const likely = new Set(lines.filter(line => line.startsWith(`${file} `)))
  const rank = ({ id }: Found) => (likely.has(`${file} ${id}`) ? 0 : 1_000_000) + (times[id] as number)
  return tests.toSorted((one, other) => rank(one) - rank(other))
}

/** Whether another mutant has run in this process. It may have left state behind, for example in a cache. */
let isUsed = false

const runner: TestRunner = {
  // A module cannot be loaded again, so Stryker starts a new process for each mutant that needs it.
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
      const timeout = 2_000 + 4 * (times[test.id] as number)
      const result = await run(test, timeout)
      results.push(result)
      const limit = determineHitLimitReached(context.hitCount, hitLimit)
      const isSlow = result.timeSpentMs > timeout
      if (limit === undefined && !isSlow && result.status === TestStatus.Success) continue

      delete context.activeMutant
      // In a used process, a failure counts only if the test passes again without the mutant. Otherwise this throws, so
      // that Stryker starts a new process.
      const isReliable = isFresh || (await run(test, timeout)).status === TestStatus.Success
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
