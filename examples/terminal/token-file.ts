// Keeps the token of each server in a file of its own, so that the login outlives the program.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'

const MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077

/** Without a symbolic link, which leads out of the folder, and without waiting at a pipe. Windows knows neither. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A token store of the session. Never throws: with a file that cannot be used, the login lasts as long as the program. */
export class TokenFile {
  readonly path: string
  readonly #folder: string
  readonly #onProblem: (problem: string) => void
  /** What this program has read or written last. */
  #mine: string | null = null

  constructor(folder: string, baseUrl: string, onProblem: (problem: string) => void) {
    this.#folder = folder
    // The hash is a safe name for any URL, however long.
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

  /** Removes the token that ended, and not the one of another terminal that has logged in since. */
  async clear(): Promise<void> {
    const ended = this.#mine
    this.#mine = null
    await this.#try('removed', async () => {
      if (ended !== null && (await this.#content()) === ended) await rm(this.path)
    })
  }

  /** Null when there is none, and when others could have read or written it: such a file is removed. */
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
