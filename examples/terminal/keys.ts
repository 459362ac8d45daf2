// What is typed, as keys. Node's own parser takes the escape sequences apart; here the keys that come in one piece are
// looked at together, because only so a paste can be told from somebody who types.
import { emitKeypressEvents, type Interface, type Key as Keypress } from 'node:readline'
import type { ReadStream } from 'node:tty'

export interface Key {
  name:
    | 'text'
    | 'enter'
    | 'escape'
    | 'tab'
    | 'back-tab'
    | 'up'
    | 'down'
    | 'left'
    | 'right'
    | 'home'
    | 'end'
    | 'page-up'
    | 'page-down'
    | 'backspace'
    | 'delete'
    | 'clear'
    | 'log-out'
    | 'quit'
  /** What was typed or pasted, when it is a text. */
  text: string
}

/** Milliseconds after which an ESC is the key of that name, and not the beginning of a sequence. */
const ESCAPE_TIMEOUT = 50

/** Milliseconds without input after which a paste is over whose end was lost: the keys must not stay dead. */
const PASTE_TIMEOUT = 500

const ESC = '\x1b'

const NAMES: Record<string, Key['name']> = {
  return: 'enter',
  // A line feed: Enter while the terminal was not taken yet, and what a script sends for it.
  enter: 'enter',
  escape: 'escape',
  tab: 'tab',
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
  home: 'home',
  end: 'end',
  pageup: 'page-up',
  pagedown: 'page-down',
  backspace: 'backspace',
  delete: 'delete'
}

const CONTROL_NAMES: Record<string, Key['name']> = {
  a: 'home',
  c: 'quit',
  e: 'end',
  l: 'log-out',
  u: 'clear'
}

/** Calls `onKey` for each key, from now on. */
export function listenToKeys(input: ReadStream, onKey: (key: Key) => void): void {
  let keys: Key[] = []
  let pasted: string | null = null
  let pasteTimer: NodeJS.Timeout | undefined

  // Of Interface only this is read.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_TIMEOUT } as unknown as Interface)
  input.on('keypress', (text: string | undefined, press: Keypress) => {
    if (keys.length === 0) queueMicrotask(flush)
    if (press.name === 'paste-start') pasted = ''
    else if (press.name === 'paste-end') endPaste()
    else if (pasted === null) keys.push(...readKeypress(text, press))
    else pasted += press.sequence ?? ''

    clearTimeout(pasteTimer)
    if (pasted !== null) pasteTimer = setTimeout(endPaste, PASTE_TIMEOUT)
  })

  function endPaste(): void {
    if (pasted === null) return
    if (keys.length === 0) queueMicrotask(flush)
    keys.push({ name: 'text', text: pasted })
    pasted = null
  }

  function flush(): void {
    const piece = keys
    keys = []
    for (const key of joinTexts(piece)) onKey(key)
  }
}

/** One key; or two, when Esc was pressed just before the other. */
function readKeypress(text: string | undefined, { name = '', sequence = '', ...press }: Keypress): Key[] {
  const isEscaped = sequence.startsWith(ESC) && /^\p{Cc}|^$/u.test(sequence.slice(1))
  const known = press.ctrl ? CONTROL_NAMES[name] : name === 'tab' && press.shift ? 'back-tab' : NAMES[name]
  if (isEscaped && known !== 'escape') return [...key('escape'), ...key(known)]
  if (known !== undefined) return key(known)
  return text === undefined || press.ctrl || press.meta ? [] : [{ name: 'text', text }]
}

function key(name: Key['name'] | undefined): Key[] {
  return name === undefined ? [] : [{ name, text: '' }]
}

/**
 * Puts texts together. An Enter between two of them, in one piece, was not typed: it is a line break in a paste that
 * the terminal does not mark as one.
 */
function joinTexts(keys: Key[]): Key[] {
  const joined: Key[] = []
  keys.forEach((key, index) => {
    const last = joined.at(-1)
    if (key.name === 'enter' && last?.name === 'text') {
      const next = keys.slice(index).find(({ name }) => name !== 'enter')
      if (next?.name === 'text') return
    }
    if (key.name === 'text' && last?.name === 'text') last.text += key.text
    else joined.push({ ...key })
  })
  return joined
}
