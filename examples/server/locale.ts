/**
 * Converts dates and numbers between the format of a screen's `locale` and the stored format: ISO 8601, and a decimal
 * point. Clients may send both formats.
 *
 * @module
 */
import type { FieldType, Locale } from 'fastify-screen-auth/screens'

/** Converts a stored value to the format of the locale. */
export function toLocale(type: FieldType, value: string, locale: Required<Locale>): string {
  if (hasDates(type)) return mapDays(value, day => toLocalDate(day, locale))
  return type === 'Decimal' ? value.replace('.', locale.decimal_separator) : value
}

/**
 * Converts a value to the stored format, from the format of the locale or from the stored format. Returns a value in
 * any other format unchanged. Returns null if the two formats mean different numbers, for example `1.250` in German.
 */
export function fromLocale(type: FieldType, value: string, locale: Required<Locale>): string | null {
  if (hasDates(type)) return mapDays(value, day => fromLocalDate(day, locale))
  return type === 'Decimal' || type === 'Integer' ? fromLocalNumber(type, value, locale) : value
}

function hasDates(type: FieldType): boolean {
  return type === 'Date' || type === 'DateRange'
}

/** Converts each day of a date or a range. Keeps a superfluous third part, so that the validation rejects it. */
function mapDays(value: string, change: (day: string) => string): string {
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
