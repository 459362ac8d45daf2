import { element } from '../dom.js'
import { format } from '../format.js'
import { addressOf } from '../history.js'
import { text } from '../texts.js'
import { opener } from './item.js'

/** @import { List, Row, Session } from 'screen-auth-client' */
/** @import { View } from './view.js' */

/**
 * A table, of which a narrow window shows each row as a block (style.css): the roles say that it is a table all the
 * same. If it is too wide it scrolls sideways, with the keyboard too.
 *
 * @param {List} list
 * @param {string} title
 * @param {Session} session
 * @returns {View}
 */
export function listView({ columns, rows }, title, session) {
  const head = columns.map(({ label, align }) =>
    element('th', { role: 'columnheader', scope: 'col', dir: 'auto', class: align }, label)
  )
  const body = rows.map(row => element('tr', { role: 'row' }, ...cells(row, columns, session)))
  const table = element(
    'table',
    { role: 'table', 'aria-label': title },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    element('tbody', { role: 'rowgroup' }, ...body)
  )
  const region = element('div', { class: 'table', role: 'region', 'aria-label': title, tabindex: '0' }, table)
  const nodes = [region]
  if (rows.length === 0) nodes.push(element('p', { class: 'empty' }, text(session, 'nothing_here')))
  return { nodes: [element('div', { class: 'card wide list' }, ...nodes)], update() {} }
}

/**
 * The cells of a row. The first one has the link, which covers the row (style.css).
 *
 * @param {Row} row
 * @param {List['columns']} columns
 * @param {Session} session
 */
function cells({ values, url }, columns, session) {
  const words = { yes: text(session, 'yes'), no: text(session, 'no') }
  return columns.map(({ type, align, label }, index) => {
    const shown = format(type, values[index] ?? '', words)
    const attributes = { role: 'cell', dir: 'auto', class: align, 'data-label': label }
    if (url === '' || index > 0) return element('td', attributes, shown)
    const href = addressOf(session, session.pathOf(url))
    const link = { class: 'row-link', href, click: opener(() => session.open(url)) }
    return element('td', attributes, element('a', link, shown.trim() || text(session, 'open')))
  })
}
