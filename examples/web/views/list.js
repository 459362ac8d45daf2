import { element } from '../dom.js'
import { format } from '../format.js'
import { screenLink } from '../history.js'
import { session } from '../session.js'
import { text } from '../texts.js'

/** @import { List, Row } from 'screen-auth-client' */
/** @import { View } from './screen.js' */

/**
 * A table, of which a narrow window shows each row as a block (style.css): the roles say that it is a table all the
 * same. If it is too wide it scrolls sideways, with the keyboard too.
 *
 * @param {List} list
 * @param {string} title
 * @returns {View}
 */
export function listView({ columns, rows }, title) {
  const head = columns.map(({ label, align }) =>
    element('th', { role: 'columnheader', scope: 'col', dir: 'auto', class: align }, label)
  )
  const body = rows.map(row => element('tr', { role: 'row' }, ...cells(row, columns)))
  const table = element(
    'table',
    { role: 'table', 'aria-label': title },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    element('tbody', { role: 'rowgroup' }, ...body)
  )
  const region = element('div', { class: 'table', role: 'region', 'aria-label': title, tabindex: '0' }, table)
  const nodes = [region]
  if (rows.length === 0) nodes.push(element('p', { class: 'empty' }, text('nothing_here')))
  return { nodes: [element('div', { class: 'card wide list' }, ...nodes)], update() {} }
}

/**
 * The cells of a row. The first one has the link, which covers the row (style.css).
 *
 * @param {Row} row
 * @param {List['columns']} columns
 */
function cells({ values, url }, columns) {
  return columns.map(({ type, align, label }, index) => {
    const shown = format(type, values[index] ?? '', { yes: text('yes'), no: text('no') })
    const attributes = { role: 'cell', dir: 'auto', class: align, 'data-label': label }
    if (url === '' || index > 0) return element('td', attributes, shown)
    const open = () => session.open(url)
    const link = screenLink(shown.trim() || text('open'), url, open, { class: 'row-link', dir: undefined })
    return element('td', attributes, link)
  })
}
