// Checks data before a client sends it, and for servers. A server may have more rules.
import { isNumber } from './locale.ts'
import type { Field } from './screen.ts'

/** Why data is invalid. `type` is also a text without a reading, and `order` a range that ends before it begins. */
export type Fault =
  | 'required'
  | 'character'
  | 'type'
  | 'order'
  | 'min'
  | 'max'
  | 'min_length'
  | 'max_length'
  | 'pattern'

/** The properties of a Field that {@link faultOf} needs. */
export type Checked = Pick<Field, 'type' | 'validation'> & Partial<Pick<Field, 'options' | 'value'>>

/** Each pattern runs in linear time. */
const FORMS: Record<string, (data: string, field: Checked) => boolean> = {
  Integer: data => /^-?\d+$/.test(data),
  Decimal: data => /^-?\d+(\.\d+)?$/.test(data),
  Date: isDate,
  Time: isTime,
  DateRange: data => /^[^/]*\/[^/]*$/.test(data) && data.split('/').every(isDate),
  Email: data => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(data),
  // Other schemes can run code, for example javascript:.
  URL: data => /^https?:\/\//i.test(data) && URL.canParse(data),
  Boolean: data => data === 'true' || data === 'false',
  Option: (data, { options = [] }) => options.length === 0 || options.some(({ value }) => value === data)
}

/**
 * Returns why the data of a field is invalid; null if it is valid. Numbers have a decimal point, and dates are ISO 8601.
 * Null, from `parse`, is no data of its type. Ignores a pattern that is not a regular expression.
 *
 * @example
 * faultOf(field, parse(field, text))   // 'required'
 */
export function faultOf(field: Checked, data: string | null): Fault | null {
  const { type, validation } = field
  const { required, pattern } = validation
  // A comparison with a missing limit is false.
  const { min, max, minLength, maxLength } = validation as Record<'min' | 'max' | 'minLength' | 'maxLength', number>
  if (data === null) return 'type'
  // Nobody sees that a text of spaces is not empty. A password may consist of spaces.
  const isEmpty = (type === 'Password' ? data : data.trim()) === ''
  // An unchecked checkbox has a value too.
  if (isEmpty && required && type !== 'Boolean') return 'required'
  if (data === '') return null
  if (!isText(field, data)) return 'character'
  if (Object.hasOwn(FORMS, type) && !FORMS[type]?.(data, field)) return 'type'
  if (type === 'DateRange' && data.slice(0, 10) > data.slice(11)) return 'order'
  const number = isNumber(type) ? Number(data) : Number.NaN
  if (number < min) return 'min'
  if (number > max) return 'max'
  if (data.length < minLength) return 'min_length'
  if (data.length > maxLength) return 'max_length'
  return pattern === '' || matches(data, pattern) ? null : 'pattern'
}

/** Whether a text is a day of the calendar, in ISO 8601. */
export function isDate(text: string): boolean {
  // Null for an invalid date. Some platforms read February 31 as a day in March.
  return text > '0001' && new Date(`${text}T00:00Z`).toJSON()?.slice(0, 10) === text
}

export function isTime(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text)
}

/**
 * Rejects control characters, which a terminal may execute; lone surrogates, which a database cannot store; and U+FFFD,
 * which replaces bytes that are not valid UTF-8. Line breaks are valid in a TextArea, and in a field that has some.
 */
function isText({ type, value = '' }: Checked, data: string): boolean {
  const hasLines = type === 'TextArea' || value.includes('\n')
  return data.isWellFormed() && !/[\p{Cc}\ufffd]/u.test(hasLines ? data.replace(/[\n\t]/g, '') : data)
}

function matches(data: string, pattern: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`, 'v').test(data)
  } catch {
    return true
  }
}
