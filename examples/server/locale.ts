/**
 * Converts dates and numbers between the format of a screen's `locale` and the stored format: ISO 8601, and a decimal
 * point. Clients may send both formats.
 *
 * @module
 */
import type { FieldType, Locale } from 'fastify-screen-auth/screens'

/** The format of all screens. */
export const LOCALE: Required<Locale> = {
  date_format: 'DD-MM-YYYY',
  decimal_separator: '.',
  thousand_separator: ','
}

/** Converts a stored value to the format of the locale. */
export function toLocale(type: FieldType, value: string, locale = LOCALE): string {
  if (hasDates(type)) return mapDays(value, day => toLocalDate(day, locale))
  return type === 'Decimal' ? value.replace('.', locale.decimal_separator) : value
}

/**
 * Converts a value to the stored format, from the format of the locale or from the stored format. Returns a value in
 * any other format unchanged. With a decimal comma, `1.250` is 1250.
 */
export function fromLocale(type: FieldType, value: string, locale = LOCALE): string {
  if (hasDates(type)) return mapDays(value, day => fromLocalDate(day, locale))
  return type === 'Decimal' || type === 'Integer' ? fromLocalNumber(value, locale) : value
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

function fromLocalNumber(value: string, locale: Required<Locale>): string {
  const { decimal_separator: decimal, thousand_separator: thousand } = locale
  const local = new RegExp(`^-?(\\d+|[1-9]\\d{0,2}([${thousand}]\\d{3})+)([${decimal}]\\d+)?$`)
  return local.test(value) ? value.replaceAll(thousand, '').replace(decimal, '.') : value
}
