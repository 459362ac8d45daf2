import { isAbsolute } from 'node:path'
import envPaths from 'env-paths'
import { baseUrlOf, type Fetch } from 'screen-auth-client'
import { App } from './app.ts'
import { listenToKeys } from './keys.ts'
import type { Program } from './program.ts'
import { TokenFile } from './token-file.ts'

/** Connects the keys, the session and the terminal. */
export function run(program: Program, url: string): void {
  const baseUrl = baseUrlOf(url)
  const tokens = new TokenFile(dataFolder(), baseUrl, problem => program.tellLater(problem))
  const app = new App(program.terminal, () => program.quit(0), { baseUrl, tokens, fetch: fetchInLanguage })
  listenToKeys(process.stdin, key => (key.name === 'suspend' ? program.suspend() : app.key(key)))
  app.session.start()
}

/** Asks for the language of the environment, of LANG for example, as a browser asks for that of its settings. */
const fetchInLanguage: Fetch = (url, init) => {
  const headers = new Headers(init.headers)
  headers.set('accept-language', Intl.DateTimeFormat().resolvedOptions().locale)
  return fetch(url, { ...init, headers })
}

/** Ignores a relative XDG_DATA_HOME, as the XDG Base Directory Specification requires. */
function dataFolder(): string {
  const { env } = process
  if (!isAbsolute(env.XDG_DATA_HOME ?? '')) delete env.XDG_DATA_HOME
  return envPaths('fastify-screen-auth', { suffix: '' }).data
}
