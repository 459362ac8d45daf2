import { element } from '../dom.js'
import { text } from '../texts.js'
import { actionsView } from './actions.js'
import { formView, valuesView } from './form.js'
import { listView } from './list.js'
import { menuView } from './menu.js'

/** @import { Screen, State } from 'screen-auth-client' */

/**
 * The content between the header and the bar.
 *
 * @typedef {object} View
 * @property {Node[]} nodes
 * @property {(state: State) => void} update shows another state of the same screen; also called after the first draw
 * @property {HTMLElement | undefined} [focus] the element that gets the focus, by default the title
 */

/**
 * Draws all known parts of a screen, whatever its layout is.
 *
 * @param {Screen} screen
 * @returns {View}
 */
export function screenView(screen) {
  const { actions, authAction, createUrl, layout, list, menu, screenActions, sections, title } = screen
  /** @type {View[]} */
  const views = []
  const buttons = screenActions.length > 0 || createUrl ? [actionsView(screen)] : []
  if (!authAction) views.push(...buttons)
  if (authAction || actions.save || actions.create) views.push(formView(screen))
  else if (sections.length > 0 || actions.delete) views.push(valuesView(screen))
  if (authAction) views.push(...buttons)
  if (menu) views.push(menuView(menu))
  if (list) views.push(listView(list, title))
  if (views.length === 0) {
    const says = layout === 'Card' ? text('empty_screen') : `${text('unknown_layout')} "${layout}".`
    views.push({ nodes: [element('p', { class: 'card', dir: 'auto' }, says)], update() {} })
  }
  return {
    nodes: views.flatMap(({ nodes }) => nodes),
    focus: views.find(({ focus }) => focus !== undefined)?.focus,
    update(state) {
      for (const view of views) view.update(state)
    }
  }
}
