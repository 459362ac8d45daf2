// Formats values for a person. A value that is invalid for its type stays unchanged.
import type { Field } from './screen.ts'
import { fits } from './validation.ts'

/** The properties of a Field or a Column that {@link format} needs: the type, and the labels of values. */
export type Formatted = Pick<Field, 'type'> & Partial<Pick<Field, 'options' | 'trueLabel' | 'falseLabel'>>

type Locale = string | readonly string[] | undefined

const NUMBER = /^-?\d+(?:\.(\d+))?$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

/** Caches formatters, because creating one takes a thousand times as long as using it. */
const formatters = new Map<string, unknown>()

/**
 * Formats the value of a field or a column for a person.
 *
 * @param column a field or a column
 * @param locale the locale of the text. If it is missing or invalid, the locale of the platform applies
 *
 * @example
 * format({ type: 'Decimal' }, '1250.5', 'de')   // '1.250,5'
 */
export function format(column: Formatted, value: string, locale?: string | readonly string[]): string {
  try {
    return write(column, value, locale || undefined)
  } catch {
    return write(column, value, undefined)
  }
}

function write(column: Formatted, value: string, locale: Locale): string {
  const { type, options, trueLabel, falseLabel } = column
  if (value === '') return ''
  if (type === 'Integer' || type === 'Decimal') return writeNumber(value, locale)
  if (type === 'Date') return writeDay(value, locale)
  if (type === 'DateRange') {
    const days = value.split('/').map(day => writeDay(day, locale))
    return days.join(' – ')
  }
  if (type === 'Time' && fits(type, value)) {
    return writeMoment(`1970-01-01T${value}Z`, locale, { timeStyle: 'short', timeZone: 'UTC' })
  }
  if (type === 'Boolean') return (isTrue(value) ? trueLabel : falseLabel) || value
  return options?.find(option => option.value === value)?.label ?? value
}

/** Whether the value of a `Boolean` is true: `true`, `yes` or `1`, in upper or lower case. */
export function isTrue(value: string): boolean {
  return /^(true|yes|1)$/i.test(value)
}

function writeNumber(value: string, locale: Locale): string {
  const match = NUMBER.exec(value)
  if (match === null) return value
  const digits = Math.min(match[1]?.length ?? 0, 20)
  const format = cached(`n${digits}${locale}`, () => {
    return new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  })
  // Formats the string, because a number would lose digits.
  return format.format(value as `${number}`)
}

function writeDay(value: string, locale: Locale): string {
  // In UTC, because `Date` reads a date without a time as UTC.
  if (fits('Date', value)) return writeMoment(value, locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const isMoment = DATE_TIME.test(value) && !Number.isNaN(Date.parse(value))
  return isMoment ? writeMoment(value, locale, { dateStyle: 'medium', timeStyle: 'short' }) : value
}

function writeMoment(iso: string, locale: Locale, options: Intl.DateTimeFormatOptions): string {
  const key = Object.values(options).join() + locale
  return cached(key, () => new Intl.DateTimeFormat(locale, options)).format(new Date(iso))
}

function cached<Formatter>(key: string, make: () => Formatter): Formatter {
  const formatter = (formatters.get(key) as Formatter | undefined) ?? make()
  formatters.set(key, formatter)
  return formatter
}
