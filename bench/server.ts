import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { tokenOf } from './requests.ts'
import type { Contender } from './scenarios.ts'

const SERVE = fileURLToPath(new URL('servers/serve.js', import.meta.url))
const PIN = ['taskset', '--cpu-list', '0']

/** Whether the servers run on core 0 and the load generator on core 1, so that they do not compete for CPU time. */
export const isPinned =
  availableParallelism() >= 2 &&
  spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', '1', `${process.pid}`]).status === 0

/** Resources that a server process has used since its start. */
export interface Usage {
  /** Microseconds of CPU time in user mode and in the kernel. */
  cpu: number
  /** Bytes of resident memory. */
  memory: number
}

/** A server in its own process, in production mode and without TypeScript tools. It ends when this process ends. */
export class Server {
  readonly contender: Contender
  readonly origin: string
  /** A valid token. */
  readonly token: string
  /** Usage until the server listened. */
  readonly atStart: Usage
  readonly #process: ChildProcess

  private constructor(
    contender: Contender,
    process: ChildProcess,
    { port, token = tokenOf(0), ...usage }: Usage & { port: number; token?: string }
  ) {
    this.contender = contender
    this.#process = process
    this.origin = `http://127.0.0.1:${port}`
    this.token = token
    this.atStart = usage
  }

  /** @throws when the server ends before it listens */
  static async start(contender: Contender): Promise<Server> {
    const { label, file, settings = {} } = contender
    const node = [process.execPath, '--expose-gc', SERVE, file, JSON.stringify(settings)]
    const [command, ...args] = (isPinned ? [...PIN, ...node] : node) as [string, ...string[]]
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' }
    })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${label}: the server ended with ${code} before it listened`)
    })
    const [message] = await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
    return new Server(contender, child, message)
  }

  /** Returns the current usage, optionally after a garbage collection. */
  async usage(first: 'collect garbage' | 'nothing' = 'nothing'): Promise<Usage> {
    this.#process.send(first)
    const [usage] = await once(this.#process, 'message')
    return usage
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }
}
