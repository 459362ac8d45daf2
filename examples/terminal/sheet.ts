// The content of a screen as lines, before it is known which of them fit on the terminal.
import type { Field, Item } from '../client/screen.js'

export type Style = 'strong' | 'faint' | 'focused' | 'input' | 'active'

export interface Segment {
  text: string
  style?: Style | undefined
}

export interface Line {
  /** Is asked only for a line that is seen: a list may have very many. */
  draw(isFocused: boolean): Segment[]
  /** The column of the cursor, on a line with an input. */
  cursor?: number
  /** The index of the stop that is on this line. */
  stop?: number
}

/** What the focus can be on. */
export type Stop = { kind: 'field'; field: Field } | { kind: 'button' } | { kind: 'item'; item: Item }

export class Sheet {
  /** Stay at the top while the others scroll: tabs, the header of a list. */
  readonly pinned: Line[] = []
  readonly lines: Line[] = []
  readonly stops: Stop[] = []

  add(text: string, style?: Style): void {
    this.lines.push({ draw: () => [{ text, style }] })
  }

  /** A line to stay at the top, if nothing is above it. */
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
