import { element } from '../dom.js'
import { itemNode } from './item.js'

/** @import { Session } from '../../client/session.js' */
/** @import { Column, List, Row } from '../../client/screen.js' */
/** @import { View } from './view.js' */

/**
 * A table. If it is too wide it scrolls sideways, with the keyboard too.
 *
 * @param {List} list
 * @param {string} title
 * @param {Session} session
 * @returns {View}
 */
export function listView({ columns, rows }, title, session) {
  const head = columns.map(column => element('th', { scope: 'col', ...looks(column) }, column.label))
  const body = rows.map(row => element('tr', {}, ...rowCells(row, columns, session)))
  const table = element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body)
  )
  const region = element(
    'div',
    { class: 'table', role: 'region', 'aria-label': title || 'List', tabindex: '0' },
    table
  )
  const nodes = [region]
  if (rows.length === 0) nodes.push(element('p', { class: 'empty' }, 'Nothing here yet.'))
  return { nodes: [element('div', { class: 'card wide' }, ...nodes)], update() {} }
}

/**
 * The cells of a row. The first one has the link.
 *
 * @param {Row} row
 * @param {Column[]} columns
 * @param {Session} session
 */
function rowCells({ cells, item }, columns, session) {
  return columns.map((column, index) =>
    item !== null && index === 0
      ? element('td', { class: 'item' }, itemNode(item, session))
      : element('td', looks(column), cells[index] ?? '')
  )
}

/** @param {Column} column */
function looks({ isRight }) {
  return { dir: 'auto', ...(isRight && { class: 'right' }) }
}
