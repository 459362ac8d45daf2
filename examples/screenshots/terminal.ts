// A picture of the terminal client: what tmux has on its screen, drawn by a browser.
import type { Browser } from 'playwright-core'
import { Terminal } from '../../test/examples/terminal/tmux.ts'

/** What the client looks like in a dark terminal. */
const STYLE = `
  body { margin: 0 }
  pre { position: relative; display: inline-block; margin: 0; padding: 1em; color: #d7dae0; background: #1b1d23;
    font: 14px/20px 'DejaVu Sans Mono', monospace }
  .s1 { font-weight: bold } .s2 { color: #868d9a } .s4 { box-shadow: inset 0 -1px #868d9a }
  .s31 { color: #ff7b72 } .s36 { color: #56d4dd }
  .s7 { color: #1b1d23; background: #56d4dd }
  i { position: absolute; left: calc(1em + 1ch * var(--x)); top: calc(1em + 20px * var(--y) + 2px);
    width: 2px; height: 16px; background: #56d4dd }`

/** Saves a picture of the client after `use`. */
export async function takeTerminal(
  browser: Browser,
  url: string,
  path: string,
  use: (terminal: Terminal) => Promise<unknown>
): Promise<void> {
  const cleaners: (() => void)[] = []
  const scope = { teardown: (clean: () => void) => void cleaners.push(clean) }
  const page = await browser.newPage({ deviceScaleFactor: 2 })
  try {
    const terminal = await Terminal.start(scope, url, { rows: 26, env: { LC_ALL: 'en_US.UTF-8' } })
    await use(terminal)
    const [column, row] = [await terminal.variable('cursor_x'), await terminal.variable('cursor_y')]
    const cursor = (await terminal.variable('cursor_flag')) === '1' ? '<i></i>' : ''
    // -N: also the spaces at the end of an input.
    const screen = toHtml((await terminal.screen('-e', '-N')).trimEnd())
    await page.setContent(
      `<style>${STYLE}</style><pre style="--x: ${column}; --y: ${row}">${screen}${cursor}</pre>`
    )
    await page.locator('pre').screenshot({ path })
  } finally {
    await page.close()
    for (const clean of cleaners.reverse()) clean()
  }
}

/** What ends each style. */
const OFF: Record<number, number[]> = { 22: [1, 2], 24: [4], 27: [7], 39: [31, 36], 49: [] }

/** A class for each style that is on: 1 is bold, 2 is faint, 4 is underlined, 7 is inverse, 3x are colours. */
function toHtml(screen: string): string {
  let on: number[] = []
  return screen
    .split(/\p{Cc}\[([\d;]*)m/u)
    .map((part, index) => {
      if (index % 2 === 0)
        return `<span class="${on.map(code => `s${code}`).join(' ')}">${asText(part)}</span>`
      for (const code of part.split(';').map(Number)) on = turn(on, code)
      return ''
    })
    .join('')
}

function turn(on: number[], code: number): number[] {
  if (code === 0) return []
  const off = OFF[code]
  return off === undefined ? [...on, code] : on.filter(one => !off.includes(one))
}

function asText(text: string): string {
  return text.replace(/[&<]/g, character => `&#${character.charCodeAt(0)};`)
}
