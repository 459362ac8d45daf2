import { button, element, setText } from '../dom.js'
import { session } from '../session.js'
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

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/**
 * Shown when there is no screen. It counts down to the next try, if there will be one.
 *
 * @returns {View}
 */
export function failedView() {
  const message = element('p', { dir: 'auto' })
  const countdown = element('p', { class: 'muted' })
  const retry = button('', () => session.retry(), { class: 'primary' })
  return {
    nodes: [element('div', { class: 'card narrow' }, message, countdown, retry)],
    focus: retry,
    update(state) {
      if (state.name !== 'failed') return
      const kept = session.isLoggedIn ? ` ${text('stay_logged_in')}` : ''
      setText(message, state.message.text + kept)
      setText(retry, text(state.busy ? 'trying_again' : 'try_again'))
      retry.setAttribute('aria-disabled', String(state.busy))
      count()
    }
  }

  function count() {
    const { state } = session
    const retryAt = state.name === 'failed' ? state.retryAt : null
    countdown.hidden = retryAt === null
    if (retryAt === null) return
    const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))
    setText(countdown, `${text('trying_again_in')} ${seconds} s`)
    clearTimeout(timer)
    timer = setTimeout(count, 1000)
  }
}
