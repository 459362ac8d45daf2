import { element } from '../dom.js'
import { text } from '../texts.js'
import { actionsView } from './actions.js'
import { formView, valuesView } from './form.js'
import { listView } from './list.js'
import { menuView } from './menu.js'

/** @import { Screen, Session } from 'screen-auth-client' */
/** @import { View } from './view.js' */

/**
 * Draws all known parts of a screen, whatever its layout is.
 *
 * @param {Screen} screen
 * @param {Session} session
 * @returns {View}
 */
export function screenView(screen, session) {
  const { actions, authAction, createUrl, list, menu, screenActions, sections } = screen
  /** @type {View[]} */
  const views = []
  if (screenActions.length > 0 || createUrl) views.push(actionsView(screen, session))
  if (authAction || actions.save || actions.create) views.push(formView(screen, session))
  else if (sections.length > 0 || actions.delete) views.push(valuesView(screen, session))
  if (menu) views.push(menuView(menu, session))
  if (list) views.push(listView(list, screen.title, session))
  if (views.length === 0) views.push(nothing(screen.layout, session))
  return {
    nodes: views.flatMap(({ nodes }) => nodes),
    focus: views.find(({ focus }) => focus !== undefined)?.focus,
    update(state) {
      for (const view of views) view.update(state)
    }
  }
}

/**
 * @param {string} layout
 * @param {Session} session
 * @returns {View}
 */
function nothing(layout, session) {
  const says =
    layout === 'Card' ? text(session, 'empty_screen') : `${text(session, 'unknown_layout')} "${layout}".`
  return { nodes: [element('p', { class: 'card', dir: 'auto' }, says)], update() {} }
}
