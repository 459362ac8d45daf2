// Converts dates and numbers between the format that the `locale` of a screen names, and data: ISO 8601, and a decimal
// point. For the session, and for servers.
import { formatOfServer } from './numbers.ts'

/** The `locale` as received. Without one, dates begin with the day, and numbers have a decimal point and no groups. */
export type Locale = Record<string, unknown> | undefined

/**
 * Converts the text of a screen, or of a change, to data. Returns null for a number without a reading in the format. A
 * date may also be ISO 8601.
 *
 * @example
 * fromLocale('Decimal', '1.250,5', { decimal_separator: ',' })   // '1250.5'
 */
export function fromLocale(type: string | undefined, text: string, locale: Locale): string | null {
  if (isNumber(type)) return text.trim() && numbersOf(locale).read(text)
  if (!hasDays(type)) return text
  return mapDays(text, day =>
    day.replace(/^(\d\d?)-(\d\d?)-(\d{4})$/, (_, first, second, year) => {
      const parts = locale?.date_format === 'MM-DD-YYYY' ? [year, first, second] : [year, second, first]
      return parts.map(part => part.padStart(2, '0')).join('-')
    })
  )
}

/**
 * Converts data to the text that a server reads. Without a format in the locale, dates stay ISO 8601, and numbers have a
 * decimal point.
 */
export function toLocale(type: string | undefined, data: string, locale: Locale): string {
  if (isNumber(type)) return numbersOf(locale).write(data)
  const format = locale?.date_format
  if (!hasDays(type) || (format !== 'DD-MM-YYYY' && format !== 'MM-DD-YYYY')) return data
  return mapDays(data, day => day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, format === 'DD-MM-YYYY' ? '$3-$2-$1' : '$2-$3-$1'))
}

/** Whether the values of a type are numbers. */
export function isNumber(type: string | undefined): boolean {
  return type === 'Integer' || type === 'Decimal'
}

function hasDays(type: string | undefined): boolean {
  return type === 'Date' || type === 'DateRange'
}

/** Converts each day of a date or a range. */
function mapDays(text: string, convert: (day: string) => string): string {
  return text.split('/').map(convert).join('/')
}

function numbersOf(locale: Locale) {
  // The defaults of other clients.
  return locale
    ? formatOfServer(locale.decimal_separator || ',', locale.thousand_separator ?? '.')
    : formatOfServer('.', '')
}
