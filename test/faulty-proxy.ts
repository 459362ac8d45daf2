import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { freePort, type Scope } from './redis-server.ts'

/**
 * How the proxy interrupts its open connections. `closed` closes them. `silent` drops the data of both sides, and `deaf`
 * that of the server, even after `restore`. `lossy` drops the data of the server until `restore`. `frozen` holds all
 * data back until `restore`.
 */
export type Cut = 'closed' | 'silent' | 'deaf' | 'lossy' | 'frozen'

/** A TCP proxy to a server on this machine, whose connections a test can interrupt. Dropped data is lost. */
export class FaultyProxy {
  readonly port: number
  readonly #target: number
  readonly #server: Server
  readonly #connections = new Set<{ near: Socket; far: Socket }>()
  #cut: Cut | null = null

  private constructor(port: number, target: number) {
    this.port = port
    this.#target = target
    this.#server = createServer({ noDelay: true }, near => this.#accept(near)).listen(port, '127.0.0.1')
  }

  static async start(scope: Scope, target: number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(await freePort(), target)
    scope.teardown(() => {
      proxy.#server.close()
      proxy.cut('closed')
    })
    return proxy
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Interrupts open and new connections. Returns the number of open ones. */
  cut(how: Cut): number {
    this.#cut = how
    for (const connection of this.#connections) interrupt(connection, how)
    return this.#connections.size
  }

  /** Lets new connections through, and resumes those that were frozen or lossy. */
  restore(): void {
    const how = this.#cut
    this.#cut = null
    for (const connection of this.#connections) {
      if (how === 'frozen') pipeBoth(connection)
      if (how === 'lossy') connection.far.pipe(connection.near)
    }
  }

  #accept(near: Socket): void {
    const far = dial({ port: this.#target, host: '127.0.0.1', noDelay: true })
    const connection = { near, far }
    this.#connections.add(connection)
    for (const end of [near, far]) {
      end.on('error', () => {})
      end.on('close', () => {
        near.destroy()
        far.destroy()
        this.#connections.delete(connection)
      })
    }
    pipeBoth(connection)
    if (this.#cut !== null) interrupt(connection, this.#cut)
  }
}

function pipeBoth({ near, far }: { near: Socket; far: Socket }): void {
  near.pipe(far)
  far.pipe(near)
}

function interrupt({ near, far }: { near: Socket; far: Socket }, how: Cut): void {
  if (how === 'closed') near.destroy()
  // A stream without a destination drops its data.
  if (how !== 'closed') far.unpipe(near).resume()
  if (how === 'silent') near.unpipe(far).resume()
  if (how === 'frozen') for (const end of [near, far]) end.unpipe().pause()
}
