import { EventEmitter, once } from 'node:events'
import { createClient } from '@libsql/client'
import { hash } from '@node-rs/argon2'
import { freshDatabase, type Server, startServer } from '../examples/process.ts'
import { freePort, type Scope } from '../redis-server.ts'
import type { Wire } from '../wire.ts'

export const SIZE = 4

/** The password of all users of the fleet. */
export const PASSWORD = 'the same password for everyone'

export const nameOf = (user: number) => `user-${user}`
export const displayNameOf = (user: number) => `User ${user}`

/** One process, and the requests that are sent to it. */
export class Member {
  readonly port: number
  server: Server
  /** Whether the round-robin sends requests to it. */
  isInService = true
  readonly #events = new EventEmitter()
  #inFlight = 0

  constructor(port: number, server: Server) {
    this.port = port
    this.server = server
  }

  /** Counts a request as in flight until its response is complete, or until it fails. */
  async track<T>(request: Promise<T>): Promise<T> {
    this.#inFlight++
    try {
      return await request
    } catch (error) {
      this.#events.emit('failure')
      throw error
    } finally {
      this.#inFlight--
      if (this.#inFlight === 0) this.#events.emit('idle')
    }
  }

  /** Resolves when the next request fails. */
  async failure(): Promise<void> {
    await once(this.#events, 'failure')
  }

  /** Resolves when no request is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await once(this.#events, 'idle')
  }
}

/** Four processes of the reference server with one database. */
export class Fleet {
  readonly members: Member[] = []
  readonly #scope: Scope
  #env: Record<string, string>

  private constructor(scope: Scope, env: Record<string, string>) {
    this.#scope = scope
    this.#env = env
  }

  /** @param wires to Redis, one for each process that shall not use the same */
  static async start(
    scope: Scope,
    users: number,
    env: Record<string, string>,
    wires: Wire[] = []
  ): Promise<Fleet> {
    const database = freshDatabase(scope)
    const fleet = new Fleet(scope, { ...database, ...env })
    for (let i = 0; i < SIZE; i++) {
      const port = await freePort()
      const wire = wires[i]
      fleet.members.push(new Member(port, await fleet.#launch(port, wire && { SVC_REDIS_URL: wire.url })))
    }
    await addUsers(database.SVC_DATABASE_URL, users)
    return fleet
  }

  /** Kills a process, and starts it again when a request has failed: the load must notice that it is gone. */
  async crash(index: number): Promise<void> {
    const member = this.members[index] as Member
    await member.server.stop('SIGKILL')
    await member.failure()
    member.server = await this.#launch(member.port)
  }

  /** Restarts one process after the other with new settings, each out of service and without open requests. */
  async roll(env: Record<string, string>): Promise<void> {
    this.#env = { ...this.#env, ...env }
    for (const member of this.members) {
      member.isInService = false
      await member.idle()
      await member.server.stop('SIGTERM')
      member.server = await this.#launch(member.port)
      member.isInService = true
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ server }) => server.stop('SIGKILL')))
  }

  #launch(port: number, env: Record<string, string> = {}): Promise<Server> {
    return startServer(this.#scope, { ...this.#env, ...env, PORT: String(port) })
  }
}

/** Adds users to the table that the first server has made. All share one cheap hash: Argon2id is not what is tested. */
async function addUsers(url: string, users: number): Promise<void> {
  const passwordHash = await hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  const db = createClient({ url })
  const sql = 'INSERT INTO users (username, display_name, password_hash) VALUES (?, ?, ?)'
  const rows = Array.from({ length: users }, (_, user) => [nameOf(user), displayNameOf(user), passwordHash])
  await db.batch(
    rows.map(args => ({ sql, args })),
    'write'
  )
  db.close()
}
