import { button, byId, element } from './dom.js'
import { text } from './texts.js'

/** @import { Question } from 'screen-auth-client' */

/**
 * Opens a dialog over the page. It is gone when it is closed, which Esc does as well.
 *
 * @param {string} title
 * @param {Node[]} content
 */
export function openDialog(title, content) {
  closeDialogs()
  const heading = element('h2', { id: 'dialog-title', dir: 'auto' }, title)
  const dialog = element('dialog', { 'aria-labelledby': heading.id }, heading, ...content)
  dialog.addEventListener('close', () => dialog.remove())
  // The language of its texts is that of the screen.
  dialog.lang = byId('main').lang
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/** Says no to an open question. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll('dialog')) dialog.close()
}

/**
 * Asks a question of the session. Esc says no.
 *
 * @param {Question} question
 * @returns {Promise<boolean>}
 */
export function ask({ about, text: asked, label }) {
  return new Promise(resolve => {
    const no = button(text('cancel'), () => dialog.close(), { autofocus: true })
    const yes = button(label, () => dialog.close('yes'), { class: about === 'action' ? 'primary' : 'danger' })
    const dialog = openDialog(asked, [element('div', { class: 'buttons' }, no, yes)])
    dialog.role = 'alertdialog'
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'))
  })
}
