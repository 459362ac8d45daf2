// The terminal itself: takes it over, paints whole frames, and gives it back as it was.
import type { ReadStream, WriteStream } from 'node:tty'
import { graphemes, widthOf } from './width.ts'

/** Alternate screen, no automatic line breaks, pastes marked as such, no cursor. */
const ENTER = '\x1b[?1049h\x1b[?7l\x1b[?2004h\x1b[?25l'
/** Empty before, for terminals without an alternate screen. */
const LEAVE = '\x1b[0m\x1b[2J\x1b[H\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'

const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const CLEAR = '\x1b[2J'
const COLOUR = /(\p{Cc}\[[\d;]*m)/u

/** The size of a terminal that does not report one. */
const USUAL = { columns: 80, rows: 24 }

export interface Size {
  columns: number
  rows: number
}

export interface Position {
  row: number
  column: number
}

/** What the terminal shows: its lines, with their styles. */
export interface Frame {
  lines: string[]
  /** Null hides the cursor. */
  cursor: Position | null
}

export class FullScreen {
  /** Makes the frame that is painted next. */
  draw: (size: Size) => Frame = () => ({ lines: [], cursor: null })
  readonly #input: ReadStream
  readonly #output: WriteStream
  #isOpen = false
  /** The lines that the terminal shows; empty when they are unknown. */
  #painted: string[] = []
  #isPlanned = false

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input
    this.#output = output
    output.on('resize', () => this.repaint())
  }

  get size(): Size {
    const { columns, rows } = this.#output
    return { columns: columns || USUAL.columns, rows: rows || USUAL.rows }
  }

  enter(): void {
    this.#isOpen = true
    // Off and on: after a shell has used the terminal, Node wrongly assumes that it is still in raw mode.
    this.#input.setRawMode(false)
    this.#input.setRawMode(true)
    this.#output.write(ENTER)
    this.repaint()
  }

  /** May be called at any time and more than once. */
  leave(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#output.write(LEAVE)
    try {
      this.#input.setRawMode(false)
    } catch {
      // The terminal is closed.
    }
  }

  /** Paints everything again: after a resize it is unknown what the terminal shows. */
  repaint(): void {
    this.#painted = []
    this.update()
  }

  /** Paints what has changed, once for many keys at a time. */
  update(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      this.#paint()
    })
  }

  #paint(): void {
    if (!this.#isOpen) return
    const { rows } = this.size
    const { lines, cursor } = this.draw(this.size)
    const frame = lines.slice(0, rows)
    const isFirst = this.#painted.length === 0
    const changes = Array.from({ length: rows }, (_, row) => {
      const line = frame[row] ?? ''
      return line === (this.#painted[row] ?? '') ? '' : `${at(row, 0)}\x1b[2K${steady(line, row)}`
    }).join('')
    const shownCursor = cursor === null ? '' : at(cursor.row, cursor.column) + SHOW_CURSOR
    this.#painted = frame
    this.#output.write(HIDE_CURSOR + (isFirst ? CLEAR : '') + changes + shownCursor)
  }
}

function at(row: number, column: number): string {
  return `\x1b[${row + 1};${column + 1}H`
}

/**
 * Terminals differ in the width of emoji and of letters with combining marks. After each of them the cursor is moved to
 * the right column, so that the text after it stays in place.
 */
function steady(line: string, row: number): string {
  let column = 0
  let steadied = ''
  for (const part of line.split(COLOUR)) {
    if (part.startsWith('\x1b')) {
      steadied += part
      continue
    }
    for (const grapheme of graphemes(part)) {
      column += widthOf(grapheme)
      steadied += grapheme.length > 1 || grapheme > '\u2fff' ? grapheme + at(row, column) : grapheme
    }
  }
  return steadied
}
