// Keeps the token of each server in a separate file, so that the login survives the program.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'

const MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077

/** Does not follow a symbolic link out of the folder, and does not wait for a pipe. Windows has neither flag. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A token store of the session. Never throws: without a usable file, the login ends with the program. */
export class TokenFile {
  readonly path: string
  readonly #folder: string
  readonly #onProblem: (problem: string) => void
  /** The token that this program has read or written last. */
  #mine: string | null = null

  constructor(folder: string, baseUrl: string, onProblem: (problem: string) => void) {
    this.#folder = folder
    // The hash is a safe file name for any URL, of any length.
    this.path = join(folder, createHash('sha256').update(baseUrl).digest('hex'))
    this.#onProblem = onProblem
  }

  async read(): Promise<string | null> {
    await this.#try('read', async () => {
      this.#mine = await this.#content()
    })
    return this.#mine
  }

  async write(token: string): Promise<void> {
    this.#mine = token
    await this.#try('kept', async () => {
      await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE })
      await chmod(this.#folder, FOLDER_MODE)
      await writeFileAtomic(this.path, token, { mode: MODE })
    })
  }

  /** Removes the token that has ended, but not a newer one that another terminal has written. */
  async clear(): Promise<void> {
    const ended = this.#mine
    this.#mine = null
    await this.#try('removed', async () => {
      if (ended !== null && (await this.#content()) === ended) await rm(this.path)
    })
  }

  /** Null when there is no file. A file that others can read or write is removed, and counts as none. */
  async #content(): Promise<string | null> {
    const file = await open(this.path, READ).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ELOOP') return null
      throw error
    })
    if (file === null) return this.#remove()
    try {
      const stats = await file.stat()
      return stats.isFile() && isPrivate(stats) ? (await file.readFile('utf8')) || null : await this.#remove()
    } finally {
      await file.close()
    }
  }

  async #remove(): Promise<null> {
    await rm(this.path, { force: true })
    return null
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      this.#onProblem(`The login could not be ${what} in ${this.path} (${code}).`)
    }
  }
}

function isPrivate({ mode, uid }: { mode: number; uid: number }): boolean {
  if (process.platform === 'win32') return true
  return (mode & OTHERS) === 0 && uid === process.getuid?.()
}
