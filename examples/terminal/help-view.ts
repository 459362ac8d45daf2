import type { Key } from './keys.ts'
import { Pane } from './pane.ts'
import { Sheet } from './sheet.ts'
import type { Say } from './texts.ts'
import type { Context, View } from './view.ts'
import { pad, widthOf, wrap } from './width.ts'

const GAP = 3

/** All keys and what they do. */
function keysOf(say: Say): [string, string][] {
  return [
    ['Tab  Shift-Tab  ↑  ↓', say('key_move', 'move')],
    ['Page ↑  Page ↓  Home  End', say('key_jump', 'move far')],
    ['Enter', `${say('key_open', 'open')}, ${say('key_save', 'save')}`],
    ['← →', `${say('key_tabs', 'tabs')}, ${say('key_choose', 'choose')}`],
    [say('key_space', 'Space'), say('key_choose', 'choose')],
    ['Ctrl-S', say('key_save', 'save')],
    ['Ctrl-U', say('key_clear', 'empty the field')],
    ['Esc', say('key_back', 'back')],
    ['Ctrl-L', say('key_log_out', 'log out')],
    ['Ctrl-C', say('key_quit', 'quit')],
    ['F1  ?', say('key_help', 'help')]
  ]
}

export class HelpView implements View {
  readonly title: string
  readonly pane: Pane
  readonly hints: string[]
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
    this.title = context.say('keys', 'Keys')
    this.hints = [`Esc ${context.say('key_close', 'close')}`]
    this.pane = new Pane(width => this.#build(width))
  }

  key(key: Key): boolean {
    if (this.pane.key(key)) return true
    if (key.name === 'escape' || key.name === 'enter' || key.name === 'help') this.#context.close()
    return true
  }

  #build(width: number): Sheet {
    const sheet = new Sheet()
    const keys = keysOf(this.#context.say)
    const column = Math.min(Math.max(...keys.map(([key]) => widthOf(key))), Math.floor(width / 2))
    for (const [key, meaning] of keys) {
      const [first = '', ...more] = wrap(meaning, Math.max(1, width - column - GAP), 3)
      for (const [index, text] of [first, ...more].entries()) {
        const name = pad(index === 0 ? key : '', column) + ' '.repeat(GAP)
        sheet.lines.push({ draw: () => [{ text: name, style: 'strong' }, { text }] })
      }
    }
    return sheet
  }
}
