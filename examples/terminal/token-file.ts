// Stores the token of each server in a separate file, so that the login outlasts the program.
import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from 'screen-auth-client'
import writeFileAtomic from 'write-file-atomic'

/** A token store for the session. Never throws: if the file is unusable, the login ends when the program ends. */
export function tokenFile(folder: string, baseUrl: string, onProblem: (problem: string) => void): Store {
  // The hash is a safe file name for a URL of any length.
  const path = join(folder, createHash('sha256').update(baseUrl).digest('hex'))
  /** Token that this program last read or wrote. */
  let lastToken: string | null = null

  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      onProblem(`The login could not be ${what} (${path}, ${code}).`)
    }
  }

  return {
    async read() {
      await attempt('read', async () => {
        lastToken = await contentOf(path)
      })
      return lastToken
    },
    async write(token) {
      lastToken = token
      await attempt('saved', async () => {
        await mkdir(folder, { recursive: true })
        await chmod(folder, 0o700)
        await writeFileAtomic(path, token, { mode: 0o600 })
      })
    },
    /** Removes the token of the ended session, but not a newer one that another terminal has written. */
    async clear() {
      const ended = lastToken
      lastToken = null
      await attempt('removed', async () => {
        if (ended !== null && (await contentOf(path)) === ended) await rm(path)
      })
    }
  }
}

/** Returns the token; null if there is no file. Removes a link, and a file that others can access, and returns null. */
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
