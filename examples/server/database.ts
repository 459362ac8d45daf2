import { chmod } from 'node:fs/promises'
import { type Client, createClient, type InArgs, type ResultSet } from '@libsql/client'
import { hostOf, SetupError } from './errors.ts'

/** Milliseconds to wait while another process writes to the file, for example `npm run users`. */
const BUSY_TIMEOUT = 5_000

/** Suffixes of the files of an SQLite database. */
const FILES = ['', '-journal', '-wal', '-shm']

/** A libSQL database, in a file or on a server. */
export class Database {
  readonly #client: Client
  readonly #url: string

  /**
   * @param url any URL that libSQL supports
   * @throws SetupError when the database cannot be used; `execute` also throws it
   */
  constructor(url: string) {
    this.#url = url
    try {
      this.#client = createClient({ url, timeout: BUSY_TIMEOUT })
    } catch (error) {
      throw unusable(url, error)
    }
  }

  /**
   * Opens a database. Restricts access to its files, existing ones too, to their owner.
   *
   * @param url any URL that libSQL supports
   * @throws SetupError when the database cannot be used
   */
  static async open(url: string): Promise<Database> {
    const database = new Database(url)
    if (database.#client.protocol === 'file') await database.#keepPrivate()
    return database
  }

  /** Executes one statement. Pass all values as arguments, to prevent SQL injection. */
  async execute(sql: string, args: InArgs = []): Promise<ResultSet> {
    try {
      return await this.#client.execute(sql, args)
    } catch (error) {
      throw unusable(this.#url, error)
    }
  }

  close(): void {
    this.#client.close()
  }

  /** Reads the path from SQLite, because URLs have several notations. The path of a database in memory is empty. */
  async #keepPrivate(): Promise<void> {
    const { rows } = await this.execute("SELECT file FROM pragma_database_list WHERE name = 'main'")
    const path = String(rows[0]?.file)
    if (path === '') return
    for (const end of FILES) {
      await chmod(path + end, 0o600).catch(({ code }: NodeJS.ErrnoException) => {
        // SQLite creates most of the files only temporarily.
        if (code === 'ENOENT') return
        throw new SetupError(
          `SVC_DATABASE_URL: cannot keep others from reading ${withoutSecrets(this.#url)} (${code}); ` +
            'give the file to the user who runs this, or set SVC_DATABASE_URL to another one'
        )
      })
    }
  }
}

/** Uses only the code of the error: the error's message may contain the URL, with a password or an access token. */
function unusable(url: string, error: unknown): SetupError {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return new SetupError(
    `SVC_DATABASE_URL: cannot use ${withoutSecrets(url)} (${code || cause?.code || 'it does not open'}); ` +
      'set it to a libSQL URL such as file:users.db, or unset it for the embedded database'
  )
}

/** Returns the path of a file or the host of a server, without parts that may contain a secret. */
function withoutSecrets(url: string): string {
  if (url.startsWith('file:') && !url.includes('\n')) return url.split('?', 1)[0] as string
  const host = hostOf(url)
  return host === null ? 'the database' : `${new URL(url).protocol}//${host}`
}
