import { createClient } from 'redis'
import { RedisServer as RedisProcess } from '../test/redis-server.ts'

/** Commands of a connecting client and of this file. All other commands belong to a request. */
const OVERHEAD = ['hello', 'client', 'select', 'ping', 'info']

/**
 * A private Redis for the benchmark, in memory only. It runs on the core of the load generator, because in production it
 * usually does not share a core with the server either.
 */
export class RedisServer {
  readonly url: string
  readonly #client: ReturnType<typeof createClient>
  readonly #end: () => void

  private constructor(url: string, end: () => void) {
    this.url = url
    this.#client = createClient({ url })
    this.#end = end
  }

  /** Resolves to null if Redis is not installed. */
  static async start(...settings: string[]): Promise<RedisServer | null> {
    let end = () => {}
    const scope = {
      teardown(clean: () => void) {
        end = clean
        // Even if an uncaught error ends this process.
        process.once('exit', clean)
      }
    }
    try {
      const { url } = await RedisProcess.start(scope, '--appendonly', 'no', ...settings)
      const server = new RedisServer(url, end)
      await server.#client.connect()
      return server
    } catch (error) {
      end()
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  version(): Promise<string> {
    return this.info('redis_version')
  }

  /** One field of INFO. */
  async info(field: string): Promise<string> {
    const [, value] = new RegExp(`^${field}:(.+)\r$`, 'm').exec(await this.#client.info()) as RegExpExecArray
    return value as string
  }

  /** Bytes of all keys, clients and tables. */
  async memory(): Promise<number> {
    return Number(await this.info('used_memory'))
  }

  /** Microseconds of CPU time so far. */
  async cpu(): Promise<number> {
    return (Number(await this.info('used_cpu_user')) + Number(await this.info('used_cpu_sys'))) * 1e6
  }

  /** The number of commands so far that belong to a request. */
  async commands(): Promise<number> {
    const stats = await this.#client.info('commandstats')
    const calls = [...stats.matchAll(/^cmdstat_(\w+)[^:]*:calls=(\d+)/gm)]
    return calls.reduce(
      (sum, [, name, count]) => sum + (OVERHEAD.includes(name as string) ? 0 : Number(count)),
      0
    )
  }

  stop(): void {
    this.#client.destroy()
    this.#end()
  }
}
