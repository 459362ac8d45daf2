import type { List } from 'screen-auth-client'
import { formatValue } from './format.ts'
import type { Sheet } from './sheet.ts'
import type { Say } from './texts.ts'
import { fit, pad, widthOf } from './width.ts'

const GAP = '  '
/** The minimum width of a column. */
const NARROWEST = 3

/** A list as it is drawn. */
interface Table {
  cells: string[][]
  /** The width that each column needs. */
  widths: number[]
}

/** Made once for each list, because it may be long. */
const tables = new WeakMap<List, Table>()

/** A table with a header that stays. */
export function addList(
  sheet: Sheet,
  list: List,
  width: number,
  say: Say,
  open: (url: string) => void
): void {
  sheet.gap()
  const { cells, widths } = tableOf(list, say)
  const columns = shrink(widths, width)
  const line = (texts: string[]) => {
    const fitted = columns.map((size, at) => pad(texts[at] ?? '', size, list.columns[at]?.align))
    return fit(fitted.join(GAP).trimEnd(), width)
  }
  if (columns.length > 0)
    sheet.pin({ draw: () => [{ text: line(list.columns.map(({ label }) => label)), style: 'strong' }] })
  const hints = [`↑↓ ${say('key_move', 'move')}`, `Enter ${say('key_open', 'open')}`]
  for (const [index, { url }] of list.rows.entries()) {
    const text = () => line(cells[index] ?? [])
    if (url === '') sheet.lines.push({ draw: () => [{ text: text() }] })
    else {
      sheet.addStop(
        { press: () => open(url), hints },
        { draw: isFocused => [{ text: text(), style: isFocused ? 'focused' : undefined }] }
      )
    }
  }
  if (list.rows.length === 0) sheet.add(say('nothing_here', 'Nothing here yet.'), 'faint')
}

function tableOf(list: List, say: Say): Table {
  const known = tables.get(list)
  if (known !== undefined) return known
  const cells = list.rows.map(({ values, url }) => {
    const [first = '', ...others] = values.map((value, at) =>
      formatValue(list.columns[at]?.type ?? '', value, say)
    )
    return [first.trim() === '' && url !== '' ? say('open', 'Open') : first, ...others]
  })
  const widths = list.columns.map(({ label }, at) =>
    cells.reduce((most, row) => Math.max(most, widthOfCell(row[at] ?? '')), widthOfCell(label))
  )
  tables.set(list, { cells, widths })
  return { cells, widths }
}

function widthOfCell(text: string): number {
  return widthOf(fit(text, 200))
}

/** Shortens the widest columns until all fit. */
function shrink(widths: number[], width: number): number[] {
  // Not more columns than can be seen.
  const columns = widths.slice(0, Math.ceil(width / NARROWEST))
  let tooMuch = columns.reduce((sum, size) => sum + size + GAP.length, -GAP.length) - width
  while (tooMuch > 0) {
    const widest = columns.indexOf(Math.max(...columns))
    if ((columns[widest] ?? 0) <= NARROWEST) break
    columns[widest] = (columns[widest] ?? 0) - 1
    tooMuch--
  }
  return columns
}
