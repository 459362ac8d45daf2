import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { type CheckServerOptions, checkServer } from '../../conformance/index.ts'
import { cacheFor } from '../cache.ts'
import { outsideTap } from '../helpers.ts'
import { type Framework, frameworks, type Mistake } from './mistakes.ts'

type Command = [string, ...string[]]

/** How the servers of a folder become programs, and run. Commands run in a folder that outlives the tests. */
export interface Toolchain {
  folder: keyof typeof frameworks
  /** The files beside the servers that name the versions of what they need. */
  manifests: string[]
  /** Fetches what they need. */
  install: Command[]
  /** The file of a program's source. */
  source(program: string): string
  /** Compiles all programs. */
  build?(programs: string[]): Command[]
  run(program: string): Command
}

interface Program {
  name: string
  mistake?: Mistake
}

const execute = promisify(execFile)

const SECRET = 'the frameworks share a secret of 32 bytes or more'
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** What a server signs its tokens with: its environment, and the options of the kit. */
export const keys: Record<
  'opaque' | 'HS256' | 'RS256' | 'ES256',
  { env: Record<string, string>; options: CheckServerOptions }
> = {
  opaque: { env: {}, options: {} },
  HS256: { env: { SECRET }, options: { secret: SECRET } },
  RS256: withKey(rsa.export({ type: 'pkcs8', format: 'pem' }) as string),
  ES256: withKey(JSON.stringify(ec.export({ format: 'jwk' })))
}

function withKey(key: string) {
  return { env: { KEY: key }, options: { key } }
}

/** Checks the conforming servers of a toolchain, and each of the mistakes. */
export function judge(t: Test, toolchain: Toolchain): void {
  const framework: Framework = frameworks[toolchain.folder]
  const name = framework.file.replace(/\W.*/, '')
  const broken = framework.mistakes.map((mistake, at) => ({ name: `${name}${at + 1}`, mistake }))
  const programs: Program[] = [{ name }, ...broken]
  const folder = build(toolchain, framework.file, programs)

  for (const { name, mistake } of programs) {
    const title = mistake
      ? `${mistake.clause}: ${framework.name}: ${mistake.name}`
      : `${framework.name} conforms`
    t.test(title, async t => {
      const { env, options } = keys[framework.algorithm ?? 'opaque']
      const url = await start(t, toolchain.run(name), await folder, env)
      const credentials = { username: 'demo', password: 'demo-password', timeout: 120 }
      const report = await checkServer(url, { ...credentials, ...options })
      const failed = report.results.filter(({ status }) => status === 'failed')
      if (mistake === undefined) {
        t.strictSame(failed, [])
        t.equal(report.conforms, true)
      } else {
        const named = failed.flatMap(({ clause, also = [] }) => [clause, ...also])
        t.ok(named.includes(mistake.clause), `fails ${mistake.clause}`, { named })
      }
    })
  }
}

/** Fetches and compiles what has changed since the last time. Returns the folder in which the programs run. */
async function build(toolchain: Toolchain, file: string, programs: Program[]): Promise<string> {
  const folder = cacheFor(`frameworks-${toolchain.folder}`)
  const original = (file: string) =>
    readFileSync(new URL(`${toolchain.folder}/${file}`, import.meta.url), 'utf8')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  /** Does what is not yet done with this input. */
  const once = async (step: string, input: Record<string, string>, commands: Command[]) => {
    const stamp = join(folder, step)
    const state = JSON.stringify([input, commands])
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
    rmSync(stamp, { force: true })
    for (const [path, text] of Object.entries(input)) write(path, text)
    for (const [command, ...args] of commands) await execute(...outsideTap(command, args), { cwd: folder })
    write(step, state)
  }

  const manifests = Object.fromEntries(toolchain.manifests.map(file => [file, original(file)]))
  await once('installed', manifests, toolchain.install)

  const sources = programs.map(({ name, mistake }) => {
    return [toolchain.source(name), edited(original(file), mistake?.edits)]
  })
  const commands = toolchain.build?.(programs.map(({ name }) => name)) ?? []
  await once('built', { ...manifests, ...Object.fromEntries(sources) }, commands)
  return folder
}

/** Makes a mistake. What it replaces stands there once, so that the list of mistakes cannot become stale. */
function edited(source: string, edits: Record<string, string> = {}): string {
  return Object.entries(edits).reduce((text, [find, replace]) => {
    const [before, after, ...more] = text.split(find)
    if (after === undefined || more.length > 0) throw new Error(`it does not stand there once: ${find}`)
    return before + replace + after
  }, source)
}

/** Starts a program, which prints where it listens, until the test ends. */
async function start(
  t: Test,
  [command, ...args]: Command,
  cwd: string,
  env: Record<string, string>
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(...outsideTap(command, args), { cwd, env: { PATH, HOME, PORT: '0', ...env } })
  t.teardown(() => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', data => {
    errors += data
  })
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('http://')) continue
    child.stdout.resume()
    return line
  }
  throw new Error(`it ended without listening: ${errors}`)
}
