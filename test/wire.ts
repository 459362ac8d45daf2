import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { freePort, type Scope } from './redis-server.ts'

/**
 * How a wire is cut: connections are closed; everything is swallowed, or only what the far end says, and nobody hangs
 * up; the same, but what it says later comes through; or nothing comes through until the wire is mended, and then all of
 * it, late.
 */
export type Cut = 'closed' | 'silent' | 'deaf' | 'lossy' | 'frozen'

/** A wire to a server on this machine, which can be cut and mended. What was swallowed is lost. */
export class Wire {
  readonly port: number
  readonly #target: number
  readonly #server: Server
  readonly #connections = new Set<{ near: Socket; far: Socket }>()
  #cut: Cut | null = null

  private constructor(port: number, target: number) {
    this.port = port
    this.#target = target
    this.#server = createServer({ noDelay: true }, near => this.#lead(near)).listen(port, '127.0.0.1')
  }

  static async lay(scope: Scope, target: number): Promise<Wire> {
    const wire = new Wire(await freePort(), target)
    scope.teardown(() => {
      wire.#server.close()
      wire.cut('closed')
    })
    return wire
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Cuts it, for the present connections and for new ones. Returns how many are open. */
  cut(how: Cut): number {
    this.#cut = how
    for (const connection of this.#connections) damage(connection, how)
    return this.#connections.size
  }

  /** Lets new connections through, and goes on with those that were frozen or lossy. */
  mend(): void {
    const how = this.#cut
    this.#cut = null
    for (const connection of this.#connections) {
      if (how === 'frozen') join(connection)
      if (how === 'lossy') connection.far.pipe(connection.near)
    }
  }

  #lead(near: Socket): void {
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
    join(connection)
    if (this.#cut !== null) damage(connection, this.#cut)
  }
}

function join({ near, far }: { near: Socket; far: Socket }): void {
  near.pipe(far)
  far.pipe(near)
}

function damage({ near, far }: { near: Socket; far: Socket }, how: Cut): void {
  if (how === 'closed') near.destroy()
  // A stream that flows to nobody is lost.
  if (how !== 'closed') far.unpipe(near).resume()
  if (how === 'silent') near.unpipe(far).resume()
  if (how === 'frozen') for (const end of [near, far]) end.unpipe().pause()
}
