// `npx -y -p node@26 -- node test/mutation/run.ts [lib/tokens/jwt.ts …]` checks with Stryker whether the tests can
// fail: they must kill 95 % of the mutants. With `--part`, as in CI, it mutates every tenth file, others on the
// next days, and they must kill 90 %.
import { execSync } from 'node:child_process'
import { globSync } from 'node:fs'

// Only this script needs Stryker, so `npm ci` in the root does not install it.
execSync('npm ci', { cwd: import.meta.dirname, stdio: 'inherit' })
const { Stryker } = await import('@stryker-mutator/core')

const isPart = process.argv.includes('--part')
const given = process.argv.slice(2).filter(argument => argument !== '--part')
const day = Math.floor(Date.now() / 86_400_000)
const all = globSync(['lib/**/*.ts', 'schemas/**/*.ts', 'client/*.ts'])
  .filter(file => !/generated|schemas\/build\/generate\.ts/.test(file))
  .sort()
const files = given.length > 0 ? given : all.filter((_, i) => !isPart || i % 10 === day % 10)

const results = await new Stryker({
  plugins: ['./test/mutation/tap-runner.ts'],
  testRunner: 'tap-in-process',
  // Without it, `t.mockImport` imports no copy.
  testRunnerNodeArgs: ['--import=@tapjs/mock/import'],
  mutate: files,
  ignorePatterns: ['.ci', '.tap', 'data', 'dist'],
  disableTypeChecks: false,
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  warnings: { slow: false },
  reporters: ['progress-append-only'],
  cleanTempDir: 'always',
  tempDirName: '.stryker-tmp',
  allowConsoleColors: false
}).runMutationTest()

const count = (...statuses: string[]) => results.filter(({ status }) => statuses.includes(status)).length
// A mutant that crashed the runner tells nothing of the tests.
const CRASHED = 'Test runner crashed'
const crashed = results.filter(({ statusReason }) => statusReason?.startsWith(CRASHED)).length
const [killed, survived] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage') + crashed]
for (const { status, fileName, location, replacement, statusReason = '' } of results)
  if (status === 'Survived' || status === 'NoCoverage' || statusReason.startsWith(CRASHED))
    console.log(`survived: ${fileName}:${location.start.line} ${replacement} ${statusReason.slice(0, 1000)}`)
const score = (100 * killed) / (killed + survived)
console.log(
  `mutation score ${score.toFixed(2)} %: ${results.length} mutants, ${count('Killed')} killed, ` +
    `${count('Timeout')} timed out, ${survived} survived, ${crashed} of these crashed the runner`
)
// The score of a few files says less than that of the whole.
if (given.length === 0 && score < (isPart ? 90 : 95)) process.exitCode = 1
