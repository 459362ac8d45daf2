// A test runner for Stryker: it loads the tests of tap once, and runs for each mutant those that reach it, all in one
// process. Stryker's own runner for tap starts a process for each mutant and each test file instead.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Matches the code of tests that mostly wait for a second or two: these run together. */
const WAITING = /seconds: [12] |timeout: 1 |sleep\(1\d{3}/

/** The test files. First those that check everything that is computed while the code loads. */
const FILES = ['test/schemas', 'test/lib', 'client/test']
  .flatMap(folder => readdirSync(folder, { recursive: true }).map(name => `${folder}/${name}`))
  .filter(path => path.endsWith('.test.ts') && !path.endsWith('.slow.test.ts'))
  .concat('test/contract.test.ts', 'test/fuzz/forged-tokens.test.ts', 'test/packages/token-vectors.test.ts')
  .concat(['boot', 'hooks', 'wire'].map(name => `test/hosts/${name}.test.ts`))

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
    const keep = (name: string, body: Body) => {
      found.push({ id: `${file}: ${name}`, file, body })
    }
    Object.assign(tap, { test: keep })
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

// All processes share both files: Stryker often starts new processes.
/** The files of the mutants, and the names of the tests that killed them, as lines of JSON. */
const KILLED = '.killed-by.txt'
/** The milliseconds that each test takes without a mutant, by its name. */
const TIMES = '.times.json'

let times: Record<string, number> | undefined

function timeOf({ id }: Found): number {
  times ??= JSON.parse(readFileSync(TIMES, 'utf8')) as Record<string, number>
  return times[id] as number
}

/** First the tests that killed other mutants of the file, then the others; each group with the fastest first. */
function likelyFirst(tests: Found[], file: string): Found[] {
  const lines = existsSync(KILLED) ? readFileSync(KILLED, 'utf8').trimEnd().split('\n') : []
  const killers = lines.map(line => JSON.parse(line) as [string, string]).filter(([of]) => of === file)
  const likely = new Set(killers.map(([, id]) => id))
  const rank = ({ id }: Found) => (likely.has(id) ? 0 : 1)
  return tests.toSorted((one, other) => rank(one) - rank(other) || timeOf(one) - timeOf(other))
}

interface Verdict {
  result: MutantRunResult
  /** The test that killed the mutant. */
  by?: Found
}

/** Milliseconds after which a test counts as timed out. */
function patienceWith(test: Found): number {
  return 2_000 + 4 * timeOf(test)
}

/** Runs tests until one kills the mutant. Those that mostly wait run last, and together. */
async function judge(tests: Found[], hitLimit: number | undefined): Promise<Verdict> {
  const waiting = tests.filter(test => timeOf(test) > 900 && WAITING.test(String(test.body)))
  const results: TestResult[] = []
  for (const group of [...tests.filter(test => !waiting.includes(test)).map(test => [test]), waiting]) {
    const ran = await Promise.all(
      group.map(async test => ({ test, result: await run(test, patienceWith(test)) }))
    )
    const limit = determineHitLimitReached(context.hitCount, hitLimit)
    for (const { test, result } of ran) {
      if (limit !== undefined) return { result: toMutantRunResult(limit), by: test }
      if (result.timeSpentMs > patienceWith(test)) {
        const reason = `timed out: ${test.id}`
        return { result: { status: MutantRunStatus.Timeout, reason }, by: test }
      }
      results.push(result)
      if (result.status === TestStatus.Failed) {
        return { result: toMutantRunResult({ status: DryRunStatus.Complete, tests: results }), by: test }
      }
    }
  }
  return { result: toMutantRunResult({ status: DryRunStatus.Complete, tests: results }) }
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
    writeFileSync(
      TIMES,
      JSON.stringify(Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs])))
    )
    const { mutantCoverage } = context
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage && { mutantCoverage }) }
  },

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
    const tests = likelyFirst(
      found.filter(({ id }) => testFilter?.includes(id) ?? true),
      activeMutant.fileName
    )
    const { result, by } = await judge(tests, hitLimit)
    delete context.activeMutant
    if (by !== undefined && result.status === MutantRunStatus.Killed) {
      appendFileSync(KILLED, `${JSON.stringify([activeMutant.fileName, by.id])}\n`)
    }

    // In a used process, a test that fails with the mutant is only reliable when it passes again without it. Else this
    // throws, so that Stryker starts a new process.
    if (isFresh || by === undefined) return result
    if ((await run(by, patienceWith(by))).status === TestStatus.Success) return result
    throw new Error('this needs a new process')
  }
}

export const strykerPlugins = [declareValuePlugin(PluginKind.TestRunner, 'tap-in-process', runner)]
