import { type Client, createClient, type ResultSet, type Row } from '@libsql/client'
import type { ScreenUser } from 'fastify-screen-auth'
import { hashPassword, verifyPassword } from './passwords.ts'
import { hostOf, SetupError } from './setup-error.ts'

/** The user that the server adds to an empty database. */
export const DEMO = { username: 'demo', displayName: 'Demo User', password: 'demo-password' }

/** A user in the database. */
export interface StoredUser extends ScreenUser {
  /** When the user was added, ISO 8601 in UTC. */
  createdAt: string
}

const TABLE = `CREATE TABLE IF NOT EXISTS users (
  username TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ'))
) STRICT`

/** Milliseconds to wait while another process writes to the file, for example `npm run users`. */
const BUSY_TIMEOUT = 5_000

/** Users and their password hashes in a libSQL database. */
export class UserStore {
  readonly #db: Client
  readonly #url: string
  readonly #dummyHash: string

  private constructor(db: Client, url: string, dummyHash: string) {
    this.#db = db
    this.#url = url
    this.#dummyHash = dummyHash
  }

  /**
   * Opens the database, and makes the table if it does not exist.
   *
   * @param url any URL that libSQL supports
   * @throws SetupError when the database cannot be used; so does every other method
   */
  static async open(url: string): Promise<UserStore> {
    const users = new UserStore(connect(url), url, await hashPassword('no user has this password'))
    await users.#execute(TABLE)
    return users
  }

  /** The user, if the password is right. An unknown user takes as long as a wrong password. */
  async verify(username: string, password: string): Promise<StoredUser | null> {
    const row = await this.#row(username)
    const isRight = await verifyPassword(
      row === undefined ? this.#dummyHash : String(row.password_hash),
      password
    )
    return row !== undefined && isRight ? toUser(row) : null
  }

  async find(username: string): Promise<StoredUser | null> {
    const row = await this.#row(username)
    return row === undefined ? null : toUser(row)
  }

  /** All users, by username. */
  async list(): Promise<StoredUser[]> {
    const { rows } = await this.#execute('SELECT * FROM users ORDER BY username')
    return rows.map(toUser)
  }

  /** Adds a user; false when the username is taken. */
  async add({ username, displayName }: ScreenUser, password: string): Promise<boolean> {
    return this.#write(
      'INSERT INTO users (username, display_name, password_hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      [username, displayName, await hashPassword(password)]
    )
  }

  /** Adds the demo user if there is no user at all, in one statement: two servers may start at once. */
  async addDemoUserIfEmpty(): Promise<boolean> {
    return this.#write(
      `INSERT INTO users (username, display_name, password_hash)
       SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM users)`,
      [DEMO.username, DEMO.displayName, await hashPassword(DEMO.password)]
    )
  }

  /** Sets a new password; false when there is no such user. */
  async setPassword(username: string, password: string): Promise<boolean> {
    const passwordHash = await hashPassword(password)
    return this.#write('UPDATE users SET password_hash = ? WHERE username = ?', [passwordHash, username])
  }

  /** Removes a user; false when there is no such user. */
  remove(username: string): Promise<boolean> {
    return this.#write('DELETE FROM users WHERE username = ?', [username])
  }

  close(): void {
    this.#db.close()
  }

  async #row(username: string): Promise<Row | undefined> {
    const { rows } = await this.#execute('SELECT * FROM users WHERE username = ?', [username])
    return rows[0]
  }

  /** Whether the statement changed a row. */
  async #write(sql: string, args: string[]): Promise<boolean> {
    const { rowsAffected } = await this.#execute(sql, args)
    return rowsAffected === 1
  }

  async #execute(sql: string, args: string[] = []): Promise<ResultSet> {
    try {
      return await this.#db.execute(sql, args)
    } catch (error) {
      throw unusable(this.#url, error)
    }
  }
}

function toUser(row: Row): StoredUser {
  return {
    username: String(row.username),
    displayName: String(row.display_name),
    createdAt: String(row.created_at)
  }
}

function connect(url: string): Client {
  try {
    return createClient({ url, timeout: BUSY_TIMEOUT })
  } catch (error) {
    throw unusable(url, error)
  }
}

/** Shows only the code of the error: its message may contain the whole URL, with a password or an access token. */
function unusable(url: string, error: unknown): SetupError {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return new SetupError(
    `SVC_DATABASE_URL: cannot use ${withoutSecrets(url)} (${code || cause?.code || 'it does not open'}); ` +
      'set it to a libSQL URL such as file:users.db, or unset it for the embedded database'
  )
}

/** The path of a file or the host of a server, without parts that may contain a secret. */
function withoutSecrets(url: string): string {
  if (url.startsWith('file:') && !url.includes('\n')) return url.split('?', 1)[0] as string
  const host = hostOf(url)
  return host === null ? 'the database' : `${new URL(url).protocol}//${host}`
}
