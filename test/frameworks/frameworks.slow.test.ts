// Runs the kit against a server in each framework: it finds no fault in the server, and finds each common mistake. Also
// runs the kit with the commands of conformance/docs/ci.md, as a CI does.
import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { checkServer } from '../../conformance/index.ts'
import { serverCases } from '../../conformance/server/cases/index.ts'
import { cacheFor } from '../cache.ts'
import { readPage } from '../docs/page.ts'
import { READER } from '../docs/program.ts'
import { follow } from '../examples/process.ts'
import { outsideTap } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort, isListening } from '../redis-server.ts'
import { type Command, type Framework, frameworks } from './frameworks.ts'

const execute = promisify(execFile)

const root = fileURLToPath(new URL('../../', import.meta.url))
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** The kit's options for the key with which a server signs its tokens. */
const keys: Record<Framework['tokens'], { secret?: string; key?: string }> = {
  opaque: {},
  HS256: { secret: 'the frameworks share a secret of 32 bytes or more' },
  RS256: { key: rsa.export({ type: 'pkcs8', format: 'pem' }) as string },
  ES256: { key: JSON.stringify(ec.export({ format: 'jwk' })) }
}

const here = Object.entries(frameworks).filter(([, framework]) => framework.needs.every(program => needs(t, program)))

for (const [project, framework] of here) {
  const titles = [null, ...Object.keys(framework.mistakes)]
  const built = build(project, framework)
  for (const [at, title] of titles.entries())
    t.test(`${framework.name}: ${title ?? 'the server conforms'}`, async t => {
      const key = keys[framework.tokens]
      const url = await start(t, framework.run(`server${at}`), await built, key)
      const credentials = { username: 'demo', password: 'demo-password', timeout: 120 }
      const report = await checkServer(url, { ...credentials, ...key })
      const failed = report.results.filter(({ status }) => status === 'failed')
      if (title === null) {
        t.strictSame(failed, [])
        t.equal(report.conforms, true)
      } else {
        const named = failed.flatMap(({ clause, also = [] }) => [clause, ...also])
        t.ok(named.includes(title.replace(/: .*/, '')), title, { named })
      }
    })
}

/** Fetches and compiles the servers again if a file or a command has changed. Returns the folder in which they run. */
async function build(project: string, framework: Framework): Promise<string> {
  const original = (file: string) => textOf(`test/frameworks/${project}/${file}`)
  const files = new Map<string, string>()
  const commands = [...framework.install]
  if (framework.manifest !== undefined) files.set(framework.manifest, original(framework.manifest))
  for (const [at, edits] of [{}, ...Object.values(framework.mistakes)].entries()) {
    files.set(`server${at}/${framework.source}`, edited(original(framework.source), edits))
    if (framework.build) commands.push(framework.build(`server${at}`))
  }

  const folder = cacheFor(`frameworks-${project}`)
  const stamp = join(folder, 'built')
  const state = JSON.stringify([...files, commands])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return folder
  rmSync(folder, { recursive: true })
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [command, ...args] of commands) await execute(...outsideTap(command, args), { cwd: folder })
  writeFileSync(stamp, state)
  return folder
}

/** Makes a mistake. Each replaced text must occur once in the source, so that no mistake becomes stale. */
function edited(source: string, edits: Record<string, string>): string {
  return Object.entries(edits).reduce((text, [find, replace]) => {
    const [before, after, ...more] = text.split(find)
    if (after === undefined || more.length > 0) throw new Error(`the file must contain exactly once: ${find}`)
    return before + replace + after
  }, source)
}

/** Starts a server, which prints where it listens, until the test ends. */
async function start(
  t: Test,
  [command, ...args]: Command,
  cwd: string,
  { secret: SECRET, key: KEY }: { secret?: string; key?: string }
): Promise<string> {
  const { PATH, HOME } = process.env
  const child = spawn(...outsideTap(command, args), { cwd, env: { PATH, HOME, PORT: '0', SECRET, KEY } })
  t.teardown(() => child.kill('SIGKILL'))
  const { output, says } = follow(child)
  await says(/^http:.*\n/m)
  return /^http:.*$/m.exec(output.stdout)?.[0] as string
}

