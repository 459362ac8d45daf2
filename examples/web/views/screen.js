import { element } from '../dom.js'
import { formView } from './form.js'
import { listView } from './list.js'
import { menuView } from './menu.js'

/** @import { Session } from '../../client/session.js' */
/** @import { Screen } from '../../client/screen.js' */
/** @import { View } from './view.js' */

/**
 * Draws all known parts of a screen, whatever its layout is.
 *
 * @param {Screen} screen
 * @param {Session} session
 * @returns {View}
 */
export function screenView(screen, session) {
  /** @type {View[]} */
  const views = []
  if (screen.sections.length > 0 || screen.authAction || screen.saveAction)
    views.push(formView(screen, session))
  if (screen.menu) views.push(menuView(screen.menu, session))
  if (screen.list) views.push(listView(screen.list, screen.title, session))
  if (views.length === 0) views.push(nothing(screen.layout))
  return {
    nodes: views.flatMap(({ nodes }) => nodes),
    focus: views[0]?.focus,
    update(state) {
      for (const view of views) view.update(state)
    }
  }
}

/**
 * @param {string} layout
 * @returns {View}
 */
function nothing(layout) {
  const text = layout === 'Card' ? 'This screen is empty.' : `This client cannot draw the layout "${layout}".`
  return { nodes: [element('p', { class: 'card' }, text)], update() {} }
}
