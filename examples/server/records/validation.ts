import type { FieldType } from 'fastify-screen-auth/screens'
import type { DefinedField as Field } from './list.ts'

/** Reason why a value is invalid: a broken rule of the field, or the type whose format the value does not have. */
export type Fault =
  | 'required'
  | 'max_length'
  | 'character'
  | 'min'
  | 'max'
  | 'decimals'
  | 'order'
  | 'pattern'
  | keyof typeof TYPES

/** Returns why a value of a field is invalid; null if it is valid. */
export function faultOf(field: Field, value: string): Fault | null {
  const { type, validation = {} } = field
  const { required, min = -Infinity, max = Infinity, max_length = Infinity, pattern } = validation
  if (value === '') return required ? 'required' : null
  if (value.length > max_length) return 'max_length'
  if (!isText(type === 'TextArea' ? value.replaceAll(/[\n\t]/g, '') : value)) return 'character'
  if (hasRule(type) && !TYPES[type](value, field)) return type
  if (Number(value) < min) return 'min'
  if (Number(value) > max) return 'max'
  // The pattern must match the whole value, as in HTML.
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, 'v').test(value)) return 'pattern'
  return null
}

/**
 * Rejects control characters, which a terminal may execute; lone surrogates, which a database cannot store; and U+FFFD,
 * which replaces bytes that are not valid UTF-8.
 */
function isText(value: string): boolean {
  return value.isWellFormed() && !/[\p{Cc}\ufffd]/u.test(value)
}

/** Types that restrict the format of their values. Each pattern runs in linear time. */
const TYPES = {
  Boolean: (value: string) => value === 'true' || value === 'false',
  Date: isDate,
  DateRange: (value: string) => {
    const [first = '', last = '', ...others] = value.split('/')
    return isDate(first) && isDate(last) && first <= last && others.length === 0
  },
  Decimal: (value: string) => /^-?\d{1,15}(\.\d{1,6})?$/.test(value),
  Email: (value: string) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value),
  Integer: (value: string) => /^-?\d{1,15}$/.test(value),
  Option: (value: string, { options = [] }: Field) => options.some(option => value === option.value),
  Time: (value: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(value),
  // Other schemes can run code, for example javascript:.
  URL: (value: string) => /^https?:\/\//i.test(value) && URL.canParse(value)
}

function hasRule(type: FieldType): type is keyof typeof TYPES {
  return Object.hasOwn(TYPES, type)
}

/** Whether the date exists. The Date constructor alone would parse February 30 as March 2. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || value < '0001') return false
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}
