// Keeps the token of each server in a separate file, so that the login survives the program.
import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from 'screen-auth-client'
import writeFileAtomic from 'write-file-atomic'

/** A token store of the session. Never throws: without a usable file, the login ends with the program. */
export function tokenFile(folder: string, baseUrl: string, onProblem: (problem: string) => void): Store {
  // The hash is a safe file name for any URL, of any length.
  const path = join(folder, createHash('sha256').update(baseUrl).digest('hex'))
  /** The token that this program has read or written last. */
  let mine: string | null = null

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      onProblem(`The login could not be ${what} in ${path} (${code}).`)
    }
  }

  return {
    async read() {
      await attempt('read', async () => {
        mine = await contentOf(path)
      })
      return mine
    },
    async write(token) {
      mine = token
      await attempt('kept', async () => {
        await mkdir(folder, { recursive: true })
        await chmod(folder, 0o700)
        await writeFileAtomic(path, token, { mode: 0o600 })
      })
    },
    /** Removes the token that has ended, but not a newer one that another terminal has written. */
    async clear() {
      const ended = mine
      mine = null
      await attempt('removed', async () => {
        if (ended !== null && (await contentOf(path)) === ended) await rm(path)
      })
    }
  }
}

/** Null when there is no file. A link, and a file that others can read or write, is removed, and counts as none. */
async function contentOf(path: string): Promise<string | null> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (stats === undefined) return null
  const isPrivate = process.platform === 'win32' || ((stats.mode & 0o077) === 0 && stats.uid === process.getuid?.())
  if (stats.isFile() && isPrivate) return (await readFile(path, 'utf8')) || null
  await rm(path)
  return null
}
