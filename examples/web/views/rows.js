import { element } from '../dom.js'

/** @import { Section } from 'screen-auth-client' */

/**
 * The sections below each other, those of the same row group side by side.
 *
 * @param {Section[]} sections
 * @param {HTMLElement[]} nodes one for each section
 */
export function rowsOf(sections, nodes) {
  /** @type {HTMLElement[]} */
  const rows = []
  nodes.forEach((node, index) => {
    const rowGroup = sections[index]?.rowGroup
    const isNew = rowGroup === undefined || rowGroup !== sections[index - 1]?.rowGroup
    if (isNew) rows.push(element('div', { class: 'row' }))
    rows.at(-1)?.append(node)
  })
  return rows
}
