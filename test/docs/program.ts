import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from '../examples/process.ts'
import { bearer } from '../helpers.ts'
import type { Scope } from '../redis-server.ts'

const ANY_PORT = new URL('any-port.js', import.meta.url)
const RECIPES = new URL('../../docs/recipes/', import.meta.url)

/** Within the checkout, so that a program imports the package by its name. */
const FOLDERS = fileURLToPath(new URL('../../.tap/', import.meta.url))

const { PATH = '', HOME = '' } = process.env

/** The environment of a reader: there is no tap, which would count the lines of dist as those of lib. */
export const READER = { PATH, HOME, _TAPJS_PROCESSINFO_COVERAGE_: '0' }

type Environment = Record<string, string>

/** The value of NODE_OPTIONS that runs some code before a program. */
export const preload = (code: string) => `--import data:text/javascript,${encodeURIComponent(code)}`

/** A program of the documentation that runs as its reader would run it, but for the ports. */
export class Program {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown[]>
  /** The port on which it really listens, by the one that it names. */
  readonly #ports = new Map<number, number>()
  #output = ''

  constructor(scope: Scope, [command = '', ...args]: string[], { NODE_OPTIONS = '', ...env }: Environment = {}) {
    this.#child = spawn(command, args, {
      env: { ...READER, ...env, NODE_OPTIONS: `--import ${ANY_PORT} ${NODE_OPTIONS}` },
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

  /** What it has printed so far. */
  get output(): string {
    return this.#output
  }

  /** Waits until it listens on the port that it names, and returns where. */
  async listening(named = 3000): Promise<string> {
    while (!this.#ports.has(named)) {
      const message = await Promise.race([once(this.#child, 'message'), this.#closed.then(() => null)])
      if (message === null) throw new Error(`it ended without listening: ${this.#output}`)
    }
    return `http://127.0.0.1:${this.#ports.get(named)}`
  }

  /** Waits for its end, and returns its exit status. */
  async end(): Promise<number | null> {
    const [code] = await this.#closed
    return code as number | null
  }

  /** Ends it, and returns its exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal)
    return this.end()
  }
}

/** Starts a file. */
export function start(scope: Scope, file: string, env?: Environment): Program {
  return new Program(scope, [process.execPath, file], env)
}

/** A folder in which programs find the package; it is gone with the test. */
export function temporaryFolder(scope: Scope, parent = FOLDERS): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'docs-'))
  scope.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Saves a program as a file, and starts it. */
export function startCode(scope: Scope, code: string, env?: Environment): Program {
  const file = join(temporaryFolder(scope), 'app.mjs')
  writeFileSync(file, code)
  return start(scope, file, env)
}

/** Starts a recipe, which ends with the test. */
export function recipe(scope: Scope, name: string, env?: Environment): Program {
  return start(scope, fileURLToPath(new URL(name, RECIPES)), env)
}

/** Starts the server of a recipe, and returns where it listens. It ends with the test. */
export function startRecipe(scope: Scope, name: string, env?: Environment): Promise<string> {
  return recipe(scope, name, env).listening()
}

/** Sends a request, with a token if there is one. */
export function request(url: string, token?: string | null, init: RequestInit = {}): Promise<Response> {
  const authorization = typeof token === 'string' ? bearer(token) : {}
  return fetch(url, { ...init, headers: { ...authorization, ...init.headers } })
}

/** Sends a request, and returns the status of the response. */
export async function statusOf(url: string, token?: string | null): Promise<number> {
  const response = await request(url, token)
  await response.text()
  return response.status
}

/** Sends a request, and returns the body of the response. */
export async function jsonOf(url: string, token?: string | null): Promise<Json> {
  return (await request(url, token)).json()
}

/** Posts JSON. */
export function post(url: string, body: unknown, token?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return request(url, token, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Posts credentials, by default those that are right in nearly all programs, with further fields. */
export function logIn(url: string, fields: Record<string, unknown> = {}): Promise<Response> {
  return post(`${url}/auth/login`, { fields: { username: 'ada', password: 'correct horse', ...fields } })
}

/** Logs in and returns the token. */
export async function tokenOf(url: string, fields?: Record<string, unknown>): Promise<string> {
  const { token } = (await (await logIn(url, fields)).json()) as Json
  return token
}
