import { element } from '../dom.js'

/** @import { List } from '../../client/screen.js' */
/** @import { View } from './view.js' */

/**
 * A table, which scrolls sideways where it is too wide: by keyboard, too.
 *
 * @param {List} list
 * @param {string} title
 * @returns {View}
 */
export function listView({ columns, rows }, title) {
  const head = columns.map(label => element('th', { scope: 'col', dir: 'auto' }, label))
  const body = rows.map(row => element('tr', {}, ...row.map(cell => element('td', { dir: 'auto' }, cell))))
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
