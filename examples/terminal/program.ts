import { FullScreen } from './full-screen.ts'
import { printable } from './printable.ts'

/** Exit codes as a shell has them: 128 and the number of the signal. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const

/** The program on its terminal, which it gives back as it was, however it ends. */
export class Program {
  readonly terminal = new FullScreen(process.stdin, process.stdout)
  readonly #problems = new Set<string>()
  #releaseErrors = () => {}

  /** Takes the terminal over. */
  begin(): void {
    process.on('uncaughtException', error => this.crash(error))
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => this.quit(code))
    process.on('SIGTSTP', () => {
      this.terminal.leave()
      process.kill(process.pid, 'SIGSTOP')
    })
    process.on('SIGCONT', () => this.terminal.enter())

    const { stdin, stdout } = process
    // The terminal is gone, with or without a signal.
    for (const stream of [stdin, stdout]) stream.on('error', () => this.quit(SIGNALS.SIGHUP))
    stdin.on('end', () => this.quit(SIGNALS.SIGHUP))

    this.#releaseErrors = holdErrors()
    this.terminal.enter()
  }

  /** Remembers what the person is to be told at the end. */
  tellLater(problem: string): void {
    this.#problems.add(problem)
  }

  quit(code: number): never {
    this.terminal.leave()
    this.#releaseErrors()
    for (const problem of this.#problems) console.error(printable(problem))
    process.exit(code)
  }

  /** Tells the message alone: more could hold what was entered. */
  crash(error: unknown): never {
    this.tellLater(`The program failed: ${error instanceof Error ? error.message : String(error)}`)
    this.quit(1)
  }
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
