import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import { hash } from '@node-rs/argon2'
import { freshDatabase, type Server, startServer } from '../examples/process.ts'
import { freePort, type Scope } from '../redis-server.ts'

export const SIZE = 4

/** The password of all users of the fleet. */
export const PASSWORD = 'the same password for everyone'

export const nameOf = (user: number) => `user-${user}`
export const displayNameOf = (user: number) => `User ${user}`

interface Member {
  port: number
  server: Server
  /** Whether the round-robin sends requests to it. */
  isInService: boolean
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

  static async start(scope: Scope, users: number, env: Record<string, string>): Promise<Fleet> {
    const database = freshDatabase(scope)
    const fleet = new Fleet(scope, { ...database, ...env })
    for (let i = 0; i < SIZE; i++) {
      const port = await freePort()
      fleet.members.push({ port, server: await fleet.#launch(port), isInService: true })
    }
    await addUsers(database.SVC_DATABASE_URL, users)
    return fleet
  }

  /** Ends a process without a warning, and starts it again after a while. */
  async crash(index: number): Promise<void> {
    const member = this.members[index] as Member
    await member.server.stop('SIGKILL')
    await sleep(300)
    member.server = await this.#launch(member.port)
  }

  /** Takes one process after the other out of service and starts it again, with other settings. */
  async roll(env: Record<string, string>): Promise<void> {
    this.#env = { ...this.#env, ...env }
    for (const member of this.members) {
      member.isInService = false
      await sleep(100)
      await member.server.stop('SIGTERM')
      member.server = await this.#launch(member.port)
      member.isInService = true
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ server }) => server.stop('SIGKILL')))
  }

  #launch(port: number): Promise<Server> {
    return startServer(this.#scope, { ...this.#env, PORT: String(port) })
  }
}

/** Into the table that the first server has made. All with one cheap hash: how long Argon2id takes is not what the cluster is about. */
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
