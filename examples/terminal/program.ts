import { FullScreen } from './full-screen.ts'
import { printable } from './printable.ts'

/** Exit codes as in a shell: 128 plus the number of the signal. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const

/** The program and its terminal, which it restores however it ends. */
export class Program {
  readonly terminal = new FullScreen(process.stdin, process.stdout)
  readonly #problems = new Set<string>()
  #releaseErrors = () => {}

  /** Takes over the terminal. */
  begin(): void {
    process.on('uncaughtException', error => this.crash(error))
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => this.quit(code))
    process.on('SIGTSTP', this.suspend)
    process.on('SIGCONT', () => this.terminal.enter())

    const { stdin, stdout } = process
    // The terminal was closed, with or without a signal.
    for (const stream of [stdin, stdout]) stream.on('error', () => this.quit(SIGNALS.SIGHUP))
    stdin.on('end', () => this.quit(SIGNALS.SIGHUP))

    this.#releaseErrors = holdErrors()
    this.terminal.enter()
  }

  /** Stops all of the job, npm too, as Ctrl-Z does outside of raw mode. Where nobody could continue it, it goes on. */
  readonly suspend = (): void => {
    if (process.platform === 'win32') return
    this.terminal.leave()
    process.off('SIGTSTP', this.suspend)
    process.kill(0, 'SIGTSTP')
    process.on('SIGTSTP', this.suspend)
    this.terminal.enter()
  }

  /** Keeps a message for the person until the end. */
  tellLater(problem: string): void {
    this.#problems.add(problem)
  }

  quit(code: number): never {
    this.terminal.leave()
    this.#releaseErrors()
    for (const problem of this.#problems) console.error(printable(problem))
    process.exit(code)
  }

  /** Prints only the message: the rest of the error could contain the input. */
  crash(error: unknown): never {
    this.tellLater(`The program failed: ${error instanceof Error ? error.message : String(error)}`)
    this.quit(1)
  }
}

/** Delays other output, such as warnings of Node, until the end: it would break the screen. */
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
