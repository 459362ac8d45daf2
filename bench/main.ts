/** Measures the CPU time per request of fastify-screen-auth and other guards, as a multiple of Fastify without one. */
import { execSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { RedisServer } from '../test/redis-server.ts'
import { measureBodies } from './bodies.ts'
import { measureGrowth } from './growth.ts'
import { measure } from './load.ts'
import { print, type Result, regressions, withTable } from './report.ts'
import { baseline, control, ours, scenarios } from './scenarios.ts'
import { isPinned } from './server.ts'
import { measureStart } from './start.ts'

/** Amounts to measure. `starts` are processes per server in `start`; `tokens` are the tokens in `growth`. */
const FULL = { rounds: 6, seconds: 0.5, starts: 10, tokens: 1_000_000 }
const QUICK = { rounds: 3, seconds: 0.2, starts: 5, tokens: 60_000 }

const NAMES = [...scenarios.map(({ name }) => name), 'bodies', 'start', 'growth']

const USAGE = `Usage: npm run bench -- [options]

Measures the CPU time of requests, as a multiple of Fastify without authentication.

  --only NAMES   run only these scenarios, separated by commas: ${NAMES.join(', ')}
  --quick        run all scenarios in a few minutes, with more noise
  --check        run only this package and bare Fastify; exit with 1 if a ratio is far above its target
  --write        write the table into docs/performance.md
  --help         show this help`

const { only, quick, check, write } = readOptions()
setUp()

const amount = check || quick ? QUICK : FULL
const origin =
  `Medians of ${amount.rounds} rounds of ${amount.seconds} s, ${new Date().toISOString().slice(0, 10)}, ` +
  `Node ${process.versions.node}, ${cpus()[0]?.model}: ${versions().join(', ')}.`
console.log(`${origin}\n${isPinned ? 'Servers on core 0, load on core 1.' : 'Not pinned to cores.'}`)

const results: Result[] = []
const stopRedis = only.includes('session') ? await startRedis() : () => {}
const judged = [baseline, control, ours].map(({ label }) => label)
for (const scenario of scenarios) {
  const contenders = scenario.contenders.filter(({ label }) => !check || judged.includes(label))
  await run(scenario.name, () => measure({ ...scenario, contenders }, amount))
}
await run('bodies', () => measureBodies(amount))
await run('start', () => measureStart(amount.starts))
await run('growth', () => measureGrowth(amount.tokens, amount))
stopRedis()

if (write) {
  const page = new URL('../docs/performance.md', import.meta.url)
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), results, origin))
}
if (check) {
  const reasons = regressions(results)
  for (const reason of reasons) console.error(`FAILED: ${reason}`)
  if (reasons.length > 0) process.exitCode = 1
}

async function run(name: string, measure: () => Promise<Result | Result[]>): Promise<void> {
  if (!only.includes(name)) return
  for (const result of [await measure()].flat()) {
    results.push(result)
    print(result)
  }
}

/** Starts the Redis of the scenario `session`. Skips the scenario on a machine without Redis. */
async function startRedis(): Promise<() => void> {
  let stop = () => {}
  try {
    const { url } = await RedisServer.start({ teardown: clean => (stop = clean) })
    process.env.BENCH_REDIS_URL = url
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || process.env.NOTHING_SKIPPED) throw error
    console.log('Skipped: session, because redis-server is not installed.')
    only.splice(only.indexOf('session'), 1)
  }
  return stop
}

/** Reads the command line. An invalid option, and `--help`, print a text and end the process. */
function readOptions() {
  const flag = { type: 'boolean', default: false } as const
  const options = { only: { type: 'string' }, quick: flag, check: flag, write: flag, help: flag } as const
  try {
    const { values } = parseArgs({ options })
    if (values.help) {
      console.log(USAGE)
      process.exit(0)
    }
    const only = values.only?.split(',') ?? [...NAMES]
    const unknown = only.find(name => !NAMES.includes(name))
    if (unknown !== undefined) throw new Error(`option '--only' has the unknown scenario '${unknown}'`)
    if (values.write && (values.only !== undefined || values.check))
      throw new Error("option '--write' needs all scenarios and servers")
    return { ...values, only }
  } catch (error) {
    console.error(`${(error as Error).message}; see npm run bench -- --help`)
    process.exit(1)
  }
}

/** Installs the compared servers if they are missing, and builds this package. */
function setUp(): void {
  const cwd = import.meta.dirname
  try {
    execSync('npm ls', { cwd, stdio: 'ignore' })
  } catch {
    execSync('npm ci --no-audit --no-fund', { cwd, stdio: ['ignore', 2, 2] })
  }
  execSync('npm run build', { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: ['ignore', 2, 2] })
}

function versions(): string[] {
  const folders = {
    '@fastify/jwt': '../node_modules/@fastify/jwt',
    'better-auth': 'node_modules/better-auth',
    fastify: '../node_modules/fastify',
    'fastify-screen-auth': '..'
  }
  return Object.entries(folders).map(([name, folder]) => {
    const manifest = readFileSync(new URL(`${folder}/package.json`, import.meta.url), 'utf8')
    return `${name} ${JSON.parse(manifest).version}`
  })
}
