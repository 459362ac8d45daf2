// Drives the terminal client in a real pseudo-terminal: presses keys and reads the screen.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Scope } from '../../redis-server.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Milliseconds to wait for a text, enough for a slow machine. */
const TIMEOUT = 120_000

export const CLIENT = ['--import', 'tsx', 'examples/terminal/main.ts']

/** Creates a folder that is removed after the test. */
export function folder(t: Scope): string {
  const path = mkdtempSync(join(tmpdir(), 'screen-auth-terminal-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export class Terminal {
  readonly #socket: string

  private constructor(t: Scope) {
    this.#socket = join(folder(t), 'tmux')
  }

  /** Starts the client in a terminal, which shows its exit code at the end. */
  static async start(t: Scope, url: string, { home = folder(t), lang = 'C.UTF-8' } = {}): Promise<Terminal> {
    const terminal = new Terminal(t)
    t.teardown(() => terminal.#tmux('kill-server').catch(() => {}))
    const client = [process.execPath, ...CLIENT, url].join(' ')
    const variables = [`PATH=${process.env.PATH}`, `HOME=${home}`, 'TERM=screen-256color', `LANG=${lang}`]
    const shell = ['env', '-i', ...variables, 'sh', '-c', `${client}; echo "code $?"; sleep 1000`]
    await terminal.#tmux('new-session', '-d', '-x', '100', '-y', '50', '-c', root, ...shell)
    return terminal
  }

  /** Types a text, and presses Enter. */
  async enter(text = ''): Promise<void> {
    if (text !== '') await this.#tmux('send-keys', '-l', '--', text)
    await this.press('Enter')
  }

  /** Presses keys, given by their names in tmux. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', '--', ...keys)
  }

  /** Moves down to a choice, and selects it. */
  async choose(label: string): Promise<void> {
    for (;;) {
      const screen = await this.until(/^│ {2}● /m)
      const [, chosen = ''] = /^│ {2}● (.*)$/m.exec(screen) ?? []
      if (chosen.startsWith(label)) return this.press('Enter')
      await this.press('Down')
      await this.until(text => !text.includes(`● ${chosen}`))
    }
  }

  /** Logs in as the demo user. */
  async logIn(): Promise<void> {
    await this.until(/◆ {2}Username/)
    await this.enter('demo')
    await this.until(/◆ {2}Password/)
    await this.enter('demo-password')
  }

  /** Waits until the screen matches. Returns the screen. */
  async until(wanted: RegExp | ((screen: string) => boolean)): Promise<string> {
    const isMatch = typeof wanted === 'function' ? wanted : (screen: string) => wanted.test(screen)
    for (const end = Date.now() + TIMEOUT; ; await sleep(50)) {
      const screen = await this.#tmux('capture-pane', '-p')
      if (isMatch(screen)) return screen
      if (Date.now() > end) throw new Error(`${wanted} did not appear:\n${screen}`)
    }
  }

  async #tmux(...command: string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-u', '-S', this.#socket, '-f', '/dev/null', ...command])
    return stdout
  }
}
