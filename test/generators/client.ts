import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { cacheFor } from '../cache.ts'
import { DEMO, startServer } from '../examples/process.ts'
import { outsideTap } from '../helpers.ts'

/** The editions of the contract that a client is generated from. */
export const DOCUMENTS = ['openapi.json', 'openapi-3.0.json'] as const

/** What each client prints on its way through the login. */
const WALK = `\
form: Card /auth/login username password
rejected: Wrong username or password.
accepted: Main Menu, Demo User
menu: Main Menu, Demo User
`

/** A project with a program that uses a generated client. */
export interface Project {
  folder: string
  /** Runs a command in the folder. Returns what it prints. */
  run(command: string, args: string[], env?: NodeJS.ProcessEnv): Promise<string>
}

/** A fresh copy of the program for a tool, which lies beside this file. */
export async function project(tool: string, edition: string): Promise<Project> {
  // At the same place each time: compilers know again what they have compiled.
  const folder = join(cacheFor(tool), edition)
  await rm(folder, { recursive: true, force: true })
  await cp(fileURLToPath(new URL(tool, import.meta.url)), folder, { recursive: true })
  return {
    folder,
    async run(command, args, env = {}) {
      const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 100_000_000 }
      const running = promisify(execFile)(...outsideTap(command, args), options)
      const { stdout } = await running.catch(({ message, stdout, stderr }) => {
        throw new Error(`${message}\n${stdout}\n${stderr}`)
      })
      return stdout
    }
  }
}

/** The path of an edition of the contract. */
export function pathOf(document: (typeof DOCUMENTS)[number]): string {
  return fileURLToPath(new URL(`../../schemas/generated/${document}`, import.meta.url))
}

/**
 * Lets a program walk through the login of the reference server.
 *
 * @param walk runs the program with the URL of the server, a username and the password
 */
export async function logsIn(t: Test, walk: (args: string[]) => Promise<string>): Promise<void> {
  const { url } = await startServer(t, { SVC_AUTH_SECRET: 'secret-of-the-generated-clients!' })
  t.equal(await walk([url, DEMO.username, DEMO.password]), WALK)
}
