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
    ['Ctrl-R', say('key_reload', 'load again')],
    ['Esc', say('key_back', 'back')],
    ['Ctrl-L', say('key_log_out', 'log out')],
    ['Ctrl-Z', say('key_suspend', 'pause')],
    ['Ctrl-C', say('key_quit', 'quit')],
    ['F1  ?', say('key_help', 'help')]
  ]
}

/** The help. It has all keys, until one closes it. */
export function helpView({ say, close }: Context): View {
  const pane = new Pane(width => {
    const sheet = new Sheet()
    const keys = keysOf(say)
    const column = Math.min(Math.max(...keys.map(([key]) => widthOf(key))), Math.floor(width / 2))
    for (const [key, meaning] of keys) {
      for (const [index, text] of wrap(meaning, Math.max(1, width - column - GAP), 3).entries()) {
        const name = pad(index === 0 ? key : '', column) + ' '.repeat(GAP)
        sheet.lines.push({ draw: () => [{ text: name, style: 'strong' }, { text }] })
      }
    }
    return sheet
  })
  return {
    title: say('keys', 'Keys'),
    pane,
    hints: [`Esc ${say('key_close', 'close')}`],
    key(key) {
      if (!pane.key(key) && ['escape', 'enter', 'help'].includes(key.name)) close()
      return true
    }
  }
}
