// The kit as it is distributed (conformance/docs/checking.md): its single file, run with only Node and by the script of
// conformance/docs/ci.md, and the npm package without other packages.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { body, listen, listenOn, PASSWORD, USERNAME } from './server/minimal-server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
// Outside of the package, because a package can import itself by its name.
const folder = mkdtempSync(join(tmpdir(), 'package-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const FILE = 'screen-auth-conformance.mjs'
const installed = join(folder, 'node_modules/screen-auth-conformance')
const { PATH = '', HOME = '' } = process.env
const credentials = { SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }

function start(command: string, args: string[], env: Record<string, string> = {}, cwd = folder) {
  const child = spawn('env', ['-u', 'NODE_OPTIONS', command, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

async function end(child: ChildProcess & ReturnType<typeof start>) {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

async function run(command: string, args: string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await end(start(command, args, {}, cwd))
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

t.before(async () => {
  cpSync(join(root, 'dist', FILE), join(folder, FILE))
  // Without scripts: `prepare` would rebuild dist while other tests use it.
  const [{ filename }] = JSON.parse(await run('npm', ['pack', root, '--json', '--ignore-scripts']))
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', filename, '--strip-components=1', '-C', installed])
})

t.test('the file has the version of the package, the cases and the licence, and needs no other package', async t => {
  const { name, version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.equal(await run(process.execPath, [FILE, '--version']), version)
  t.match(await run(process.execPath, [FILE, '--help']), /^Usage: /)
  const text = readFileSync(join(folder, FILE), 'utf8')
  t.match(text, `\n/*\n${name}\n\n`)
  t.equal(dependencies, undefined)
})

t.test('if a reader closes the pipe early, the report is written and the exit status is right', async t => {
  const url = await listen(t, 'opaque')
  const file = join(folder, 'head.json')
  const child = start(process.execPath, [FILE, url, '--json', file], credentials)
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { conforms: true })
})

t.test('a signal ends a run: exit 2, one sentence, and the report says that the run did not end', async t => {
  const silent = createServer()
  const url = `http://127.0.0.1:${await listenOn(t, silent)}`
  const file = join(folder, 'stopped.json')
  for (const [signal, ...args] of [
    ['SIGINT', url],
    ['SIGTERM', url],
    ['SIGTERM', 'client']
  ] as const) {
    const child = start(process.execPath, [FILE, ...args, '--timeout', '600', '--json', file], credentials)
    await Promise.race([once(silent, 'connection'), once(child.stdout, 'data')])
    child.kill(signal)
    const why = `the run did not end: ${signal} stopped it`
    t.match(await end(child), { code: 2, stderr: `screen-auth-conformance: ${why}\n` })
    t.match(JSON.parse(readFileSync(file, 'utf8')), { conforms: false, obstacle: why })
  }
})

t.test('the npm package exports its functions and the token vectors', async t => {
  const program = `
    import { createRequire } from 'node:module'
    import { checkServer, watchClient } from 'screen-auth-conformance'
    const { groups } = createRequire(import.meta.url)('screen-auth-conformance/token-vectors.json')
    console.log(typeof checkServer, typeof watchClient, groups[0].alg)`
  writeFileSync(join(folder, 'program.mjs'), program)
  t.equal(await run('node', ['program.mjs']), 'function function HS256')
  t.match(await run(join(installed, 'dist', FILE), ['--list']), 'form-auth-action')
})

const page = readFileSync(join(root, 'docs/ci.md'), 'utf8')
const [, script = ''] = /<< 'END'\n(.*?)END\n/s.exec(page) ?? []
const [, writeIds = ''] = /```sh\n(node .*?)```/s.exec(page) ?? []

/** Returns the command of a server that forwards to another one. With STUBBORN in its environment, it ignores SIGTERM. */
function forward(url: string, port = 'process.env.PORT'): string[] {
  const pipe = `from.pipe(net.connect(${new URL(url).port})).pipe(from)`
  const handlers = `on('uncaughtException', () => {}).on('SIGTERM', () => process.env.STUBBORN || process.exit())`
  return ['node', '-e', `process.${handlers}; net.createServer(from => ${pipe}).listen(${port})`]
}

const NOWHERE = 'http://127.0.0.1:1'
const PROXIES = { http_proxy: NOWHERE, HTTP_PROXY: NOWHERE, https_proxy: NOWHERE, NODE_USE_ENV_PROXY: '1' }

for (const shell of ['sh', 'bash'])
  t.test(`the script for a CI checks a server, or says in one sentence why not, in ${shell}`, async t => {
    const url = await listen(t, 'opaque')
    const prefixed = await listen(t, 'opaque', {}, "/it's")
    const options = { URL_PREFIX: "/it's", CONFORMANCE_OPTIONS: '--hardening --protected /*' }
    const report = join(folder, 'report.xml')
    writeFileSync(join(folder, 'conformance.sh'), script)
    const idle = createServer()
    const free = String(await listenOn(t, idle))
    idle.close()
    const failing = ['sh', '-c', 'exit 7']
    const late = ['sh', '-c', 'sleep 2; exec "$@"', 'sh', ...forward(url)]
    const cases: [command: string[], env: Record<string, string>, status: number, says: RegExp][] = [
      [forward(url), {}, 0, /^\nProfile: .*\nThe server .* conforms/],
      [forward(prefixed), options, 0, /^\nProfile: core, hardening\..*\nThe server \S+\/it's conforms/],
      [late, { STUBBORN: '1' }, 0, / conforms/],
      [forward(url, '0'), { START_SECONDS: '1' }, 2, /^conformance.sh: no response from \S+ within 1 s: .*\n$/],
      [failing, {}, 2, /^conformance.sh: the server ended with status 7 before it responded on http:\S+\n$/],
      [forward(url), { PORT: new URL(url).port }, 2, /^conformance.sh: another program already responds on \S+\n$/]
    ]
    for (const [command, env, status, says] of cases) {
      writeFileSync(report, 'an earlier report')
      const { code, stdout, stderr } = await end(
        start(shell, ['-e', 'conformance.sh', ...command], { ...credentials, ...PROXIES, PORT: free, ...env })
      )
      t.equal(code, status, stderr)
      t.match(stdout + stderr, says)
      t.equal(existsSync(report) && /<testsuite .* errors="0"/.test(readFileSync(report, 'utf8')), status === 0)
    }
    const stop = () => ({ status: running.kill() ? 401 : 500 })
    const stopping = await listen(t, 'opaque', { form: stop })
    const running = start(shell, ['conformance.sh', ...forward(stopping)], { ...credentials, PORT: free })
    t.match(await end(running), { code: 2, stderr: /^conformance.sh: the run was stopped\n/ })
    t.match(readFileSync(report, 'utf8'), 'the run did not end')
    const elsewhere = await end(start(shell, [join(folder, 'conformance.sh'), 'true'], {}, installed))
    t.match(elsewhere, { code: 2, stderr: /^conformance.sh: the kit does not run: .*\n$/ })
  })

t.test('with the known failures that the command for a CI writes, the script succeeds', async t => {
  const url = await listen(t, 'opaque', body('form')({ title: 1 }))
  await end(start('sh', ['-c', writeIds.replace('http://127.0.0.1:3000', url)], credentials))
  t.equal(readFileSync(join(folder, 'known-failures.txt'), 'utf8'), 'form-title\n')
  const args = [FILE, url, '--expect-failures', 'known-failures.txt']
  t.match(await end(start('node', args, credentials)), { code: 0, stdout: /\nKnown: form-title\n/ })
})
