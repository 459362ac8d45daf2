import { useRef, useState } from 'preact/hooks'
import { faultOf, isInput, isTrue, parse } from 'screen-auth-client'
import { LANGUAGES } from '../session.js'
import { text } from '../texts.js'
import { textOf } from './fields.js'

/** @import { Field, Values } from 'screen-auth-client' */
/** @import { TextKey } from '../texts.js' */
/** @import { FormContext } from './fields.js' */

/**
 * A form that enters typed values, and sends all values if they are valid.
 *
 * @param {{ fields: Field[], send: (values: Values) => unknown } & Pick<FormContext, 'values' | 'enter'>} form
 * @param {boolean} [isSessionBusy] without it, the form is busy while it sends
 */
export function useForm({ fields, values, enter, send }, isSessionBusy) {
  const ref = useRef(/** @type {HTMLFormElement | null} */ (null))
  const [faults, setFaults] = useState(/** @type {ReadonlyMap<string, string>} */ (new Map()))
  const [isSending, setSending] = useState(false)
  const isBusy = isSessionBusy ?? isSending
  const controls = fields.filter(isInput)

  const inputs = () => /** @type {HTMLInputElement[]} */ ([...(ref.current?.elements ?? [])])

  /** @param {string} id */
  const inputsOf = id => inputs().filter(({ name }) => name === id)

  /** @param {string} id */
  const focusOn = id => inputsOf(id)[0]?.focus()

  /** The value of an input, if it differs from that of the field. @type {(input: HTMLInputElement) => [string, string][]} */
  function changesOf(input) {
    const field = controls.find(({ id }) => id !== '' && id === input.name)
    if (field === undefined) return []
    const before = values.get(field.id) ?? ''
    const shown = field.type === 'Boolean' ? String(isTrue(before)) : before.replaceAll(/\r\n?/g, '\n')
    const value = typedInto(input, field)
    return value === shown ? [] : [[field.id, value]]
  }

  /** Enters what has changed in any input: a password manager may have filled in others without an event. */
  function onInput() {
    if (isBusy) return values
    // Reads all values first, because `enter` redraws.
    const changes = inputs().flatMap(changesOf)
    for (const [id, value] of changes) {
      setFaults(found => new Map([...found].filter(([faulty]) => faulty !== id)))
      enter(id, value)
    }
    return new Map([...values, ...changes])
  }

  /** @type {(input: HTMLInputElement, field: Field) => string} */
  function typedInto(input, { id, type }) {
    if (type === 'Boolean') return String(input.checked)
    if (input.dataset.range === undefined) return input.value
    const days = inputsOf(id).map(({ value }) => value)
    return days.every(day => day === '') ? '' : days.join('/')
  }

  /** @type {(field: Field, typed?: string) => string | null} */
  function explain(field, typed = '') {
    const isHalfTyped = inputsOf(field.id).some(({ validity }) => validity.badInput)
    // Does not validate an unchanged value from the server: the person did not enter it.
    if (typed && !isHalfTyped && typed === textOf(field)) return null
    const fault = faultOf(field, isHalfTyped ? null : parse(field, typed, LANGUAGES))
    const { min, max, minLength, maxLength } = field.validation
    const numbers = { type: 1234.5, min, max, min_length: minLength, max_length: maxLength }
    const key = /** @type {TextKey} */ (`fault_${fault === 'type' ? field.type : fault}`)
    return fault && text(key, /** @type {Record<string, any>} */ (numbers)[fault])
  }

  /** @param {SubmitEvent} event */
  async function onSubmit(event) {
    event.preventDefault()
    if (isBusy) return
    const entered = onInput()
    const found = controls.flatMap(field => {
      const fault = explain(field, entered.get(field.id))
      return fault ? [/** @type {const} */ ([field.id, fault])] : []
    })
    setFaults(new Map(found))
    if (found[0] !== undefined) return focusOn(found[0][0])
    setSending(true)
    await send(entered)
    setSending(false)
  }

  const attributes = { ref, novalidate: true, onInput, onChange: onInput, onSubmit }
  return { attributes, context: { values, faults, enter, isBusy }, controls, setFaults, isSending, focusOn }
}
