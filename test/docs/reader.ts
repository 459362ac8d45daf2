import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../examples/process.ts'
import { freePort, type Scope } from '../redis-server.ts'
import { type Program, READER, startCode, temporaryFolder } from './program.ts'

/** The conformance kit, which the samples run in the current folder. */
const KIT = 'screen-auth-conformance.mjs'

/**
 * Follows a page as a reader would: runs its programs and its shell commands. Replaces the ports on the page with free
 * ones: 3000 is the page's server or else the reference server, and 3001 to 3009 are other servers.
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
    copyFileSync(new URL(`../../conformance/dist/${KIT}`, import.meta.url), join(this.#folder, KIT))
  }

  /** Starts a server. Stops the previous one first. */
  async serve(code: string): Promise<void> {
    await this.#server?.stop('SIGKILL')
    // The code keeps 3000, because the preloaded any-port.js replaces it.
    this.#ports.set('3000', '3000')
    this.#server = startCode(this.#scope, await this.#withPorts(code))
    const { port } = new URL(await this.#server.listening())
    this.#ports.set('3000', port)
  }

  /** Runs a program until it exits, and returns its output. */
  async run(code: string): Promise<string> {
    const program = startCode(this.#scope, await this.#withPorts(code))
    const status = await program.end()
    if (status !== 0) throw new Error(`ended with ${status}: ${program.output}`)
    return program.output.trim()
  }

  /** Runs shell commands, and returns their output. Their background processes are killed after the test. */
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
    const pattern = /\b300\d\b/g
    for (const [port] of code.matchAll(pattern)) {
      if (!this.#ports.has(port)) this.#ports.set(port, await this.#portFor(port))
    }
    return code.replace(pattern, port => this.#ports.get(port) as string)
  }

  async #portFor(port: string): Promise<string> {
    if (port === '3000') return new URL((await startServer(this.#scope, {})).url).port
    return String(await freePort())
  }
}

/** Kills a shell and all processes that it has started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid as number), 'SIGKILL')
  } catch {
    // All of them have exited already.
  }
}
