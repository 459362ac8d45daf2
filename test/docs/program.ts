import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../redis-server.ts'
import { readPage } from './page.ts'

const ANY_PORT = new URL('any-port.js', import.meta.url)
const RECIPES = new URL('../../docs/recipes/', import.meta.url)

/** Inside the checkout, so that programs can import the package by its name. */
const FOLDERS = fileURLToPath(new URL('../../.tap/', import.meta.url))

const { PATH = '', HOME = '' } = process.env

/** A reader's environment, without tap's coverage, which would count the lines of dist as lines of lib. */
export const READER = { PATH, HOME, _TAPJS_PROCESSINFO_COVERAGE_: '0' }

type Environment = Record<string, string>

/** Runs a program of the documentation as a reader would, but on free ports. */
export class Program {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown[]>
  /** Maps each port that the program names to the port on which it listens. */
  readonly #ports = new Map<number, number>()
  #output = ''

  constructor(scope: Scope, [command = '', ...args]: string[], env: Environment = {}) {
    this.#child = spawn(command, args, {
      env: { ...READER, ...env, NODE_OPTIONS: `--import ${ANY_PORT}` },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc']
    })
    this.#closed = once(this.#child, 'close')
    scope.teardown(() => this.#child.kill('SIGKILL'))
    this.#child.on('message', ({ named, real }: { named: number; real: number }) => {
      this.#ports.set(named, real)
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', data => {
        this.#output += data
      })
  }

  get output(): string {
    return this.#output
  }

  /** Waits until the program listens on the free port that replaces the named one. Returns the URL. */
  async listening(named = 3000): Promise<string> {
    while (!this.#ports.has(named)) {
      const message = await Promise.race([once(this.#child, 'message'), this.#closed.then(() => null)])
      if (message === null) throw new Error(`it ended without listening: ${this.#output}`)
    }
    return `http://127.0.0.1:${this.#ports.get(named)}`
  }

  async end(): Promise<number | null> {
    const [code] = await this.#closed
    return code as number | null
  }

  /** Sends a signal, by default SIGTERM. Returns the exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal)
    return this.end()
  }
}

/** Runs a file with Node. */
export function start(scope: Scope, file: string, env?: Environment): Program {
  return new Program(scope, [process.execPath, file], env)
}

/** Creates a folder that is removed after the test. Programs in it can import the package, unless `parent` is given. */
export function temporaryFolder(scope: Scope, parent = FOLDERS): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'docs-'))
  scope.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Saves a program to a file and runs it. */
export function startCode(scope: Scope, code: string, env?: Environment): Program {
  const file = join(temporaryFolder(scope), 'app.mjs')
  writeFileSync(file, code)
  return start(scope, file, env)
}

const deployment = readPage('docs/deployment.md')
/** The program of docs/deployment.md: app.ts, server.ts and app.test.ts. */
export const TYPED = deployment.samples.filter(({ language }) => language === 'ts').map(({ code }) => code)

const types = deployment.code.slice(deployment.code.indexOf('.js') + 2, deployment.code.indexOf(': string') + 1)
/** The same in JavaScript, as the page says. */
export const [APP = '', SERVER = '', TESTS = ''] = TYPED.map(code =>
  types.reduce((code, type) => code.replace(type, ''), code.replaceAll('.ts', '.js'))
)

const [client] = readPage('docs/several-servers.md').samples.filter(({ language }) => language === 'js')

/** Does what docs/several-servers.md says to use node-redis. */
export const withNodeRedis = (server: string) =>
  server
    .replace(/^import .* from 'ioredis'$/m, '')
    .replace(/const redis = .*/, `${client?.code}`)
    .replace('redis.disconnect()', 'redis.destroy()')

/** Starts the program of docs/deployment.md, or a variant of it, with a Redis. */
export function startProgram(scope: Scope, { url }: { url: string }, { app = APP, server = SERVER, env = {} } = {}) {
  const folder = temporaryFolder(scope)
  for (const [name, code] of Object.entries({ app, server })) writeFileSync(join(folder, `${name}.js`), code)
  return start(scope, join(folder, 'server.js'), { REDIS_URL: url, ...env })
}

/** Returns the code of a recipe. */
export const sourceOf = (name: string) => readFileSync(new URL(name, RECIPES), 'utf8')

/** Starts a recipe. It is killed after the test. */
export function recipe(scope: Scope, name: string, env?: Environment): Program {
  return start(scope, fileURLToPath(new URL(name, RECIPES)), env)
}

/** Sends a GET request and returns the status of the response. */
export async function statusOf(url: string): Promise<number> {
  const response = await fetch(url)
  await response.text()
  return response.status
}
