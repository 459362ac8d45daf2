import type { Row } from '@libsql/client'
import { hash, verify } from '@node-rs/argon2'
import type { ScreenUser } from 'fastify-screen-auth'
import type { Database } from './database.ts'

/** User that the server adds to an empty database. */
export const DEMO = { username: 'demo', displayName: 'Demo User', password: 'demo-password' }

/** Argon2id with the parameters that OWASP's Password Storage Cheat Sheet recommends: 19 MiB, 2 passes, 1 lane. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Limits of a password, in characters. */
export const MIN_PASSWORD_LENGTH = 8
export const MAX_PASSWORD_LENGTH = 1024

/** Returns why a new password is invalid; null if it is valid. */
export function passwordFault(password: string): 'short' | 'long' | 'unusable' | null {
  if (password.length < MIN_PASSWORD_LENGTH) return 'short'
  if (password.length > MAX_PASSWORD_LENGTH) return 'long'
  // The login rejects these characters, so a user could not log in with such a password.
  if (!password.isWellFormed() || password.includes('\0')) return 'unusable'
  return null
}

/** A user in the database. */
export interface StoredUser extends ScreenUser {
  /** Time when the user was added, ISO 8601 in UTC. */
  createdAt: string
}

const TABLE = `CREATE TABLE IF NOT EXISTS users (
  username TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
) STRICT`

/** Users and their password hashes. */
export class UserStore {
  readonly #database: Database
  readonly #dummyHash: string

  private constructor(database: Database, dummyHash: string) {
    this.#database = database
    this.#dummyHash = dummyHash
  }

  static async open(database: Database): Promise<UserStore> {
    await database.execute(TABLE)
    return new UserStore(database, await hash('no user has this password', ARGON2ID))
  }

  /** Returns the user if the password is correct, else null. An unknown user takes as long as a wrong password. */
  async verify(username: string, password: string): Promise<StoredUser | null> {
    const row = await this.#row(username)
    // `verify` uses the parameters of the hash, so the dummy hash takes as long as a real one.
    const isRight = await verify(row === undefined ? this.#dummyHash : String(row.password_hash), password)
    return row !== undefined && isRight ? toUser(row) : null
  }

  async find(username: string): Promise<StoredUser | null> {
    const row = await this.#row(username)
    return row === undefined ? null : toUser(row)
  }

  /** Returns all users, sorted by username. */
  async list(): Promise<StoredUser[]> {
    const { rows } = await this.#database.execute('SELECT * FROM users ORDER BY username')
    return rows.map(toUser)
  }

  /** Adds a user. Returns false if the username exists. */
  async add({ username, displayName }: ScreenUser, password: string): Promise<boolean> {
    return this.#write(
      'INSERT INTO users (username, display_name, password_hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      [username, displayName, await hash(password, ARGON2ID)]
    )
  }

  /** Adds the demo user if there are no users. Uses one statement, because two servers may start concurrently. */
  async addDemoUserIfEmpty(): Promise<boolean> {
    return this.#write(
      `INSERT INTO users (username, display_name, password_hash)
       SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
      [DEMO.username, DEMO.displayName, await hash(DEMO.password, ARGON2ID)]
    )
  }

  /** Sets a new password. Returns false if the user does not exist. */
  async setPassword(username: string, password: string): Promise<boolean> {
    const passwordHash = await hash(password, ARGON2ID)
    return this.#write('UPDATE users SET password_hash = ? WHERE username = ?', [passwordHash, username])
  }

  /** Removes a user. Returns false if the user does not exist. */
  remove(username: string): Promise<boolean> {
    return this.#write('DELETE FROM users WHERE username = ?', [username])
  }

  async #row(username: string): Promise<Row | undefined> {
    const { rows } = await this.#database.execute('SELECT * FROM users WHERE username = ?', [username])
    return rows[0]
  }

  /** Returns whether the statement changed a row. */
  async #write(sql: string, args: string[]): Promise<boolean> {
    const { rowsAffected } = await this.#database.execute(sql, args)
    return rowsAffected === 1
  }
}

function toUser(row: Row): StoredUser {
  return {
    username: String(row.username),
    displayName: String(row.display_name),
    createdAt: String(row.created_at)
  }
}
