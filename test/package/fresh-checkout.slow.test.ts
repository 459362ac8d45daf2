// The commands of README.md, in a checkout that has no node_modules yet.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readPage } from '../docs/page.ts'
import { until } from '../helpers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shell = fileURLToPath(new URL('plain-shell.js', import.meta.url))
const { PATH = '', HOME = '' } = process.env

const folder = mkdtempSync(join(tmpdir(), 'fresh-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
const checkout = join(folder, 'fastify-screen-auth')

const { samples } = readPage('README.md')
const [tryIt = '', install = ''] = samples
  .filter(({ testedBy }) => testedBy?.includes('fresh-checkout'))
  .map(({ code }) => code)

t.before(() => {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  for (const file of files.filter(file => file !== '' && existsSync(join(root, file))))
    cpSync(join(root, file), join(checkout, file))
})

/** Types a line into a shell in the checkout. */
function type(line: string, env: Record<string, string> = {}): { child: ChildProcess; output: () => string } {
  const child = spawn(line, { shell: true, cwd: checkout, detached: true, env: { PATH, HOME, ...env } })
  t.teardown(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', data => {
      output += data
    })
  return { child, output: () => output }
}

/** The environment in which npm has a shell that runs nothing but programs. */
const plain = { npm_config_script_shell: shell }

t.test(
  'the first command installs without a warning and starts the server, with the plainest shell',
  async t => {
    const { child, output } = type(tryIt, { ...plain, PORT: '0' })
    await until(() => /listening at http/.test(output()) || child.exitCode !== null)
    t.notMatch(output(), /EBADENGINE|refused/)
    const [, url] = /Log in as demo with the password demo-password at (\S+)/.exec(output()) ?? []
    t.equal((await fetch(`${url}auth/login`)).status, 200)
    process.kill(-(child.pid as number), 'SIGTERM')
    await once(child, 'close')
  }
)

for (const [name, env] of Object.entries({ 'the usual shell': {}, 'the plainest shell': plain })) {
  t.test(`SIGTERM for npm reaches the server through ${name}`, async () => {
    const { child, output } = type('exec npm start', { ...env, PORT: '0' })
    await until(() => /Log in as/.test(output()))
    child.kill('SIGTERM')
    await once(child, 'close')
    t.match(output(), /SIGTERM received, closing/)
  })
}

t.test('the plainest shell refuses what cmd.exe does not know', async t => {
  for (const line of ['rm -rf dist', 'node a && node b', 'exec node a', 'node "a"'])
    t.throws(() => execFileSync(process.execPath, [shell, '-c', line], { stdio: 'ignore' }), line)
})

t.test(
  'the second command installs the package in another project, where the sample of the README runs',
  async t => {
    const project = join(folder, 'my-project')
    mkdirSync(project)
    const { child, output } = type(install)
    const [status] = await once(child, 'close')
    t.equal(status, 0, output())
    const sample = samples.find(({ language }) => language === 'js')?.code ?? ''
    writeFileSync(join(project, 'app.mjs'), sample.replace('port: 3000', 'port: 0'))
    const app = spawn(process.execPath, ['app.mjs'], { cwd: project, env: { PATH } })
    t.teardown(() => app.kill('SIGKILL'))
    let log = ''
    app.stdout.on('data', data => {
      log += data
    })
    await until(() => /listening at (http[^"]+)/.test(log) || app.exitCode !== null)
    const [, url = ''] = /listening at (http[^"]+)/.exec(log) ?? []
    t.equal(await (await fetch(`${url}/healthz`)).text(), 'ok')
    t.equal((await fetch(`${url}/menu/main`)).status, 401)
  }
)
