// The commands of README.md, in a checkout that has no node_modules yet.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readPage } from '../docs/page.ts'
import { start, statusOf } from '../docs/program.ts'
import { follow } from '../examples/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { PATH = '', HOME = '' } = process.env

/** Milliseconds after which all packages are installed. */
const INSTALLED = 900_000

const folder = mkdtempSync(join(tmpdir(), 'C# 50% é-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
const checkout = join(folder, 'fastify-screen-auth')

const { samples } = readPage('README.md')
const [install, tryIt] = samples.filter(({ testedBy }) => testedBy?.includes('fresh-checkout'))

t.before(() => {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  for (const file of files.filter(file => file !== '' && existsSync(join(root, file))))
    cpSync(join(root, file), join(checkout, file))
})

/** Types a line into a shell in the checkout. */
function type(line = '', env: Record<string, string> = {}) {
  const child = spawn(line, { shell: true, cwd: checkout, detached: true, env: { PATH, HOME, ...env } })
  const endAll = (signal: NodeJS.Signals) => process.kill(-(child.pid as number), signal)
  t.teardown(() => child.exitCode ?? child.signalCode ?? endAll('SIGKILL'))
  return { ...follow(child), child, endAll }
}

t.test('npm ci && npm start installs without a warning, and starts the server', async t => {
  const { output, says, closed, endAll } = type(tryIt?.code, { PORT: '0' })
  await says(/Log in as/, INSTALLED)
  t.notMatch(output.stdout + output.stderr, /EBADENGINE/)
  const [, url] = /Log in as demo with the password demo-password at (\S+)/.exec(output.stdout) ?? []
  t.equal(await statusOf(`${url}auth/login`), 200)
  endAll('SIGTERM')
  await closed
})

t.test('SIGTERM for npm reaches the server', async t => {
  const { child, output, says, closed } = type('exec npm start', { PORT: '0' })
  await says(/Log in as/)
  child.kill('SIGTERM')
  await closed
  t.match(output.stdout, 'SIGTERM received, closing')
})

t.test('npm pack makes the file that installs the package in another project, where the sample runs', async t => {
  const project = join(folder, 'my-project')
  mkdirSync(project)
  // The first test has run `npm ci`.
  const { closed } = type(install?.code.replace('npm ci && ', ''))
  t.equal(await closed, 0)
  const app = join(project, 'app.mjs')
  writeFileSync(app, samples.find(({ language }) => language === 'js')?.code ?? '')
  const url = await start(t, app).listening()
  t.equal(await statusOf(`${url}/healthz`), 200)
  t.equal(await statusOf(`${url}/menu/main`), 401)
})
