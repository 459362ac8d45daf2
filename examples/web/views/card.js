import { useLayoutEffect } from 'preact/hooks'
import { fieldsOf } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { text, withoutLabel } from '../texts.js'
import { Fields } from './fields.js'
import { useForm } from './form.js'
import { Button, nameOf, ScreenLink, useSeconds } from './parts.js'

/** @import { VNode } from 'preact' */
/** @import { Field, Login, Section, Shown } from 'screen-auth-client' */

/** Username of the last login. Password managers need it to store a changed password. */
let lastUsername = ''

/** A read-only Card. @param {{ state: Login | Shown }} props */
export function Values({ state }) {
  const { screen, busy } = state
  const next = screen.parentUrl || session.menuPath
  const context = { values: new Map(), faults: new Map(), enter() {}, isBusy: false }
  const parts = screen.sections.map(({ label, fields }) => {
    const values = fields.map(field => ({ ...field, editable: false }))
    return html`<section>
      ${label && label !== screen.title && html`<h2 dir="auto">${label}</h2>`}
      <div class="fields"><${Fields} fields=${values} name="value" ...${context} /></div>
    </section>`
  })
  return html`<div class="card">
    ${rowsOf(screen.sections, parts)}
    ${state.name === 'screen' && state.replaces && html`<div class="buttons"><${ScreenLink} url=${next}>${nameOf(session.pathOf(next))}<//></div>`}
    ${screen.actions.delete && html`<div class="actions"><${Delete} isBusy=${busy !== null} /></div>`}
  </div>`
}

/** Login form, or a Card that can be saved or created. @param {{ state: Login | Shown }} props */
export function Form({ state }) {
  const { screen, values, message, hasChanges, canOpen } = state
  const { sections, authAction, actions } = screen
  const isLogin = authAction !== ''
  const wait = useSeconds(state.name === 'login' ? state.retryAt : null)
  const isBusy = state.busy !== null
  const fields = canOpen || wait > 0 ? fieldsOf(screen) : fieldsOf(screen).map(asCredential)
  const read = () => ('values' in session.state ? session.state.values : values)
  const enter = (/** @type {string} */ id, /** @type {string} */ value) => session.enter(id, value)
  const form = useForm({ fields, read, enter, isBusy, send })
  const isSending = isBusy && form.isSent
  const isOfPasswords = form.controls.every(isPassword)
  const faultyId = message?.field
  const theirs = state.name === 'screen' ? state.theirs : new Map()

  useLayoutEffect(() => {
    form.setFaults(new Map())
    const [first] = theirs.keys()
    if (first) form.focusOn(first)
  }, [screen])
  // If a rejection names a field, move the focus there.
  useLayoutEffect(() => {
    if (faultyId) form.focusOn(faultyId)
  }, [message])

  const context = {
    values,
    enter,
    isBusy,
    isLogin,
    // The bar shows the message of a rejected login, so the field is only marked.
    faults: faultyId
      ? new Map([[faultyId, isLogin ? '' : withoutLabel(message.text, fields, faultyId)], ...form.faults])
      : form.faults,
    theirs,
    focus: (
      form.controls.find(({ focus }) => focus) ??
      (isLogin || isOfPasswords ? form.controls.find(({ id }) => !values.get(id)) : undefined)
    )?.id
  }
  const parts = sections.map(
    ({ label, fields }, index) => html`<fieldset>
      ${label && html`<legend dir="auto">${label}</legend>`}
      <div class="fields"><${Fields} fields=${fields} name="field-${index}" ...${context} /></div>
    </fieldset>`
  )
  return html`<form ...${form.attributes} class=${!canOpen ? '' : isOfPasswords ? 'card narrow' : 'card'}>
    ${!isLogin && form.controls.some(isPassword) && html`<input hidden readonly autocomplete="username" value=${fields.find(({ id }) => id === 'username')?.value || lastUsername} />`}
    ${rowsOf(sections, parts)}
    <div class=${canOpen ? 'actions' : 'buttons'}>
      ${actions.delete && html`<${Delete} isBusy=${isBusy} />`}
      ${hasChanges && !isSending && html`<p class="muted">${text('unsaved')}</p>`}
      <button type="submit" id="submit" class="primary" aria-disabled=${`${isBusy || wait > 0}`} aria-busy=${`${isSending}`}>
        ${wait > 0 ? countdown(wait) : labelOf(state, isSending)}
      </button>
      ${isLogin && isSending && html`<button type="button" class="bare slow" onClick=${() => session.cancel()}>${text('cancel')}</button>`}
    </div>
  </form>`

  async function send() {
    const { state } = session
    if (state.name === 'login' && (state.retryAt ?? 0) > Date.now()) return
    if (!isLogin) return session.save()
    lastUsername = read().get('username') ?? ''
    return session.submit()
  }
}

/** @type {(state: Login | Shown, isSending: boolean) => string} */
function labelOf({ screen: { authAction, actions } }, isSending) {
  if (authAction) return text(isSending ? 'logging_in' : 'log_in')
  if (actions.save) return text(isSending ? 'saving' : 'save')
  return text(isSending ? 'creating' : 'create')
}

/** @param {Field} field */
function isPassword({ type }) {
  return type === 'Password'
}

/** A login needs a password and the user in the input before it. @type {(one: Field, at: number, all: Field[]) => Field} */
function asCredential(field, index, fields) {
  const isNeeded = fields.slice(index, index + 2).some(isPassword) || !fields.some(isPassword)
  return isNeeded ? { ...field, validation: { ...field.validation, required: true } } : field
}

/** The label of a locked button. A screen reader does not read the time, which changes each second. @param {number} seconds */
function countdown(seconds) {
  const parts = seconds < 3600 ? [seconds / 60, seconds % 60] : [seconds / 3600, (seconds / 60) % 60, seconds % 60]
  const time = parts.map(part => String(Math.floor(part)).padStart(2, '0')).join(':')
  const [before, after] = text('try_again_in', '\n').split('\n')
  return html`<span>${before}<span aria-hidden="true">${time}</span>${after}</span>`
}

/** @param {{ isBusy: boolean }} props */
function Delete({ isBusy }) {
  return html`<${Button} class="danger-text" dir=${null} isBusy=${isBusy} onClick=${() => session.save('delete')}>${text('delete')}<//>`
}

/**
 * Draws the sections below each other, and adjacent sections of the same row group side by side.
 *
 * @type {(sections: Section[], parts: VNode[]) => VNode[]}
 */
function rowsOf(sections, parts) {
  const rows = /** @type {VNode[][]} */ ([])
  parts.forEach((part, index) => {
    const rowGroup = sections[index]?.rowGroup
    if (rowGroup === undefined || rowGroup !== sections[index - 1]?.rowGroup) rows.push([])
    rows.at(-1)?.push(part)
  })
  return rows.map(row => html`<div class="row">${row}</div>`)
}
