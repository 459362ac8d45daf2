import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What cleans up at its end: a test, or a program. */
export interface Scope {
  teardown(clean: () => void): void
}

/**
 * A Redis of its own (or the server that REDIS_SERVER names), on a free port, which keeps what it was told over a restart;
 * it is gone with its scope.
 */
export class RedisServer {
  readonly port: number
  readonly #folder = mkdtempSync(join(tmpdir(), 'screen-auth-redis-'))
  readonly #settings: string[]
  #process: ChildProcess | undefined

  private constructor(port: number, settings: string[]) {
    this.port = port
    this.#settings = settings
  }

  static async start(scope: Scope, ...settings: string[]): Promise<RedisServer> {
    const redis = new RedisServer(await freePort(), settings)
    scope.teardown(() => redis.#remove())
    await redis.start()
    return redis
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /**
   * Starts it again, and waits until it can be connected to.
   *
   * @throws ENOENT when there is no redis-server, and when it ends at once
   */
  async start(...settings: string[]): Promise<void> {
    const persistence = ['--dir', this.#folder, '--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
    const address = ['--bind', '127.0.0.1', '--port', String(this.port)]
    const program = process.env.REDIS_SERVER ?? 'redis-server'
    // A sentinel writes down there what it knows.
    const file = join(this.#folder, 'redis.conf')
    writeFileSync(file, '', { flag: 'a' })
    this.#process = spawn(program, [file, ...address, ...persistence, ...this.#settings, ...settings], {
      stdio: 'ignore'
    })
    await once(this.#process, 'spawn')
    while (!(await isListening(this.port))) {
      if (this.#process.exitCode !== null) throw new Error(`redis-server ended: is ${this.port} taken?`)
      await sleep(20)
    }
  }

  /** Ends it, by default at once. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const ended = once(this.#process as ChildProcess, 'exit')
    this.#process?.kill(signal)
    await ended
  }

  /** It keeps its connections, and answers nothing. */
  freeze(): void {
    this.#process?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#process?.kill('SIGCONT')
  }

  #remove(): void {
    this.#process?.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A port that nobody listens on, and that no system gives away by itself meanwhile (Linux: from 32768 on). */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  return (await isListening(port)) ? freePort() : port
}

/** Whether somebody listens on a port of this machine. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
