import { render } from 'preact'
import { html } from '../html.js'
import { text } from '../texts.js'

/** @import { VNode } from 'preact' */
/** @import { Question } from 'screen-auth-client' */

/** Containers of dialogs: a question lies over a form. */
const [forms, questions] = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.dialogs')])

/**
 * Opens a dialog over the page. Closing the dialog, also with Esc, removes it.
 *
 * @param {{ title: string, content: VNode, role?: string, onClose?: (returned: string) => void }} options
 */
export function openDialog({ title, content, role, onClose }, root = /** @type {HTMLElement} */ (forms)) {
  close(root)
  const id = `${role ?? 'dialog'}-title`
  const dialog = html`<dialog role=${role} aria-labelledby=${id} onClose=${onClosed}>
    <h2 id=${id} dir="auto">${title}</h2>
    ${content}
  </dialog>`
  render(dialog, root)
  root.querySelector('dialog')?.showModal()

  /** @param {{ currentTarget: HTMLDialogElement }} event */
  function onClosed({ currentTarget }) {
    onClose?.(currentTarget.returnValue)
    // Another dialog may have replaced this one.
    if (currentTarget.isConnected) render(null, root)
  }
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

/**
 * Asks a question of the session. Esc says no.
 *
 * @param {Question} question
 * @returns {Promise<boolean>}
 */
export function ask({ about, text: asked, details, label }) {
  const content = html`
    ${details && html`<p class="muted" dir="auto">${details}</p>`}
    <form method="dialog" class="buttons">
      <button autofocus>${text('cancel')}</button>
      <button value="yes" dir="auto" class=${about === 'action' ? 'primary' : 'danger'}>${label}</button>
    </form>`
  return new Promise(resolve => {
    const onClose = (/** @type {string} */ returned) => resolve(returned === 'yes')
    openDialog({ title: asked, role: 'alertdialog', content, onClose }, questions)
  })
}
