// Data to the texts that a person reads. A value that is invalid for its type stays unchanged.
import { isNumber } from './locale.ts'
import { formatOfLanguage, type PersonLocale } from './numbers.ts'
import type { Field } from './screen.ts'
import { isDate, isTime } from './validation.ts'

/** The properties of a Field or a Column that {@link format} needs: the type, and the labels of values. */
export type Formatted = Pick<Field, 'type'> & Partial<Pick<Field, 'options' | 'trueLabel' | 'falseLabel'>>

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Creating a formatter takes a thousand times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * Formats the data of a field or a column for a person. `parse` reads the text of a number.
 *
 * @param column a field or a column
 * @param locale the locale of the text. If it is missing or invalid, the locale of the platform applies
 *
 * @example
 * format({ type: 'Decimal' }, '1250.5', 'de')   // '1.250,5'
 */
export function format(column: Formatted, value: string, locale?: PersonLocale): string {
  try {
    return write(column, value, locale || undefined)
  } catch {
    return write(column, value, undefined)
  }
}

function write(column: Formatted, value: string, locale: PersonLocale): string {
  const { type, options, trueLabel, falseLabel } = column
  if (value === '') return ''
  if (isNumber(type)) return formatOfLanguage(locale).write(value)
  if (type === 'Date') return writeDay(value, locale)
  if (type === 'DateRange') {
    const days = value.split('/').map(day => writeDay(day, locale))
    return days.join(' – ')
  }
  if (type === 'Time' && isTime(value)) {
    return writeMoment(`1970-01-01T${value}Z`, locale, { timeStyle: 'short', timeZone: 'UTC' })
  }
  if (type === 'Boolean') return (isTrue(value) ? trueLabel : falseLabel) || value
  return options?.find(option => option.value === value)?.label ?? value
}

/** Whether the value of a `Boolean` is true: `true`, `yes` or `1`, in upper or lower case. */
export function isTrue(value: string): boolean {
  return /^(true|yes|1)$/i.test(value)
}

function writeDay(value: string, locale: PersonLocale): string {
  // In UTC, because `Date` reads a date without a time as UTC.
  if (isDate(value)) return writeMoment(value, locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const isMoment = DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
  return isMoment ? writeMoment(value, locale, { dateStyle: 'medium', timeStyle: 'short' }) : value
}

function writeMoment(iso: string, locale: PersonLocale, options: Intl.DateTimeFormatOptions): string {
  const key = Object.values(options).join() + locale
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formatters.set(key, formatter)
  return formatter.format(new Date(iso))
}
