import { type Client, createClient, type InArgs, type ResultSet } from '@libsql/client'
import { hostOf, SetupError } from './setup-error.ts'

/** Milliseconds to wait while another process writes to the file, for example `npm run users`. */
const BUSY_TIMEOUT = 5_000

/** A libSQL database: a file, or a server. */
export class Database {
  readonly #client: Client
  readonly #url: string

  /**
   * @param url any URL that libSQL supports
   * @throws SetupError when the database cannot be used; so does `execute`
   */
  constructor(url: string) {
    this.#client = connect(url)
    this.#url = url
  }

  /** Executes one statement. All values must be arguments: then none of them can be read as SQL. */
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
