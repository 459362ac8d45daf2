import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from '@keyv/redis'

/** What a client says when it connects, and what is asked here; all the rest is said for somebody's request. */
const OVERHEAD = ['hello', 'client', 'select', 'ping', 'info']

/**
 * A Redis of the benchmark's own, in memory only. It runs where this process does, on the core of the load: elsewhere
 * than the servers, as most have it.
 */
export class RedisServer {
  readonly url: string
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #client: ReturnType<typeof createClient>

  private constructor(process: ChildProcess, port: number, folder: string) {
    this.#process = process
    this.#folder = folder
    this.url = `redis://127.0.0.1:${port}`
    this.#client = createClient({ url: this.url })
  }

  /**
   * Answers null where Redis is not installed.
   *
   * @throws when it ends before it accepts connections
   */
  static async start(): Promise<RedisServer | null> {
    const port = await freePort()
    const folder = await mkdtemp(join(tmpdir(), 'bench-redis-'))
    const address = ['--bind', '127.0.0.1', '--port', String(port)]
    const inMemory = ['--save', '', '--appendonly', 'no', '--dir', folder]
    const child = spawn('redis-server', [...address, ...inMemory], { stdio: ['ignore', 'pipe', 'inherit'] })
    // Whatever ends this process, for instance an error in an event.
    process.once('exit', () => child.kill())
    const server = new RedisServer(child, port, folder)
    try {
      await once(child, 'spawn')
      await isReady(child)
      await server.#client.connect()
      return server
    } catch (error) {
      await server.stop()
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  async version(): Promise<string> {
    const [, version] = /^redis_version:(.+)\r$/m.exec(await this.#client.info('server')) as RegExpExecArray
    return version as string
  }

  /** How many commands it was sent so far, without what is no work for a request. */
  async commands(): Promise<number> {
    const stats = await this.#client.info('commandstats')
    const calls = [...stats.matchAll(/^cmdstat_(\w+)[^:]*:calls=(\d+)/gm)]
    return calls.reduce(
      (sum, [, name, count]) => sum + (OVERHEAD.includes(name as string) ? 0 : Number(count)),
      0
    )
  }

  async stop(): Promise<void> {
    if (this.#client.isOpen) this.#client.destroy()
    // False when it never ran, or has ended by itself.
    if (this.#process.kill()) await once(this.#process, 'exit')
    await rm(this.#folder, { recursive: true })
  }
}

/** Redis cannot be told to take any port that is free. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function isReady(child: ChildProcess): Promise<void> {
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)
  const said: string[] = []
  const ready = new Promise<void>((resolve, reject) => {
    lines.on('line', line => {
      said.push(line)
      if (line.includes('Ready to accept connections')) resolve()
    })
    child.once('exit', code => reject(new Error(`redis-server ended with ${code}: ${said.join('\n')}`)))
  })
  return ready
}
