import envPaths from 'env-paths'
import { render } from 'ink'
import { Session, type TokenStore } from '../client/session.js'
import { App } from './app.tsx'
import { type Key, listenToKeys } from './keys.ts'
import type { Program } from './program.ts'
import { TokenFile } from './token-file.ts'

/** Wires the session to the keys and to what is drawn. */
export function run(program: Program, url: string): void {
  const { stdin } = process
  const { terminal } = program
  const { data } = envPaths('fastify-screen-auth', { suffix: '' })
  const tokens: TokenStore = {
    read: () => file.read(),
    write: token => file.write(token),
    clear: () => file.clear()
  }
  const session: Session = new Session({ baseUrl: url, tokens, onState: () => ink.rerender(app()) })
  const file = new TokenFile(data, session.baseUrl, problem => program.tellLater(problem))

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
