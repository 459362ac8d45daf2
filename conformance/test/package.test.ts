// The kit as it is distributed (conformance/docs/checking.md): its single file, run with only Node, and the npm package
// without other packages.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { conforming, listen, PASSWORD, USERNAME } from './server/minimal-server.ts'

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

t.test(
  'if a reader closes the pipe after the first line, the report is written and the exit status is right',
  async t => {
    const url = await listen(t, 'opaque', conforming('opaque'))
    const file = join(folder, 'head.json')
    const child = start(process.execPath, [FILE, url, '--json', file], credentials)
    child.stdout.once('data', () => child.stdout.destroy())
    const [code] = await once(child, 'exit')
    t.equal(code, 0)
    t.match(JSON.parse(readFileSync(file, 'utf8')), { conforms: true })
  }
)

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
