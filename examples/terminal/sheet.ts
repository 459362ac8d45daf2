// What a view shows, as lines, of which only some may fit on the terminal.
import type { Key } from './keys.ts'
import { fit } from './width.ts'

export type Style = 'strong' | 'faint' | 'focused' | 'input' | 'placeholder' | 'active' | 'error'

export interface Segment {
  text: string
  style?: Style | undefined
}

export interface Line {
  /** Called only for visible lines: a list may be very long. */
  draw(isFocused: boolean): Segment[]
  /** The column of the cursor, on a line with an input. */
  cursor?: number
  /** The index of the stop that is on this line. */
  stop?: number
}

/** An element that can get the focus. */
export interface Stop {
  /** Enter or Space was pressed. */
  press(): void
  /** Has each key first. Returns false when the element has no use for it. */
  key?(key: Key): boolean
  /** Its keys, for the last line. */
  hints: string[]
  /** Whether it wants the focus at first: 2 before 1. */
  wish?: 0 | 1 | 2
}

export class Sheet {
  /** Lines that stay at the top while the others scroll: tabs, the header of a list. */
  readonly pinned: Line[] = []
  readonly lines: Line[] = []
  readonly stops: Stop[] = []

  add(text: string, style?: Style): void {
    this.lines.push({ draw: () => [{ text, style }] })
  }

  /** Adds a line that stays at the top, if no other line is above it. */
  pin(line: Line): void {
    if (this.lines.length === 0) this.pinned.push(line)
    else this.lines.push(line)
  }

  /** Adds a stop with its lines. */
  addStop(stop: Stop, ...lines: Omit<Line, 'stop'>[]): void {
    for (const line of lines) this.lines.push({ ...line, stop: this.stops.length })
    this.stops.push(stop)
  }

  addButton(label: string, width: number, press: () => void): void {
    this.addStop(
      { press, hints: [`Enter ${label.toLowerCase()}`] },
      { draw: isFocused => [{ text: fit(`[ ${label} ]`, width), style: isFocused ? 'active' : undefined }] }
    )
  }

  /** An empty line between two parts. */
  gap(): void {
    if (this.lines.length > 0) this.add('')
  }
}