t.test('the page names the frameworks, and how many mistakes there are', async t => {
  const all = Object.values(frameworks)
  const { length } = all.flatMap(({ mistakes }) => Object.keys(mistakes))
  const names = new Intl.ListFormat('en').format(all.map(({ name }) => name))
  const page = textOf('conformance/docs/checking.md').replaceAll(/\s+/g, ' ')
  t.match(page, `${length} of ${length} common mistakes in servers with ${names}`)
})

const { samples } = readPage('conformance/docs/ci.md')
const KIT = 'screen-auth-conformance.mjs'

const folder = mkdtempSync(join(tmpdir(), 'ci-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

/** Returns the first block of ci.md that contains `words`. */
function block(words: string): string {
  const found = samples.find(({ code }) => code.includes(words))
  if (found === undefined) throw new Error(`no block of the page has ${words}`)
  return found.code
}

/** Creates a project with the kit and the script of the page. Returns its folder. */
function projectOf(name: string): string {
  const path = mkdtempSync(join(folder, `${name}-`))
  cpSync(join(root, 'test/frameworks', name), path, { recursive: true })
  cpSync(join(root, 'conformance/dist', KIT), join(path, KIT))
  writeFileSync(join(path, 'conformance.sh'), block('#!/bin/sh'))
  return path
}

/** Runs commands as a CI does, but on a free port. Returns the exit status and the output. */
async function ci(t: Test, cwd: string, commands: string, tokens: Framework['tokens'] = 'HS256') {
  const port = await freePort()
  const code = `${block('export SCREEN_AUTH_USERNAME')}\n${commands.replaceAll('3000', `${port}`)}`
  const { secret: SECRET, key: KEY } = keys[tokens]
  const env = { ...READER, PORT: `${port}`, SECRET, KEY }
  const run = execute(...outsideTap('sh', ['-ec', code]), { cwd, env, maxBuffer: 2 ** 24 })
  const { stdout, stderr, code: status = 0 } = await run.catch(failed => failed)
  t.equal(await isListening(port), false, 'the server has been stopped')
  return { status, output: `${stdout}${stderr}` }
}

const curl = needs(t, 'curl')

for (const [name, { init = [], page, tokens }] of curl ? here : [])
  t.test(`the commands for ${name} check a server and stop it`, async t => {
    const path = projectOf(name)
    for (const [command, ...args] of init) await execute(...outsideTap(command, args), { cwd: path })
    const { status, output } = await ci(t, path, block(page), tokens)
    t.equal(status, 0, output)
    t.match(output, / conforms: /)
    t.match(readFileSync(join(path, 'report.xml'), 'utf8'), ' failures="0" ')
  })

if (curl) {
  t.test('the exit status of the script says that a server does not conform', async t => {
    const path = projectOf('node')
    const app = join(path, 'server.js')
    writeFileSync(app, readFileSync(app, 'utf8').replace('res.sendStatus(401)', 'res.sendStatus(403)'))
    const { status, output } = await ci(t, path, block('npm install'))
    t.equal(status, 1, output)
  })

  t.test('a server that ends by itself ends the script', async t => {
    const { status } = await ci(t, projectOf('node'), 'sh conformance.sh false')
    t.equal(status, 2)
  })
}

t.test('the steps of the YAML are the commands for Go', async t => {
  const steps = [...block('runs-on:').matchAll(/^ +- run: (.*)$/gm)].map(([, step]) => step)
  t.strictSame(steps, block('go build').split('\n'))
})

t.test('the faults that the page gives as an example are cases', async t => {
  const ids = block('# The proxy').split('\n').slice(1)
  t.equal(ids.filter(known => serverCases.some(({ id }) => id === known)).length, 2)
})
