// The content of a screen as lines, of which only some may fit on the terminal.
import type { Field, Item } from '../client/screen.js'

export type Style = 'strong' | 'faint' | 'focused' | 'input' | 'active'

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
export type Stop = { kind: 'field'; field: Field } | { kind: 'button' } | { kind: 'item'; item: Item }

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

  addStop(stop: Stop, line: Omit<Line, 'stop'>): void {
    this.lines.push({ ...line, stop: this.stops.length })
    this.stops.push(stop)
  }

  /** An empty line between two parts. */
  gap(): void {
    if (this.lines.length > 0) this.add('')
  }
}
