import { useState } from 'preact/hooks'
import { fieldNamedBy } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { text, withoutLabel } from '../texts.js'
import { closeDialogs, openDialog } from './dialog.js'
import { Fields, textOf } from './fields.js'
import { useForm } from './form.js'

/** @import { ScreenAction, Values } from 'screen-auth-client' */

/** Opens the form of a `modal`. It stays open until the server accepts the values. @param {ScreenAction} action */
export function openForm(action) {
  openDialog({ title: action.label, content: html`<${ActionForm} action=${action} />` })
}

/** @param {{ action: ScreenAction }} props */
function ActionForm({ action }) {
  const { fields, label } = action
  const [values, setValues] = useState(new Map(fields.map(field => [field.id, textOf(field)])))
  const [refusal, setRefusal] = useState('')
  const enter = (/** @type {string} */ id, /** @type {string} */ value) =>
    setValues(values => new Map([...values, [id, value]]))
  const form = useForm({ fields, values, enter, send })
  return html`<form ...${form.attributes}>
    <div class="fields"><${Fields} fields=${fields} name="dialog" focus=${form.controls[0]?.id} ...${form.context} /></div>
    <p class="fault" role="alert" dir="auto">${refusal}</p>
    <div class="buttons">
      <button type="button" onClick=${() => closeDialogs()}>${text('cancel')}</button>
      <button type="submit" class="primary" dir="auto" aria-disabled=${`${form.isSending}`} aria-busy=${`${form.isSending}`}>${label}</button>
    </div>
  </form>`

  /** @param {Values} values */
  async function send(values) {
    setRefusal('')
    const before = session.state.message
    await session.act(action, Object.fromEntries(values))
    const { message } = session.state
    if (!form.attributes.ref.current?.closest('dialog[open]')) return
    // Without a new message nothing was sent: the person has decided to keep unsaved changes.
    if (message === before) return
    if (message?.kind !== 'error' || message.help) return closeDialogs()
    const faultyId = fieldNamedBy(message.text, fields)
    if (faultyId === undefined) setRefusal(message.text)
    else {
      form.setFaults(new Map([[faultyId, withoutLabel(message.text, fields, faultyId)]]))
      form.focusOn(faultyId)
    }
    // The form shows the message, so remove it from the bar.
    session.dismiss()
  }
}
