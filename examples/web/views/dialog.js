import { render } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { html } from '../html.js'
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

/** Containers of dialogs: a question lies over a form. */
const [forms, questions] = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.dialogs')])

/**
 * Opens a dialog over the page. Closing the dialog, also with Esc, removes it.
 *
 * @param {Options} options
 */
export function openDialog(options, root = /** @type {HTMLElement} */ (forms)) {
  close(root)
  render(html`<${Dialog} ...${options} root=${root} />`, root)
}

/** Closes all dialogs. An open question resolves to no. */
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
  const onClosed = (/** @type {{ currentTarget: HTMLDialogElement }} */ { currentTarget }) => {
    onClose?.(currentTarget.returnValue)
    // Another dialog may have replaced this one.
    if (currentTarget.isConnected) render(null, root)
  }
  return html`<dialog ref=${ref} role=${role} aria-labelledby=${id} onClose=${onClosed}>
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
    const confirm = (/** @type {MouseEvent} */ { currentTarget }) =>
      /** @type {HTMLElement} */ (currentTarget).closest('dialog')?.close('yes')
    const question = {
      title: asked,
      role: 'alertdialog',
      content: (/** @type {() => void} */ close) => html`
        ${details && html`<p class="muted" dir="auto">${details}</p>`}
        <div class="buttons">
          <button type="button" autofocus onClick=${close}>${text('cancel')}</button>
          <button type="button" dir="auto" class=${about === 'action' ? 'primary' : 'danger'} onClick=${confirm}>${label}</button>
        </div>`,
      onClose: (/** @type {string} */ returned) => resolve(returned === 'yes')
    }
    openDialog(question, questions)
  })
}
