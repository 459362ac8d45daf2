import { isAbsolute } from 'node:path'
import envPaths from 'env-paths'
import { render } from 'ink'
import { type Fetch, Service } from '../client/service.js'
import { Session } from '../client/session.js'
import { App } from './app.tsx'
import { type Key, listenToKeys } from './keys.ts'
import type { Program } from './program.ts'
import { TokenFile } from './token-file.ts'

/** Connects the session to the keys and to the view. */
export function run(program: Program, url: string): void {
  const { stdin } = process
  const { terminal } = program
  const { baseUrl } = new Service(url, fetch)
  const tokens = new TokenFile(dataFolder(), baseUrl, problem => program.tellLater(problem))
  const session = new Session({ baseUrl, tokens, onState: () => ink.rerender(app()), fetch: fetchInLanguage })

  const onKeys = (listener: (key: Key) => void) => listenToKeys(stdin, listener)
  const onQuit = () => program.quit(0)
  const app = () => (
    <App session={session} state={session.state} terminal={terminal} onKeys={onKeys} onQuit={onQuit} />
  )
  const ink = render(app(), {
    stdin,
    stdout: terminal.frames(),
    // Ink writes whole frames. FullScreen paints only the lines that have changed.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false
  })
  ink.waitUntilExit().catch(error => program.crash(error))
  session.start().catch(error => program.crash(error))
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
