import type { List } from '../client/screen.js'
import type { Sheet } from './sheet.ts'
import { fit, pad, padStart, widthOf } from './width.ts'

const GAP = '  '
/** The minimum width of a column. */
const NARROWEST = 3

const widths = new WeakMap<List, number[]>()

/** A table with a header that stays. */
export function addList(sheet: Sheet, list: List, width: number): void {
  sheet.gap()
  const columns = shrink(naturalWidths(list), width)
  const line = (cells: string[]) => {
    const last = columns.length - 1
    const fitted = columns.map((size, index) => {
      const cell = cells[index] ?? ''
      if (list.columns[index]?.isRight) return padStart(cell, size)
      return index === last ? fit(cell, size) : pad(cell, size)
    })
    return fit(fitted.join(GAP), width)
  }
  if (columns.length > 0)
    sheet.pin({ draw: () => [{ text: line(list.columns.map(({ label }) => label)), style: 'strong' }] })
  for (const { cells, item } of list.rows) {
    if (item === null) sheet.lines.push({ draw: () => [{ text: line(cells) }] })
    else {
      sheet.addStop(
        { kind: 'item', item },
        { draw: isFocused => [{ text: line(cells), style: isFocused ? 'focused' : undefined }] }
      )
    }
  }
  if (list.rows.length === 0) sheet.add('Nothing here yet.', 'faint')
}

/** The width that each column needs. Computed once, because the list may be long. */
function naturalWidths(list: List): number[] {
  const known = widths.get(list)
  if (known) return known
  const found = list.columns.map(({ label }, index) =>
    list.rows.reduce((most, { cells }) => Math.max(most, widthOfCell(cells[index] ?? '')), widthOfCell(label))
  )
  widths.set(list, found)
  return found
}

function widthOfCell(text: string): number {
  return widthOf(fit(text, 200))
}

/** Shortens the widest columns until all fit. */
function shrink(natural: number[], width: number): number[] {
  const columns = [...natural]
  let tooMuch = columns.reduce((sum, size) => sum + size + GAP.length, -GAP.length) - width
  while (tooMuch > 0) {
    const widest = columns.indexOf(Math.max(...columns))
    if ((columns[widest] ?? 0) <= NARROWEST) break
    columns[widest] = (columns[widest] ?? 0) - 1
    tooMuch--
  }
  return columns
}
