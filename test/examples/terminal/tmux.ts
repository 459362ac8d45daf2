// Drives the terminal client as a person does: in a shell, in a real pseudo-terminal, with keys and with eyes.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Scope } from '../../redis-server.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Milliseconds after which a screen does not come any more, however slow the machine is. */
const DEADLINE = 120_000

export const CLIENT = ['--import', 'tsx', 'examples/terminal/main.ts']

export interface TerminalOptions {
  columns?: number
  rows?: number
  /** Where the client keeps its files; a new folder of its own unless told otherwise. */
  home?: string
  env?: Record<string, string>
}

/** A folder that is gone with the test. */
export function folder(t: Scope): string {
  const path = mkdtempSync(join(tmpdir(), 'screen-auth-terminal-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export class Terminal {
  readonly home: string
  readonly #socket: string

  private constructor(t: Scope, home = folder(t)) {
    this.home = home
    this.#socket = join(folder(t), 'tmux')
  }

  /** Opens a terminal with a shell, in which something stands already. */
  static async shell(t: Scope, { columns = 80, rows = 24, home, env = {} }: TerminalOptions = {}) {
    const terminal = new Terminal(t, home)
    const variables = {
      PATH: process.env.PATH ?? '',
      HOME: terminal.home,
      TERM: 'screen-256color',
      LANG: 'C.UTF-8',
      PS1: '$ ',
      ...env
    }
    const shell = ['env', '-i', ...Object.entries(variables).map(([name, value]) => `${name}=${value}`), 'sh']
    t.teardown(() => terminal.tmux('kill-server').catch(() => {}))
    const size = ['-x', String(columns), '-y', String(rows)]
    await terminal.tmux('new-session', '-d', ...size, '-c', root, ...shell)
    await terminal.until(/^\$/m)
    await terminal.enter('echo what was "here before"')
    await terminal.until(/^what was here before/m)
    return terminal
  }

  /** Opens a terminal and starts the client in it. */
  static async start(t: Scope, url: string, options: TerminalOptions = {}) {
    const terminal = await Terminal.shell(t, options)
    await terminal.startClient(url)
    return terminal
  }

  async startClient(url: string): Promise<void> {
    const command = [process.execPath, ...CLIENT, url].join(' ')
    await this.enter(`sh -c 'echo $$ > ~/pid; exec ${command}'; echo "code $?"`)
    await this.until(/F1 |Ctrl-C quit|code \d/)
  }

  /** Types a text as it is. */
  async type(text: string): Promise<void> {
    await this.tmux('send-keys', '-l', '--', text)
  }

  /** Presses keys by tmux's names for them. */
  async press(...keys: string[]): Promise<void> {
    await this.tmux('send-keys', '--', ...keys)
  }

  async enter(text: string): Promise<void> {
    await this.type(text)
    await this.press('Enter')
  }

  /** Pastes a text; marked as a paste when the program wants to know. */
  async paste(text: string, { isMarked = true } = {}): Promise<void> {
    await this.tmux('set-buffer', '--', text)
    // -r: line breaks as they are.
    await this.tmux('paste-buffer', '-r', ...(isMarked ? ['-p'] : []))
  }

  async logIn(username = 'demo', password = 'demo-password'): Promise<void> {
    await this.until(/Username/)
    await this.type(username)
    await this.press('Tab')
    await this.type(password)
    await this.press('Enter')
  }

  resize(columns: number, rows: number): Promise<string> {
    return this.tmux('resize-window', '-x', String(columns), '-y', String(rows))
  }

  /** What is on the screen; with `-e` also how it looks. */
  screen(...options: string[]): Promise<string> {
    return this.tmux('capture-pane', '-p', ...options)
  }

  async lines(): Promise<string[]> {
    return (await this.screen()).split('\n')
  }

  /** One of tmux's variables. */
  async variable(name: string): Promise<string> {
    return (await this.tmux('display', '-p', `#{${name}}`)).trim()
  }

  /** Waits until something is on the screen. Returns the screen. */
  async until(wanted: RegExp | ((screen: string) => boolean)): Promise<string> {
    const isThere = typeof wanted === 'function' ? wanted : (screen: string) => wanted.test(screen)
    for (const end = Date.now() + DEADLINE; ; await sleep(50)) {
      const screen = await this.screen()
      if (isThere(screen)) return screen
      if (Date.now() > end) throw new Error(`${wanted} did not come:\n${screen}`)
    }
  }

  /** The process id of the client that was started last. */
  get pid(): number {
    return Number(readFileSync(join(this.home, 'pid'), 'utf8'))
  }

  async tmux(...command: string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-u', '-S', this.#socket, '-f', '/dev/null', ...command])
    return stdout
  }
}
