// The package as others get it: the archive as processes with nothing but Node, as conformance/docs/checking.md says, and
// the npm package installed alone.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { extract } from 'tar'
import { conforming, listen, PASSWORD, SECRET, USERNAME } from './server/minimal-server.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
// Outside of the package, which could import itself by its name.
const folder = mkdtempSync(join(tmpdir(), 'package-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const archive = join(folder, 'conformance.tar.gz')
const unpacked = join(folder, 'conformance')
const installed = join(folder, 'node_modules/screen-auth-conformance')
const { PATH = '', HOME = '' } = process.env
const credentials = { SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }

/** Starts a program that tap must not instrument. */
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

const make = (file: string) => run(process.execPath, ['archive.js', file], root)

/** Starts the kit as someone does who has only Node and the archive. */
const kit = (args: string[], env = {}) =>
  start(process.execPath, ['screen-auth-conformance.mjs', ...args], env, unpacked)

t.before(async () => {
  await make(archive)
  await extract({ file: archive, cwd: folder })
  // Without scripts: `prepare` would build dist anew under the tests that run beside this one.
  const [{ filename }] = JSON.parse(await run('npm', ['pack', root, '--json', '--ignore-scripts']))
  mkdirSync(installed, { recursive: true })
  await extract({ file: join(folder, filename), cwd: installed, strip: 1 })
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const [target = ''] = /^.*\/node_modules\/[^/]+/.exec(fileURLToPath(import.meta.resolve(name))) ?? []
    symlinkSync(target, join(folder, 'node_modules', name))
  }
})

t.test('the archive has the contract, all data, the schemas, the runner and the licences', async t => {
  const data = readdirSync(root).filter(name => /^(?!package|tsconfig).*\.(json|md)$/.test(name))
  const own = ['LICENSE', 'LICENSES-OF-DEPENDENCIES', 'screen-auth-conformance.mjs']
  // Where the package is alone there are no schemas.
  const schemas = join(root, '../schemas/generated')
  const hasSchemas = existsSync(schemas)
  t.strictSame(readdirSync(unpacked).sort(), [...data, ...own, ...(hasSchemas ? ['schemas'] : [])].sort())
  if (hasSchemas)
    t.strictSame(
      readdirSync(join(unpacked, 'schemas')),
      readdirSync(schemas).filter(name => !name.endsWith('.ts'))
    )
  t.match(readFileSync(join(unpacked, 'LICENSES-OF-DEPENDENCIES'), 'utf8'), /^ajv\n\n.*Copyright/s)
})

t.test('the archive has the same bytes when it is made again', async t => {
  const again = join(folder, 'again.tar.gz')
  await make(again)
  t.ok(readFileSync(again).equals(readFileSync(archive)))
})

t.test('its runner is one file, which may be taken elsewhere', async t => {
  cpSync(join(unpacked, 'screen-auth-conformance.mjs'), join(folder, 'kit.mjs'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.equal(await run(process.execPath, ['kit.mjs', '--version']), version)
  t.match(await run(process.execPath, ['kit.mjs', '--list']), /^menu-without-token /)
})

t.test('credentials and secret come from the environment, and a pipe gets no colours', async t => {
  const url = await listen(t, 'jwt', conforming('jwt', '/base'))
  const { code, stdout, stderr } = await end(kit([url], { ...credentials, SCREEN_AUTH_SECRET: SECRET }))
  t.equal(code, 0, stderr)
  t.match(stdout, /\nThe server http:\/\/127.* conforms: \d+ ok, 0 failed/)
  t.match(stdout, /\(jwt-expired\)/)
  t.equal(stderr, '')
  t.notMatch(stdout, '\u001b[')
})

t.test('a reader of the first line only does not cost the reports and the exit status', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const file = join(folder, 'head.json')
  const child = kit([url, '--json', file], credentials)
  child.stdout.once('data', () => child.stdout.destroy())
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  t.match(JSON.parse(readFileSync(file, 'utf8')), { conforms: true })
})

t.test('a signal ends the scenario, and the requests so far are graded', async t => {
  const child = kit(['client', '--expect', 'login', '--timeout', '600'])
  const ended = end(child)
  const url = await new Promise<string>(resolve =>
    child.stdout.on('data', data => {
      const [, address] = /listening on (http:\S+)/.exec(data) ?? []
      if (address !== undefined) resolve(address)
    })
  )
  await fetch(`${url}/menu/main`)
  child.kill('SIGTERM')
  const { code, stdout } = await ended
  t.equal(code, 1)
  t.match(stdout, /OK .*\(asks-for-menu-first\)/)
  t.match(stdout, /FAILED .*\(fetches-form-on-401\)/)
})

t.test('the npm package is a command', async t => {
  const command = join(installed, 'dist/cli.js')
  t.match(await run(command, ['--version']), /^\d+\.\d+\.\d+$/)
  t.match(await run(command, ['--list']), 'form-auth-action')
})

t.test('its functions are imported by name, and its cases are there for any JSON reader', async t => {
  const program = `
    import { createRequire } from 'node:module'
    import { checkServer, watchClient } from 'screen-auth-conformance'
    const { cases } = createRequire(import.meta.url)('screen-auth-conformance/server-cases.json')
    console.log(typeof checkServer, typeof watchClient, cases[0].id)`
  writeFileSync(join(folder, 'program.mjs'), program)
  t.equal(await run('node', ['program.mjs']), 'function function menu-without-token')
})
