// The package as it is published: packed, and installed alone.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))
// Outside of the package, which could import itself by its name.
const folder = mkdtempSync(join(tmpdir(), 'package-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const { PATH = '', HOME = '' } = process.env
const run = async (command: string, ...args: string[]) => {
  // Without NODE_OPTIONS, by which tap would count what the package does.
  const options = { cwd: folder, env: { PATH, HOME } }
  const { stdout } = await promisify(execFile)('env', ['-u', 'NODE_OPTIONS', command, ...args], options)
  return stdout.trim()
}
const installed = join(folder, 'node_modules/screen-auth-conformance')

t.before(async () => {
  // Without scripts: `prepare` would build dist anew under the tests that run beside this one.
  const [{ filename }] = JSON.parse(await run('npm', 'pack', root, '--json', '--ignore-scripts'))
  mkdirSync(installed, { recursive: true })
  await run('tar', '-xzf', filename, '--strip-components=1', '-C', installed)
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const [target = ''] = /^.*\/node_modules\/[^/]+/.exec(fileURLToPath(import.meta.resolve(name))) ?? []
    symlinkSync(target, join(folder, 'node_modules', name))
  }
})

t.test('it is a command', async t => {
  const command = join(installed, 'dist/cli.js')
  t.match(await run(command, '--version'), /^\d+\.\d+\.\d+$/)
  t.match(await run(command, '--list'), 'form-auth-action')
})

t.test('its functions are imported by name, and its cases are there for any JSON reader', async t => {
  const program = `
    import { createRequire } from 'node:module'
    import { checkServer, watchClient } from 'screen-auth-conformance'
    const { cases } = createRequire(import.meta.url)('screen-auth-conformance/server-cases.json')
    console.log(typeof checkServer, typeof watchClient, cases[0].id)`
  writeFileSync(join(folder, 'program.mjs'), program)
  t.equal(await run('node', 'program.mjs'), 'function function menu-without-token')
})
