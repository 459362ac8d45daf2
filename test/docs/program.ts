import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../redis-server.ts'

const ANY_PORT = new URL('any-port.js', import.meta.url).href

/** A sample of the documentation that runs as its reader would run it, but for the port. */
export class Program {
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown[]>
  #output = ''

  constructor(scope: Scope, file: URL, env: Record<string, string> = {}) {
    const { PATH = '', HOME = '' } = process.env
    const options = { env: { PATH, HOME, ...env }, execArgv: ['--import', ANY_PORT], silent: true }
    this.#child = fork(fileURLToPath(file), options)
    this.#closed = once(this.#child, 'close')
    scope.teardown(() => this.#child.kill('SIGKILL'))
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

  /** Waits until it listens, and returns where. */
  async listening(): Promise<string> {
    const port = once(this.#child, 'message').then(([port]) => `http://127.0.0.1:${port}`)
    const url = await Promise.race([port, this.#closed.then(() => null)])
    if (url === null) throw new Error(`it ended without listening: ${this.#output}`)
    return url
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
}

/** Starts the server of a recipe, and returns where it listens. It ends with the test. */
export function startRecipe(scope: Scope, name: string, env: Record<string, string> = {}): Promise<string> {
  return new Program(scope, new URL(`../../docs/recipes/${name}`, import.meta.url), env).listening()
}

/** Logs in and returns the token. */
export async function tokenOf(url: string, username: string, password: string): Promise<string> {
  const response = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fields: { username, password } })
  })
  const { token } = (await response.json()) as { token: string }
  return token
}
