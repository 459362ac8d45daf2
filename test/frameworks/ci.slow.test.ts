// The commands of conformance/docs/ci.md, taken from the page, in the projects of test/frameworks.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { extract } from 'tar'
import { serverCases } from '../../conformance/cases.ts'
import { conforming, listen, PASSWORD, USERNAME } from '../../conformance/test/server/minimal-server.ts'
import { readPage } from '../docs/page.ts'
import { READER } from '../docs/program.ts'
import { outsideTap } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort, isListening } from '../redis-server.ts'
import { keys } from './judge.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { samples } = readPage('conformance/docs/ci.md')
const KIT = 'screen-auth-conformance.mjs'

const folder = mkdtempSync(join(tmpdir(), 'ci-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

t.before(async () => {
  const file = join(folder, 'conformance.tar.gz')
  await promisify(execFile)(...outsideTap(process.execPath, ['conformance/archive.js', file]), { cwd: root })
  await extract({ file, cwd: folder, strip: 1 })
})

/** The first block of the page with these words. */
function block(words: string): string {
  const found = samples.find(({ code }) => code.includes(words))
  if (found === undefined) throw new Error(`no block of the page has ${words}`)
  return found.code
}

/** A project with the kit and the script of the page; its folder. */
function project(name: string, change = (source: string) => source): string {
  const path = mkdtempSync(join(folder, `${name}-`))
  cpSync(join(root, 'test/frameworks', name), path, { recursive: true })
  cpSync(join(folder, KIT), join(path, KIT))
  writeFileSync(join(path, 'conformance.sh'), change(block('#!/bin/sh')))
  return path
}

/** Runs commands as a CI does, on another port than that of the page; returns the exit status and what they print. */
async function ci(
  t: Test,
  cwd: string,
  commands: string,
  key: keyof typeof keys = 'HS256'
): Promise<{ status: unknown; output: string }> {
  const port = String(await freePort())
  const code = `${block('export SCREEN_AUTH_USERNAME')}\n${commands.replaceAll('3000', port)}`
  const env = { ...READER, PORT: port, ...keys[key].env }
  const run = promisify(execFile)(...outsideTap('sh', ['-ec', code]), { cwd, env, maxBuffer: 2 ** 24 })
  const { stdout, stderr, status } = await run.then(
    output => ({ ...output, status: 0 }),
    ({ stdout, stderr, code }) => ({ stdout, stderr, status: code })
  )
  t.equal(await isListening(Number(port)), false, 'the server has been stopped')
  return { status, output: `${stdout}${stderr}` }
}

const PROJECTS = {
  node: { programs: ['npm'], words: 'npm install', key: 'HS256' },
  python: { programs: ['python3'], words: 'pip install', key: 'opaque' },
  go: { programs: ['go'], words: 'go build', key: 'RS256' },
  java: { programs: ['java', 'mvn'], words: 'mvn ', key: 'ES256' }
} as const

for (const [name, { programs, words, key }] of Object.entries(PROJECTS)) {
  if (!['curl', ...programs].every(program => needs(t, program))) continue
  t.test(`the commands for ${name} check a server and stop it`, async t => {
    const path = project(name)
    const { status, output } = await ci(t, path, block(words), key)
    t.equal(status, 0, output)
    t.match(output, / conforms: /)
    t.match(readFileSync(join(path, 'report.xml'), 'utf8'), ' failures="0" ')
  })
}

if (needs(t, 'curl')) {
  t.test('the exit status of the script says that a server does not conform', async t => {
    const path = project('node')
    const app = join(path, 'server.js')
    writeFileSync(app, readFileSync(app, 'utf8').replace('res.sendStatus(401)', 'res.sendStatus(403)'))
    const { status, output } = await ci(t, path, block('npm install'))
    t.equal(status, 1, output)
  })

  t.test('a server that ends by itself ends the script', async t => {
    const { status } = await ci(t, project('node'), 'sh conformance.sh false')
    t.equal(status, 2)
  })
}

t.test('the steps of the YAML are the commands for Go', async t => {
  const steps = [...block('runs-on:').matchAll(/^ +- run: (.*)$/gm)].map(([, step]) => step)
  t.strictSame(steps, block('go build').split('\n'))
})

t.test('the faults of the page are cases, and a server with them passes when they are known', async t => {
  const known = join(t.testdir({ known: block('# The proxy') }), 'known')
  const parts = conforming('opaque')
  const url = await listen(t, 'opaque', {
    ...parts,
    missing: request => (request.method === 'OPTIONS' ? { status: 204 } : parts.missing(request))
  })
  const env = { ...READER, SCREEN_AUTH_USERNAME: USERNAME, SCREEN_AUTH_PASSWORD: PASSWORD }
  const only = serverCases.cases.filter(({ id }) => /-options$/.test(id)).flatMap(({ id }) => ['--only', id])
  const args = [KIT, ...only, '--expect-failures', known, url]
  const { stdout } = await promisify(execFile)(...outsideTap(process.execPath, args), { cwd: folder, env })
  t.match(stdout, 'does not conform: it has 2 known failures, and no others')
})
