// `npx -y -p node@26 -- node test/mutation/run.ts [lib/tokens/jwt.ts …]` checks with Stryker whether the tests can
// fail: they must kill 95 % of the mutants. With `--third`, as in CI, it mutates only every third file of lib/, and others
// on the next two days.
import { execSync } from 'node:child_process'
import { globSync } from 'node:fs'

// Only this script needs Stryker, so `npm ci` in the root does not install it.
execSync('npm ci', { cwd: import.meta.dirname, stdio: 'inherit' })
const { Stryker } = await import('@stryker-mutator/core')

const third = process.argv.includes('--third')
const files = process.argv.slice(2).filter(argument => argument !== '--third')
const others = ['schemas/**/*.ts', '!schemas/generated/**', '!schemas/build/generate.ts', 'client/*.ts']
const day = Math.floor(Date.now() / 86_400_000)
const ofLib = globSync('lib/**/*.ts')
  .sort()
  .filter((_, i) => !third || i % 3 === day % 3)

const results = await new Stryker({
  plugins: ['./test/mutation/tap-runner.ts'],
  testRunner: 'tap-in-process',
  mutate: files.length > 0 ? files : [...ofLib, ...others],
  ignorePatterns: ['.ci', '.tap', 'data', 'dist'],
  disableTypeChecks: false,
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  // The score of single files says little, so only the score of the whole must reach the threshold.
  thresholds: { high: 100, low: 95, break: files.length > 0 ? null : 95 },
  warnings: { slow: false },
  reporters: ['progress-append-only'],
  cleanTempDir: 'always',
  tempDirName: '.stryker-tmp',
  allowConsoleColors: false
}).runMutationTest()

const count = (...statuses: string[]) => results.filter(({ status }) => statuses.includes(status)).length
const [killed, survived] = [count('Killed', 'Timeout'), count('Survived', 'NoCoverage')]
for (const { status, fileName, location, replacement } of results)
  if (status === 'Survived' || status === 'NoCoverage')
    console.log(`survived: ${fileName}:${location.start.line} ${replacement}`)
console.log(
  `mutation score ${((100 * killed) / (killed + survived)).toFixed(2)} %: ${results.length} mutants, ` +
    `${count('Killed')} killed, ${count('Timeout')} timed out, ${survived} survived, ` +
    `${count('RuntimeError', 'CompileError')} did not load`
)
