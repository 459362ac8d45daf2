import { render } from 'preact'
import { html } from '../html.js'
import { text } from '../texts.js'

/** @import { VNode } from 'preact' */
/** @import { Question } from 'screen-auth-client' */

/**
 * Opens a dialog over the page. Closing the dialog, also with Esc, removes it.
 *
 * @param {{ title: string, content: VNode, role?: string, onClose?: (returned: string) => void }} options
 */
export function openDialog({ title, content, role, onClose }) {
  const root = document.body.appendChild(document.createElement('div'))
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
    render(null, root)
    root.remove()
  }
}

/** Closes all dialogs. An open question resolves to no. */
export function closeDialogs(selector = 'dialog') {
  for (const dialog of document.querySelectorAll(selector)) if (dialog instanceof HTMLDialogElement) dialog.close()
}

/** Asks a question of the session. Esc says no. @type {(question: Question) => Promise<boolean>} */
export function ask({ about, text: asked, details, label }) {
  // The person may leave again, with a button of the browser, before the first question has an answer.
  closeDialogs('[role=alertdialog]')
  const content = html`
    ${details && html`<p class="muted" dir="auto">${details}</p>`}
    <form method="dialog" class="buttons">
      <button autofocus>${text('cancel')}</button>
      <button value="yes" dir="auto" class=${about === 'action' ? 'primary' : 'danger'}>${label}</button>
    </form>`
  return new Promise(resolve => {
    const onClose = (/** @type {string} */ returned) => resolve(returned === 'yes')
    openDialog({ title: asked, role: 'alertdialog', content, onClose })
  })
}
