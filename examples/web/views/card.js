import { useLayoutEffect } from 'preact/hooks'
import { fieldsOf } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { text } from '../texts.js'
import { Button } from './button.js'
import { useSeconds } from './countdown.js'
import { Fields } from './fields.js'
import { useForm } from './form.js'

/** @import { VNode } from 'preact' */
/** @import { Field, Login, Section, Shown } from 'screen-auth-client' */

/** The name of the last login: a password manager wants to know whose password is changed. */
let lastUsername = ''

/** A Card to read. @param {{ state: Login | Shown }} props */
export function Values({ state: { screen, busy } }) {
  const use = { values: new Map(), faults: new Map(), enter() {}, isBusy: false }
  const parts = screen.sections.map(({ label, fields }) => {
    const values = fields.map(field => ({ ...field, editable: false }))
    return html`<section>
      ${label && label !== screen.title && html`<h2 dir="auto">${label}</h2>`}
      <div class="fields"><${Fields} fields=${values} name="value" ...${use} /></div>
    </section>`
  })
  return html`<div class="card">
    ${rowsOf(screen.sections, parts)}
    ${screen.actions.delete && html`<div class="actions"><${Delete} isBusy=${busy !== null} /></div>`}
  </div>`
}

/** The login form, or a Card that can be saved or created. @param {{ state: Login | Shown }} props */
export function Form({ state }) {
  const { screen, values, message, hasChanges, canOpen } = state
  const { sections, authAction, actions } = screen
  const isLogin = authAction !== ''
  const wait = useSeconds(state.name === 'login' ? state.retryAt : null)
  const isBusy = state.busy !== null
  const fields = fieldsOf(screen)
  const read = () => ('values' in session.state ? session.state.values : values)
  const enter = (/** @type {string} */ id, /** @type {string} */ value) => session.enter(id, value)
  const form = useForm({ fields, read, enter, isBusy, send })
  const isOnItsWay = isBusy && form.isSent
  const isOfPasswords = form.controls.every(isPassword)
  const about = message?.field
  const theirs = state.name === 'screen' ? state.theirs : new Map()

  useLayoutEffect(() => {
    form.setFaults(new Map())
    const [first] = theirs.keys()
    if (first) form.focusOn(first)
  }, [screen])
  // A refusal is about a field: the person goes on there.
  useLayoutEffect(() => {
    if (about) form.focusOn(about)
  }, [message])

  const use = {
    values,
    enter,
    isBusy,
    isLogin,
    // Of a rejection the bar says more.
    faults: about ? new Map([...form.faults, [about, isLogin ? '' : message.text]]) : form.faults,
    theirs,
    focus: (
      form.controls.find(({ focus }) => focus) ??
      (isLogin ? form.controls.find(({ value }) => value === '') : undefined)
    )?.id
  }
  const parts = sections.map(
    ({ label, fields }, index) => html`<fieldset>
      ${label && html`<legend dir="auto">${label}</legend>`}
      <div class="fields"><${Fields} fields=${fields} name="field-${index}" ...${use} /></div>
    </fieldset>`
  )
  return html`<form ...${form.attributes} class=${!canOpen ? '' : isOfPasswords ? 'card narrow' : 'card'}>
    ${!isLogin && form.controls.some(isPassword) && html`<input hidden readonly autocomplete="username" value=${fields.find(({ id }) => id === 'username')?.value || lastUsername} />`}
    ${rowsOf(sections, parts)}
    <div class="actions">
      ${actions.delete && html`<${Delete} isBusy=${isBusy} />`}
      ${hasChanges && html`<p class="muted">${text('unsaved')}</p>`}
      <button type="submit" id="submit" class="primary" aria-disabled=${`${isBusy || wait > 0}`} aria-busy=${`${isOnItsWay}`}>
        ${labelOf(state, isOnItsWay)}${wait > 0 && html`<span aria-hidden="true"> ${minutesOf(wait)}</span>`}
      </button>
      ${isLogin && isOnItsWay && html`<button type="button" class="bare slow" onClick=${() => session.cancel()}>${text('cancel')}</button>`}
    </div>
  </form>`

  async function send() {
    if (wait > 0) return
    if (!isLogin) return session.save()
    lastUsername = read().get('username') ?? ''
    return session.submit()
  }
}

/** @type {(state: Login | Shown, isOnItsWay: boolean) => string} */
function labelOf({ screen: { authAction, actions } }, isOnItsWay) {
  if (authAction) return text(isOnItsWay ? 'logging_in' : 'log_in')
  if (actions.save) return text(isOnItsWay ? 'saving' : 'save')
  return text(isOnItsWay ? 'creating' : 'create')
}

/** @param {Field} field */
function isPassword({ type }) {
  return type === 'Password'
}

/** @param {number} seconds */
function minutesOf(seconds) {
  const parts = seconds < 3600 ? [seconds / 60, seconds % 60] : [seconds / 3600, (seconds / 60) % 60, seconds % 60]
  return parts.map(part => String(Math.floor(part)).padStart(2, '0')).join(':')
}

/** @param {{ isBusy: boolean }} props */
function Delete({ isBusy }) {
  return html`<${Button} class="danger-text" dir=${null} isBusy=${isBusy} onClick=${() => session.save('delete')}>${text('delete')}<//>`
}

/**
 * The sections below each other, those of the same row group side by side.
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
