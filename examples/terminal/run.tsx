import { isAbsolute } from 'node:path'
import envPaths from 'env-paths'
import { render } from 'ink'
import { Service } from '../client/service.js'
import { Session } from '../client/session.js'
import { App } from './app.tsx'
import { type Key, listenToKeys } from './keys.ts'
import type { Program } from './program.ts'
import { TokenFile } from './token-file.ts'

/** Wires the session to the keys and to what is drawn. */
export function run(program: Program, url: string): void {
  const { stdin } = process
  const { terminal } = program
  const { baseUrl } = new Service(url, fetch)
  const tokens = new TokenFile(dataFolder(), baseUrl, problem => program.tellLater(problem))
  const session = new Session({ baseUrl, tokens, onState: () => ink.rerender(app()) })

  const onKeys = (listener: (key: Key) => void) => listenToKeys(stdin, listener)
  const onQuit = () => program.quit(0)
  const app = () => (
    <App session={session} state={session.state} terminal={terminal} onKeys={onKeys} onQuit={onQuit} />
  )
  const ink = render(app(), {
    stdin,
    stdout: terminal.frames(),
    // Each frame as a whole: to paint only what has changed is the terminal's own work.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false
  })
  ink.waitUntilExit().catch(error => program.crash(error))
  session.start().catch(error => program.crash(error))
}

/** A relative XDG_DATA_HOME is to be ignored (XDG Base Directory Specification): it would lead into this project. */
function dataFolder(): string {
  const { env } = process
  if (!isAbsolute(env.XDG_DATA_HOME ?? '')) delete env.XDG_DATA_HOME
  return envPaths('fastify-screen-auth', { suffix: '' }).data
}
