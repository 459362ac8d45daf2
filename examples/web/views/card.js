import { useLayoutEffect } from 'preact/hooks'
import { fieldsOf } from 'screen-auth-client'
import { html } from '../html.js'
import { session } from '../session.js'
import { text, withoutLabel } from '../texts.js'
import { Fields } from './fields.js'
import { useForm } from './form.js'
import { Messages } from './messages.js'
import { Button, nameOf, parentOf, ScreenLink, useSeconds } from './parts.js'

/** @import { Field, Login, Screen, Section, Shown } from 'screen-auth-client' */
/** @import { TextKey } from '../texts.js' */
/** @import { FormContext } from './fields.js' */

/** Username of the last login. Password managers need it to store a changed password. */
let lastUsername = ''

/** A read-only Card. @param {{ state: Login | Shown }} props */
export function Values({ state }) {
  const { screen, busy } = state
  const next = parentOf(screen)
  return html`<div class="card">
    <${Sections} screen=${screen} />
    ${state.name === 'screen' && state.replaces && html`<div class="buttons"><${ScreenLink} url=${next}>${nameOf(next)}<//></div>`}
    ${screen.actions.delete && html`<div class="actions"><${Delete} isBusy=${busy !== null} /></div>`}
  </div>`
}

/**
 * Draws the sections below each other, and those of one row group side by side. Without `enter`, they are read-only.
 *
 * @param {{ screen: Screen } & Partial<FormContext>} props
 */
function Sections({ screen: { title, sections }, ...context }) {
  const [Group, Label] = context.enter ? ['fieldset', 'legend'] : ['section', 'h2']
  const draw = (/** @type {Section} */ section) => html`<${Group}>
    ${section.label && section.label !== title && html`<${Label} dir="auto">${section.label}<//>`}
    <div class="fields"><${Fields} fields=${section.fields} name="field-${sections.indexOf(section)}" ...${context} /></div>
  <//>`
  const rows = Map.groupBy(sections, ({ rowGroup }) => rowGroup ?? Symbol())
  return [...rows.values()].map(row => html`<div class="row">${row.map(draw)}</div>`)
}

/** Login form, or a Card that can be saved or created. @param {{ state: Login | Shown }} props */
export function Form({ state }) {
  const { screen, values, message, hasChanges, canOpen } = state
  const { authAction, actions } = screen
  const isLogin = authAction !== ''
  const wait = useSeconds(state.name === 'login' ? state.retryAt : null)
  const isBusy = state.busy !== null
  const fields = canOpen || wait > 0 ? fieldsOf(screen) : fieldsOf(screen).map(asCredential)
  const form = useForm({ fields, values, enter: (id, value) => session.enter(id, value), send }, isBusy)
  const isSending = isBusy && form.isSending
  const passwords = form.controls.filter(({ type }) => type === 'Password')
  const isOfPasswords = passwords.length === form.controls.length
  const faultyId = message?.field
  // The message of a rejected login is above the button, so the field is only marked.
  const told = faultyId && !isLogin ? withoutLabel(message.text, fields, faultyId) : ''
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
    ...form.context,
    isLogin,
    faults: faultyId ? new Map([[faultyId, told], ...form.context.faults]) : form.context.faults,
    theirs,
    focus: (
      form.controls.find(({ focus }) => focus) ??
      (isLogin || isOfPasswords ? form.controls.find(({ id }) => !values.get(id)) : undefined)
    )?.id
  }
  return html`<form ...${form.attributes} class=${!canOpen ? '' : isOfPasswords ? 'card narrow' : 'card'}>
    ${!isLogin && passwords.length > 0 && html`<input hidden readonly autocomplete="username" value=${fields.find(({ id }) => id === 'username')?.value || lastUsername} />`}
    <${Sections} screen=${screen} ...${context} />
    ${!canOpen && html`<${Messages} state=${state} />`}
    <div class=${canOpen ? 'actions' : 'buttons'}>
      ${actions.delete && html`<${Delete} isBusy=${isBusy} />`}
      ${hasChanges && !isSending && html`<p class="muted">${text('unsaved')}</p>`}
      <button type="submit" id="submit" class="primary" aria-disabled=${`${isBusy || wait > 0}`} aria-busy=${`${isSending}`}>
        ${wait > 0 ? countdown(wait) : labelOf(state, isSending)}
      </button>
      ${isLogin && isSending && html`<button type="button" class="bare slow" onClick=${() => session.cancel()}>${text('cancel')}</button>`}
    </div>
  </form>`

  /** @param {ReadonlyMap<string, string>} values */
  async function send(values) {
    const { state } = session
    if (state.name === 'login' && (state.retryAt ?? 0) > Date.now()) return
    if (!isLogin) return session.save()
    lastUsername = values.get('username') ?? ''
    return session.submit()
  }
}

/** @type {(state: Login | Shown, isSending: boolean) => string} */
function labelOf({ screen: { authAction, actions } }, isSending) {
  if (authAction) return text(isSending ? 'logging_in' : 'log_in')
  if (actions.save) return text(isSending ? 'saving' : 'save')
  return text(isSending ? 'creating' : 'create')
}

/**
 * A login without its user or its password is told without a request. Other fields may be optional.
 *
 * @type {(one: Field, at: number, all: Field[]) => Field}
 */
function asCredential(field, index, fields) {
  const username = fields.findIndex(({ id }) => id === 'username')
  const password = fields.findIndex(({ type }) => type === 'Password')
  const isNeeded = index === password || index === (username < 0 ? password - 1 : username)
  return isNeeded ? { ...field, validation: { ...field.validation, required: true } } : field
}

/**
 * The label of a locked button. A screen reader reads the time in words, which change seldom: otherwise it would
 * read the focused button again each second.
 *
 * @param {number} seconds
 */
function countdown(seconds) {
  const parts = seconds < 3600 ? [seconds / 60, seconds % 60] : [seconds / 3600, (seconds / 60) % 60, seconds % 60]
  const time = parts.map(part => String(Math.floor(part)).padStart(2, '0')).join(':')
  const [unit, size] = seconds > 5940 ? ['hours', 3600] : seconds > 60 ? ['minutes', 60] : ['seconds', 10]
  const amount = Math.ceil(seconds / size) * (unit === 'seconds' ? 10 : 1)
  return html`<span class="unseen">${text('try_again_in', text(/** @type {TextKey} */ (unit), amount))}</span>
    <span aria-hidden="true">${text('try_again_in', time)}</span>`
}

/** @param {{ isBusy: boolean }} props */
function Delete({ isBusy }) {
  return html`<${Button} class="danger-text" dir=${null} isBusy=${isBusy} onClick=${() => session.save('delete')}>${text('delete')}<//>`
}
