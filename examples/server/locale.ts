/**
 * Dates and numbers as people write them: a screen names the form in its `locale`. They are stored, and may also be sent,
 * as ISO 8601 and with a point.
 *
 * @module
 */
import type { FieldType, Locale } from 'fastify-screen-auth/screens'

/** A value as the locale writes it. */
export function toLocale(type: FieldType, value: string, locale: Required<Locale>): string {
  if (isOfDays(type)) return eachDay(value, day => toLocalDate(day, locale))
  return type === 'Decimal' ? value.replace('.', locale.decimal_separator) : value
}

/**
 * Reads a value in the form of the locale, or as it is stored. What has neither form stays as it is. Returns null when
 * the two forms are different numbers: `1.250` in German.
 */
export function fromLocale(type: FieldType, value: string, locale: Required<Locale>): string | null {
  if (isOfDays(type)) return eachDay(value, day => fromLocalDate(day, locale))
  return type === 'Decimal' || type === 'Integer' ? fromLocalNumber(type, value, locale) : value
}

function isOfDays(type: FieldType): boolean {
  return type === 'Date' || type === 'DateRange'
}

/** A range has two days. A third is kept, so that it is noticed. */
function eachDay(value: string, change: (day: string) => string): string {
  return value.split('/', 3).map(change).join('/')
}

function toLocalDate(value: string, { date_format }: Required<Locale>): string {
  const [year, month, day] = value.split('-')
  if (day === undefined) return value
  return (date_format === 'DD-MM-YYYY' ? [day, month, year] : [month, day, year]).join('-')
}

function fromLocalDate(value: string, { date_format }: Required<Locale>): string {
  const [, first = '', second = '', year] = /^(\d\d?)-(\d\d?)-(\d{4})$/.exec(value) ?? []
  if (year === undefined) return value
  const [day, month] = date_format === 'DD-MM-YYYY' ? [first, second] : [second, first]
  return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-')
}

function fromLocalNumber(type: FieldType, value: string, locale: Required<Locale>): string | null {
  const { decimal_separator: decimal, thousand_separator: thousand } = locale
  const local = new RegExp(`^-?(\\d+|[1-9]\\d{0,2}([${thousand}]\\d{3})+)([${decimal}]\\d+)?$`)
  if (!local.test(value)) return value
  const read = value.replaceAll(thousand, '').replace(decimal, '.')
  const isDecimal = type === 'Decimal' && /^-?\d+\.\d+$/.test(value)
  return isDecimal && read !== value ? null : read
}
