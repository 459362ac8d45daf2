// conformance.tar.gz, in a folder where nothing else is: the first commands of conformance/docs/checking.md.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { extract } from 'tar'
import { conforming, listen, PASSWORD, USERNAME } from './server/minimal-server.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

/** The command line of a program that tap must not instrument. */
const outsideTap = (command: string, args: string[]): [string, string[]] => [
  'env',
  ['-u', 'NODE_OPTIONS', command, ...args]
]
const { PATH = '', HOME = '' } = process.env

const folder = mkdtempSync(join(tmpdir(), 'archive-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const archive = join(folder, 'conformance.tar.gz')
const unpacked = join(folder, 'conformance')

const make = (file: string) => run(...outsideTap(process.execPath, ['archive.js', file]), { cwd: root })

/** Runs the kit as someone does who has only Node and the archive. */
const kit = (...args: string[]) =>
  run(...outsideTap(process.execPath, ['screen-auth-conformance.mjs', ...args]), {
    cwd: unpacked,
    env: { PATH, HOME, SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }
  })

t.before(async () => {
  await make(archive)
  await extract({ file: archive, cwd: folder })
})

t.test('it has the contract, all data, the schemas, the runner and the licences', async t => {
  const data = readdirSync(root).filter(
    name => /\.(json|md)$/.test(name) && !/^(package|tsconfig)/.test(name)
  )
  const schemas = readdirSync(join(root, '../schemas/generated')).filter(name => !name.endsWith('.ts'))
  const own = ['LICENSE', 'LICENSES-OF-DEPENDENCIES', 'screen-auth-conformance.mjs']
  t.strictSame(readdirSync(unpacked).sort(), [...data, ...own, 'schemas'].sort())
  t.strictSame(readdirSync(join(unpacked, 'schemas')), schemas)
  t.match(readFileSync(join(unpacked, 'LICENSES-OF-DEPENDENCIES'), 'utf8'), /^ajv\n\n.*Copyright/s)
})

t.test('the runner checks a server with nothing but Node', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const { stdout, stderr } = await kit(url)
  t.match(stdout, /conforms: \d+ ok, 0 failed/)
  t.equal(stderr, '')
})

t.test('the runner has the version of the package', async t => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.equal((await kit('--version')).stdout, `${version}\n`)
})

t.test('the runner is one file, which may be taken elsewhere', async t => {
  cpSync(join(unpacked, 'screen-auth-conformance.mjs'), join(folder, 'kit.mjs'))
  const { stdout } = await run(...outsideTap(process.execPath, ['kit.mjs', '--list']), { cwd: folder })
  t.match(stdout, /^menu-without-token /)
})

t.test('made again it has the same bytes', async t => {
  const again = join(folder, 'again.tar.gz')
  await make(again)
  t.ok(readFileSync(again).equals(readFileSync(archive)))
})
