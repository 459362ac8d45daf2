// Reads input as keys. Node parses the escape sequences. The keys of one chunk are handled together, because that is the
// only way to tell a paste from typing.
import { emitKeypressEvents, type Interface, type Key as Keypress } from 'node:readline'
import type { ReadStream } from 'node:tty'

/** Milliseconds after which an ESC is the Esc key, and not the start of an escape sequence. */
const ESCAPE_TIMEOUT = 50

/** Milliseconds without input after which a paste is over even if its end marker was lost. */
const PASTE_TIMEOUT = 500

const ESC = '\x1b'

/** Our names of Node's keys. */
const NAMES = {
  return: 'enter',
  // A line feed: Enter before raw mode, or from a script.
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
  delete: 'delete',
  f1: 'help'
} as const

/** Those with Ctrl. */
const CONTROL_NAMES = {
  a: 'home',
  c: 'quit',
  e: 'end',
  l: 'log-out',
  r: 'reload',
  s: 'save',
  u: 'clear',
  z: 'suspend'
} as const

type Value<T> = T[keyof T]
type Name = 'text' | 'back-tab' | Value<typeof NAMES> | Value<typeof CONTROL_NAMES>

export interface Key {
  name: Name
  /** The typed or pasted text, if any. */
  text: string
}

/** Calls `onKey` for each key. */
export function listenToKeys(input: ReadStream, onKey: (key: Key) => void): void {
  let keys: Key[] = []
  let pasted: string | null = null
  let pasteTimer: NodeJS.Timeout | undefined

  // Node reads only this property of the Interface.
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

/** One key, or two when Esc was pressed just before. */
function readKeypress(text: string | undefined, { name = '', sequence = '', ...press }: Keypress): Key[] {
  const isEscaped = sequence.startsWith(ESC) && /^\p{Cc}|^$/u.test(sequence.slice(1))
  const names: Record<string, Name> = press.ctrl ? CONTROL_NAMES : NAMES
  const known = name === 'tab' && press.shift ? 'back-tab' : names[name]
  if (isEscaped && known !== 'escape') return [...key('escape'), ...key(known)]
  if (known !== undefined) return key(known)
  return text === undefined || press.ctrl || press.meta ? [] : [{ name: 'text', text }]
}

function key(name: Name | undefined): Key[] {
  return name === undefined ? [] : [{ name, text: '' }]
}

/**
 * Joins texts. An Enter between two texts of one chunk was not typed: it is a line break in a paste that the terminal
 * does not mark.
 */
function joinTexts(keys: Key[]): Key[] {
  const joined: Key[] = []
  keys.forEach((key, index) => {
    const last = joined.at(-1)
    const next = keys.slice(index).find(({ name }) => name !== 'enter')
    if (last?.name !== 'text' || next?.name !== 'text') joined.push({ ...key })
    else last.text += key.name === 'enter' ? '\n' : key.text
  })
  return joined
}
