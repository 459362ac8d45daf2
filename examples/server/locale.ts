// Converts dates and numbers between the format of the screens and the stored format: ISO 8601, and a decimal point.
// Clients may send both formats.
import type { FieldType, Locale } from 'fastify-screen-auth/screens'

/** The format of all screens. Known clients also know `MM-DD-YYYY`, and other separators. */
export const LOCALE: Required<Locale> = {
  date_format: 'DD-MM-YYYY',
  decimal_separator: '.',
  thousand_separator: ','
}

const NUMBER = /^-?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?$/

/** Converts a stored value to the format of the screens. Numbers have the same decimal point in both. */
export function toLocale(type: FieldType, value: string): string {
  return hasDates(type) ? mapDays(value, toLocalDate) : value
}

/** Converts a value from either format to the stored one. Returns a value in any other format unchanged. */
export function fromLocale(type: FieldType, value: string): string {
  if (hasDates(type)) return mapDays(value, fromLocalDate)
  const isNumber = (type === 'Decimal' || type === 'Integer') && NUMBER.test(value)
  return isNumber ? value.replaceAll(',', '') : value
}

function hasDates(type: FieldType): boolean {
  return type === 'Date' || type === 'DateRange'
}

/** Converts each day of a date or a range. Keeps a superfluous third part, so that the validation rejects it. */
function mapDays(value: string, change: (day: string) => string): string {
  return value.split('/', 3).map(change).join('/')
}

function toLocalDate(value: string): string {
  const [year, month, day] = value.split('-')
  return day === undefined ? value : [day, month, year].join('-')
}

function fromLocalDate(value: string): string {
  const [, day = '', month = '', year] = /^(\d\d?)-(\d\d?)-(\d{4})$/.exec(value) ?? []
  return year === undefined ? value : [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-')
}
