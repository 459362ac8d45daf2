import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'

/** A test or a program that runs functions at its end. */
export interface Scope {
  teardown(clean: () => void): void
}

/**
 * A Redis process (or the server that REDIS_SERVER names) on a free port. Its data survives a restart, and is removed
 * with its scope.
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
   * Starts the server, and waits until it accepts connections.
   *
   * @throws ENOENT if redis-server is not installed; an Error if it ends at once
   */
  async start(...settings: string[]): Promise<void> {
    const persistence = ['--dir', this.#folder, '--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
    const address = ['--bind', '127.0.0.1', '--port', String(this.port)]
    const program = process.env.REDIS_SERVER ?? 'redis-server'
    // A sentinel saves its state in this file.
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

  /** Stops the server, by default with SIGKILL. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const ended = once(this.#process as ChildProcess, 'exit')
    this.#process?.kill(signal)
    await ended
  }

  /** Suspends the server: its connections stay open, but it sends no responses. */
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

/** Returns a free port below the range from which the system assigns ports (Linux: from 32768). */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  return (await isListening(port)) ? freePort() : port
}

/** Whether a process listens on a port of this machine. */
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

/** Sends one command to Redis. */
export async function ask({ url }: { url: string }, command: string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}
