/**
 * `npm run bench`: measures the CPU time per request of this package and of other guards, as a multiple of Fastify
 * without one, and writes docs/performance.md and its picture. With `--check`, as in CI, measures only this package,
 * and fails if a ratio is far above its target.
 */
import { execSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { RedisServer } from '../test/redis-server.ts'
import { measure, measureStart } from './measure.ts'
import { draw } from './picture.ts'
import { baseline, type Contender, contenders, ours, scenarios, started, starts } from './scenarios.ts'
import { isPinned } from './server.ts'

/** `--check` fails only if a ratio is more than this multiple of its target, so that noise causes no failure. */
const TOLERANCE = 2

const isCheck = process.argv.includes('--check')
const compared = isCheck ? [baseline, ours] : contenders

execSync('npm ci --no-audit --no-fund', { cwd: import.meta.dirname, stdio: ['ignore', 2, 2] })
execSync('npm run build', { cwd: `${import.meta.dirname}/..`, stdio: ['ignore', 2, 2] })

console.log(`Node ${process.versions.node}, ${cpus()[0]?.model}`)
console.log(isPinned ? 'Servers on core 0, load on core 1.\n' : 'Not pinned to cores, so the noise is larger.\n')
const table: string[][] = []
row('CPU time, bare Fastify = 1', ...compared.map(({ label }) => label))
row('---', ...compared.map(() => '--:'))
for (const scenario of scenarios) {
  const stop = scenario.hasRedis ? await startRedis() : () => {}
  const ratios = await measure(scenario, compared, isCheck ? 1 : 2)
  stop()
  report(scenario, ratios)
}
for (const start of starts) report(start, measureStart(start, isCheck ? [baseline, ours] : started, isCheck ? 3 : 9))
if (!isCheck) writePage()

function report({ title, target }: { title: string; target: number }, ratios: Map<Contender, number>): void {
  row(title, ...compared.map(one => ratios.get(one)?.toFixed(2) ?? ''))
  if (isCheck && (ratios.get(ours) as number) > TOLERANCE * target) {
    console.error(`FAILED: ${title}: more than ${TOLERANCE} times the target, which is ${target}`)
    process.exitCode = 1
  }
}

function row(...cells: string[]): void {
  console.log(lineOf(cells))
  table.push(cells)
}

function lineOf(cells: string[]): string {
  return `| ${cells.join(' | ')} |`.replaceAll(/ +/g, ' ')
}

/** Replaces the table on the page, the line below it, and the picture. */
function writePage(): void {
  const page = new URL('../docs/performance.md', import.meta.url)
  const versionOf = (folder: string, name: string) => {
    const manifest = new URL(`${folder}/node_modules/${name}/package.json`, import.meta.url)
    return `${name} ${JSON.parse(readFileSync(manifest, 'utf8')).version}`
  }
  const versions = [versionOf('..', '@fastify/jwt'), versionOf('.', 'better-auth'), versionOf('..', 'fastify')]
  const date = new Date().toISOString().slice(0, 10)
  const measured = `Measured on ${date} with Node ${process.versions.node}, ${versions.join(', ')}.`
  const text = readFileSync(page, 'utf8').replace(
    /^\|[\s\S]*^Measured.*$/m,
    [...table.map(lineOf), '', measured].join('\n')
  )
  writeFileSync(page, text)
  writeFileSync(new URL('performance.svg', page), draw(table.filter(([title]) => title !== '---')))
}

async function startRedis(): Promise<() => void> {
  let stop = () => {}
  const { url } = await RedisServer.start({ teardown: clean => (stop = clean) })
  process.env.BENCH_REDIS_URL = url
  return stop
}
