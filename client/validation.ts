// Checks values before the client sends them. The server may still reject them.
import type { Field } from './screen.ts'

/** Why a value is invalid. */
export type Fault = 'required' | 'type' | 'pattern' | 'min' | 'max' | 'min_length' | 'max_length'

/** A typed number, in the format of any locale. Only one part has digits, or a long value would take very long. */
const DECIMAL = /^-?[\d.,\s'’]*\d[.,\s'’]*$/
const PLAIN = /^-?\d+(\.\d+)?$/

const FORMS: Record<string, (value: string) => boolean> = {
  Integer: value => /^-?\d+$/.test(value),
  Decimal: value => DECIMAL.test(value),
  Date: isDate,
  Time: value => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(value),
  DateRange(value) {
    const [from = '', to = '', ...others] = value.split('/')
    return isDate(from) && isDate(to) && from <= to && others.length === 0
  },
  Email: value => /^[^\s@]+@[^\s@]+$/.test(value),
  URL: value => /^https?:\/\//i.test(value) && URL.canParse(value)
}

/**
 * Returns why a value of a field is invalid; null if the value is valid. Dates are ISO 8601, as in a browser's inputs.
 * An empty value is invalid only if the field is required. Ignores a pattern that is not a regular expression.
 *
 * @example
 * faultOf(field, '')   // 'required'
 */
export function faultOf(field: Pick<Field, 'type' | 'validation'>, value: string): Fault | null {
  const { type, validation } = field
  const { required, pattern } = validation
  // A comparison with a missing limit is false.
  const { min, max, minLength, maxLength } = validation as Record<'min' | 'max' | 'minLength' | 'maxLength', number>
  // An unchecked checkbox has a value too.
  if (value === '') return required && type !== 'Boolean' ? 'required' : null
  // Spaces around a number or an address are valid.
  if (!fits(type, value.trim())) return 'type'
  const number = (type === 'Integer' || type === 'Decimal') && PLAIN.test(value.trim()) ? Number(value) : Number.NaN
  if (number < min) return 'min'
  if (number > max) return 'max'
  if (value.length < minLength) return 'min_length'
  if (value.length > maxLength) return 'max_length'
  return pattern === '' || matches(value, pattern) ? null : 'pattern'
}

/** Whether a value has the form of its type. */
export function fits(type: string, value: string): boolean {
  return !Object.hasOwn(FORMS, type) || FORMS[type]?.(value) === true
}

function isDate(value: string): boolean {
  // Null for an invalid date. Some platforms read February 31 as a day in March.
  return new Date(`${value}T00:00Z`).toJSON()?.slice(0, 10) === value
}

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, 'v').test(value)
  } catch {
    return true
  }
}
