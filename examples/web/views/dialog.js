import { render } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'

/** @import { VNode } from 'preact' */
/** @import { Question } from 'screen-auth-client' */

/**
 * @typedef {object} Options
 * @property {string} title
 * @property {string} [role]
 * @property {(close: () => void) => VNode} content
 * @property {(returned: string) => void} [onClose]
 */

/** A question stands over a form. */
const [forms, questions] = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.dialogs')])

/**
 * Opens a dialog over the page. It is gone when it is closed, which Esc does as well.
 *
 * @param {Options} options
 */
export function openDialog(options, root = /** @type {HTMLElement} */ (forms)) {
  close(root)
  render(html`<${Dialog} ...${options} root=${root} />`, root)
}

/** Says no to an open question. */
export function closeDialogs() {
  for (const root of [questions, forms]) close(/** @type {HTMLElement} */ (root))
}

/** @param {HTMLElement} root */
function close(root) {
  root.querySelector('dialog')?.close()
  render(null, root)
}

/** @param {Options & { root: HTMLElement }} props */
function Dialog({ title, role, content, onClose, root }) {
  const id = `${role ?? 'dialog'}-title`
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useLayoutEffect(() => ref.current?.showModal(), [])
  const closed = (/** @type {{ currentTarget: HTMLDialogElement }} */ { currentTarget }) => {
    onClose?.(currentTarget.returnValue)
    // Meanwhile there may be another one.
    if (currentTarget.isConnected) render(null, root)
    // The help was opened from a menu that is closed now.
    if (document.activeElement === document.body) document.getElementById('account')?.focus()
  }
  return html`<dialog ref=${ref} role=${role} aria-labelledby=${id} lang=${session.language} onClose=${closed}>
    <h2 id=${id} dir="auto">${title}</h2>
    ${content(() => ref.current?.close())}
  </dialog>`
}

/**
 * Asks a question of the session. Esc says no.
 *
 * @param {Question} question
 * @returns {Promise<boolean>}
 */
export function ask({ about, text: asked, details, label }) {
  return new Promise(resolve => {
    const say = (/** @type {MouseEvent} */ { currentTarget }) =>
      /** @type {HTMLElement} */ (currentTarget).closest('dialog')?.close('yes')
    const question = {
      title: asked,
      role: 'alertdialog',
      content: (/** @type {() => void} */ close) => html`
        ${details && html`<p class="muted" dir="auto">${details}</p>`}
        <div class="buttons">
          <button type="button" autofocus onClick=${close}>${text('cancel')}</button>
          <button type="button" dir="auto" class=${about === 'action' ? 'primary' : 'danger'} onClick=${say}>${label}</button>
        </div>`,
      onClose: (/** @type {string} */ returned) => resolve(returned === 'yes')
    }
    openDialog(question, questions)
  })
}
