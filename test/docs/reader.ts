import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../examples/process.ts'
import { freePort, RedisServer, type Scope } from '../redis-server.ts'
import { type Program, READER, startCode, temporaryFolder } from './program.ts'

/**
 * Does what a reader of a page does: saves a program and runs it, and types commands. The ports on the page become free
 * ones: 3000 is that of the page's server, or of the reference server; 3001 to 3009 are others, and 6379 is a Redis.
 */
export class Reader {
  readonly #scope: Scope
  readonly #folder: string
  readonly #ports = new Map<string, string>()
  #server: Program | null = null
  #outputs = 0

  constructor(scope: Scope) {
    this.#scope = scope
    this.#folder = temporaryFolder(scope)
  }

  /** Runs a server from now on, instead of the last one. */
  async serve(code: string): Promise<void> {
    await this.#server?.stop('SIGKILL')
    // It listens on a free port by itself.
    this.#ports.set('3000', '3000')
    this.#server = startCode(this.#scope, await this.#withPorts(code))
    const { port } = new URL(await this.#server.listening())
    this.#ports.set('3000', port)
  }

  /** Runs a program to its end, and returns what it prints. */
  async run(code: string): Promise<string> {
    const program = startCode(this.#scope, await this.#withPorts(code))
    const status = await program.end()
    if (status !== 0) throw new Error(`ended with ${status}: ${program.output}`)
    return program.output.trim()
  }

  /** Types commands into a shell, and returns what they print. What they start in the background ends with the page. */
  async type(code: string): Promise<string> {
    const output = join(this.#folder, `output-${this.#outputs++}`)
    const file = openSync(output, 'w')
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', await this.#withPorts(code)], {
      cwd: this.#folder,
      detached: true,
      env: READER,
      stdio: ['ignore', file, file]
    })
    this.#scope.teardown(() => endGroup(shell))
    const [status] = await once(shell, 'exit')
    const text = readFileSync(output, 'utf8').trim()
    if (status !== 0) throw new Error(`ended with ${status}: ${text}`)
    return text
  }

  async #withPorts(code: string): Promise<string> {
    const pattern = /\b(300\d|6379)\b/g
    for (const [port] of code.matchAll(pattern)) {
      if (!this.#ports.has(port)) this.#ports.set(port, await this.#portFor(port))
    }
    return code.replace(pattern, port => this.#ports.get(port) as string)
  }

  async #portFor(port: string): Promise<string> {
    if (port === '6379') return String((await RedisServer.start(this.#scope)).port)
    if (port === '3000') return new URL((await startServer(this.#scope, {})).url).port
    return String(await freePort())
  }
}

/** Ends a shell and all that it has started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid as number), 'SIGKILL')
  } catch {
    // All have ended.
  }
}
