// What a client can see for itself in a value, before it sends it. The server has the last word.
import type { Field } from './screen.ts'

/** What is wrong with a value. */
export type Fault = 'required' | 'type' | 'pattern' | 'min' | 'max' | 'min_length' | 'max_length'

/** Any number that a person types, in the form of any locale. */
const DECIMAL = /^-?[\d.,\s'’]*\d[\d.,\s'’]*$/
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
 * What is wrong with a value of a field; null for nothing. Dates are as ISO 8601, as the inputs of a browser have them.
 * An empty value is wrong only where one is required. A pattern that is no regular expression is not looked at.
 *
 * @example
 * faultOf(field, '')   // 'required'
 */
export function faultOf(field: Pick<Field, 'type' | 'validation'>, value: string): Fault | null {
  const { type, validation } = field
  const { required, min = -Infinity, max = Infinity, minLength = 0, maxLength = Infinity, pattern } = validation
  // A checkbox that is not ticked has a value as well.
  if (value === '') return required && type !== 'Boolean' ? 'required' : null
  // Spaces around a number or an address are no fault.
  if (Object.hasOwn(FORMS, type) && !FORMS[type]?.(value.trim())) return 'type'
  const number = (type === 'Integer' || type === 'Decimal') && PLAIN.test(value.trim()) ? Number(value) : Number.NaN
  if (number < min) return 'min'
  if (number > max) return 'max'
  if (value.length < minLength) return 'min_length'
  if (value.length > maxLength) return 'max_length'
  return pattern === '' || matches(value, pattern) ? null : 'pattern'
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const date = new Date(`${value}T00:00Z`)
  // Some platforms take the 31st of February for a day in March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, 'v').test(value)
  } catch {
    return true
  }
}
