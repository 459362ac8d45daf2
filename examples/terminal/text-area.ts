// Where the lines of a long text are on the terminal, and where the cursor is in them.
import type { Editing } from './text-field.ts'
import { firstLine, graphemes, widthOf } from './width.ts'

/** A row of a wrapped text: where it begins and ends in the text. */
interface Row {
  from: number
  to: number
}

/** The rows of a text, broken between words if possible. */
export function rowsOf(value: string, width: number): Row[] {
  const rows: Row[] = []
  let from = 0
  for (const line of value.split('\n')) {
    const end = from + line.length
    do {
      const to = from + firstLine(value.slice(from, end), width).length
      rows.push({ from, to })
      // The space at which a line is broken is not shown.
      from = value[to] === ' ' ? to + 1 : to
    } while (from < end)
    from = end + 1
  }
  return rows
}

/** The row and the column of the cursor. */
export function placeOf({ value, cursor }: Editing, rows: Row[]): { row: number; column: number } {
  const row = rows.findLastIndex(({ from }) => from <= cursor)
  return { row, column: widthOf(value.slice(rows[row]?.from, cursor)) }
}

/** The cursor one row further; the same object when there is no such row. */
export function moveRow(editing: Editing, rows: Row[], by: 1 | -1): Editing {
  const { row, column } = placeOf(editing, rows)
  const target = rows[row + by]
  if (target === undefined) return editing
  let cursor = target.from
  let used = 0
  for (const grapheme of graphemes(editing.value.slice(target.from, target.to))) {
    used += widthOf(grapheme)
    if (used > column) break
    cursor += grapheme.length
  }
  return { value: editing.value, cursor }
}
