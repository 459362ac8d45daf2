import { type Client, createClient, type InArgs, type ResultSet } from '@libsql/client'
import { SetupError } from './errors.ts'

/** Milliseconds to wait while another process writes to the file, for example `npm run users`. */
const BUSY_TIMEOUT = 5_000

/** A libSQL database, in a file or on a server. */
export class Database {
  readonly #client: Client

  /**
   * @param url any URL that libSQL supports
   * @throws SetupError when the database cannot be used; `execute` also throws it
   */
  constructor(url: string) {
    try {
      this.#client = createClient({ url, timeout: BUSY_TIMEOUT })
    } catch (error) {
      throw unusable(error)
    }
  }

  /** Executes one statement. Pass all values as arguments, to prevent SQL injection. */
  async execute(sql: string, args: InArgs = []): Promise<ResultSet> {
    try {
      return await this.#client.execute(sql, args)
    } catch (error) {
      // After another process's lock, this connection may stay in a transaction that never ends.
      if (`${(error as { code?: string }).code}`.startsWith('SQLITE_BUSY')) this.#client.reconnect()
      throw unusable(error)
    }
  }

  close(): void {
    this.#client.close()
  }
}

/** Uses only the code of the error: its message may contain the URL, with a password or an access token. */
function unusable(error: unknown): SetupError {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return new SetupError(
    `SVC_DATABASE_URL: cannot use the database (${code || cause?.code || 'it does not open'}); ` +
      'set it to a libSQL URL such as file:users.db, or unset it for the embedded database'
  )
}
