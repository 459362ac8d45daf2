import { createClient } from '@keyv/redis'
import { RedisServer as RedisProcess } from '../test/redis-server.ts'

/** What a client says when it connects, and what is asked here; all the rest is said for somebody's request. */
const OVERHEAD = ['hello', 'client', 'select', 'ping', 'info']

/**
 * A Redis of the benchmark's own, in memory only. It runs where this process does, on the core of the load: elsewhere
 * than the servers, as most have it.
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

  /** Answers null where Redis is not installed. */
  static async start(): Promise<RedisServer | null> {
    let end = () => {}
    const scope = {
      teardown(clean: () => void) {
        end = clean
        // Whatever ends this process, for instance an error in an event.
        process.once('exit', clean)
      }
    }
    try {
      const { url } = await RedisProcess.start(scope, '--appendonly', 'no')
      const server = new RedisServer(url, end)
      await server.#client.connect()
      return server
    } catch (error) {
      end()
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

  stop(): void {
    this.#client.destroy()
    this.#end()
  }
}
