import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../redis-server.ts'

const ANY_PORT = new URL('any-port.js', import.meta.url).href

const { PATH = '', HOME = '' } = process.env

/** The environment of a reader: there is no tap, which would count the lines of dist as those of lib. */
export const READER = { PATH, HOME, _TAPJS_PROCESSINFO_COVERAGE_: '0' }

/** The environment of a recipe whose users or other records cannot be read, when the key is this one. */
export const failingFor = (key: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
    const { get } = Map.prototype
    Map.prototype.get = function (key) {
      if (key === ${JSON.stringify(key)}) throw new Error('the secret database is down')
      return get.call(this, key)
    }
  `)}`
})

/** A sample of the documentation that runs as its reader would run it, but for the ports. */
export class Program {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown[]>
  /** The port on which it really listens, by the one that it names. */
  readonly #ports = new Map<number, number>()
  #output = ''

  constructor(scope: Scope, file: URL, env: Record<string, string> = {}) {
    const options = { env: { ...READER, ...env }, execArgv: ['--import', ANY_PORT], silent: true }
    this.#child = fork(fileURLToPath(file), options)
    this.#closed = once(this.#child, 'close')
    scope.teardown(() => this.#child.kill('SIGKILL'))
    this.#child.on('message', ({ named, real }: { named: number; real: number }) => {
      this.#ports.set(named, real)
    })
    this.#child.stdout?.on('data', data => {
      this.#output += data
    })
    this.#child.stderr?.on('data', data => {
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

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed
  }

  /** Asks it to end, and returns its exit status. */
  terminate(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    return this.end()
  }
}

/** Starts a recipe, which ends with the test. */
export function recipe(scope: Scope, name: string, env: Record<string, string> = {}): Program {
  return new Program(scope, new URL(`../../docs/recipes/${name}`, import.meta.url), env)
}

/** Starts the server of a recipe, and returns where it listens. It ends with the test. */
export function startRecipe(scope: Scope, name: string, env: Record<string, string> = {}): Promise<string> {
  return recipe(scope, name, env).listening()
}

/** Posts credentials. */
export function logIn(url: string, username: string, password: string): Promise<Response> {
  return fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fields: { username, password } })
  })
}

/** Logs in and returns the token. */
export async function tokenOf(url: string, username: string, password: string): Promise<string> {
  const { token } = (await (await logIn(url, username, password)).json()) as { token: string }
  return token
}
