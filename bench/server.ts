import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Contender } from './contenders.ts'
import { onServerCore } from './pinning.ts'

const SERVE = fileURLToPath(new URL('servers/serve.js', import.meta.url))

/** What a server process has used since it was started. */
export interface Usage {
  /** Microseconds of CPU time, in user mode and in the system. */
  cpu: number
  /** Bytes of resident memory. */
  memory: number
}

interface Settings {
  otherRoutes?: number
}

/** A server in its own process: in production mode, and without the tools of the benchmark. */
export class Server {
  readonly origin: string
  /** A token that it made, if it does not accept the shared JWT. */
  readonly token: string | undefined
  /** The usage of its start. */
  readonly atStart: Usage
  readonly #process: ChildProcess

  private constructor(
    process: ChildProcess,
    { port, token, ...usage }: Usage & { port: number; token?: string }
  ) {
    this.#process = process
    this.origin = `http://127.0.0.1:${port}`
    this.token = token
    this.atStart = usage
  }

  /** @throws when the server ends before it listens */
  static async start({ name, file }: Contender, settings: Settings = {}): Promise<Server> {
    const args = ['--expose-gc', SERVE, file, JSON.stringify(settings)]
    const process_ = spawn(...onServerCore(process.execPath, args), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' }
    })
    const ended = once(process_, 'exit').then(([code]) => {
      throw new Error(`${name}: the server ended with ${code} before it listened`)
    })
    const [message] = await Promise.race([once(process_, 'message'), ended])
    ended.catch(() => {})
    return new Server(process_, message)
  }

  usage(): Promise<Usage> {
    return this.#request('usage')
  }

  /** The usage after a garbage collection. */
  usageWithoutGarbage(): Promise<Usage> {
    return this.#request('collect garbage')
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }

  async #request(message: string): Promise<Usage> {
    this.#process.send(message)
    const [usage] = await once(this.#process, 'message')
    return usage
  }
}
