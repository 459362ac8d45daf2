// `npx -y -p node@26 -- node test/mutation/run.ts [lib/tokens/jwt.ts …]` checks with Stryker whether the tests can fail: of its
// mutants they must kill 95 %. With `--half`, in CI, of every second file of lib/: today these, tomorrow the others.
import { execSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

// Only this needs Stryker, so `npm ci` in the root does not install it.
execSync('npm ci', { cwd: import.meta.dirname, stdio: 'inherit' })
const { Stryker } = await import('@stryker-mutator/core')

const configFile = fileURLToPath(new URL('stryker.config.json', import.meta.url))
const { mutate } = JSON.parse(await readFile(configFile, 'utf8'))
const files = process.argv.slice(2).filter(argument => argument !== '--half')

const results = await new Stryker({
  configFile,
  ...(process.argv.includes('--half') && { mutate: [...mutate, ...everySecond().map(file => `!${file}`)] }),
  // The score of single files says little, so only the score of the whole must reach the threshold.
  ...(files.length > 0 && { mutate: files, thresholds: { high: 100, low: 95, break: null } })
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

function everySecond(): string[] {
  const day = Math.floor(Date.now() / 86_400_000)
  const sources = (readdirSync('lib', { recursive: true }) as string[]).filter(path => path.endsWith('.ts'))
  return sources.sort().flatMap((path, i) => (i % 2 === day % 2 ? [`lib/${path}`] : []))
}
