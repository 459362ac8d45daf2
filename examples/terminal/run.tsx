import envPaths from 'env-paths'
import { render } from 'ink'
import { Session, type TokenStore } from '../client/session.js'
import { App } from './app.tsx'
import { FullScreen } from './full-screen.ts'
import { type Key, listenToKeys } from './keys.ts'
import { printable } from './printable.ts'
import { TokenFile } from './token-file.ts'

/** Exit codes as a shell has them: 128 and the number of the signal. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Takes over the terminal until the person quits, and gives it back whatever happens. */
export function run(url: string): void {
  const { stdin, stdout } = process
  const terminal = new FullScreen(stdin, stdout)
  const problems = new Set<string>()
  const releaseErrors = holdErrors()

  function quit(code: number): never {
    terminal.leave()
    releaseErrors()
    for (const problem of problems) console.error(printable(problem))
    process.exit(code)
  }

  /** The message alone: more could hold what was entered. */
  function crash(error: unknown): never {
    problems.add(`The program failed: ${error instanceof Error ? error.message : String(error)}`)
    quit(1)
  }

  process.on('uncaughtException', crash)
  for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => quit(code))
  process.on('SIGCONT', () => terminal.resume())
  // The terminal is gone, with or without a signal.
  for (const stream of [stdin, stdout]) stream.on('error', () => quit(SIGNALS.SIGHUP))
  stdin.on('end', () => quit(SIGNALS.SIGHUP))
  stdout.on('resize', () => terminal.repaint())

  const { data } = envPaths('fastify-screen-auth', { suffix: '' })
  const tokens: TokenStore = {
    read: () => file.read(),
    write: (token: string) => file.write(token),
    clear: () => file.clear()
  }
  const session: Session = new Session({ baseUrl: url, tokens, onState: () => ink.rerender(app()) })
  const file: TokenFile = new TokenFile(data, session.baseUrl, problem => problems.add(problem))

  const onKeys = (listener: (key: Key) => void) => listenToKeys(stdin, listener)
  const app = () => (
    <App session={session} state={session.state} terminal={terminal} onKeys={onKeys} onQuit={() => quit(0)} />
  )
  terminal.enter()
  // Each frame as a whole: painting only what has changed is the terminal's own work.
  const ink = render(app(), {
    stdout: terminal.frames(),
    stdin,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false
  })
  ink.waitUntilExit().catch(crash)
  session.start().catch(crash)
}

/** What others have to say, a warning of Node for instance, would tear the screen: it waits for the end. */
function holdErrors(): () => void {
  const { stderr } = process
  const write = stderr.write
  const held: (string | Uint8Array)[] = []
  stderr.write = (chunk: string | Uint8Array) => {
    held.push(chunk)
    return true
  }
  return () => {
    stderr.write = write
    for (const chunk of held) stderr.write(chunk)
  }
}
