// Dates and numbers as a screen's `locale` writes them. In the client they are ISO 8601 and have a point, so that a view can
// draw them. A Decimal that is edited stays as it came, because it is typed, and sent, in the same form.

/** The form of a screen. */
export interface Locale {
  isMonthFirst: boolean
  decimal: string
  thousand: string
}

/** Leaves a number as it came. */
export const PLAIN: Locale = { isMonthFirst: false, decimal: '.', thousand: '' }

/** Without a locale, numbers are plain. For what is missing in one, the same stands as with other clients. */
export function readLocale(json: unknown): Locale {
  if (typeof json !== 'object' || json === null) return PLAIN
  const { date_format, decimal_separator, thousand_separator } = json as Record<string, unknown>
  return {
    isMonthFirst: date_format === 'MM-DD-YYYY',
    decimal: typeof decimal_separator === 'string' && decimal_separator !== '' ? decimal_separator : ',',
    thousand: typeof thousand_separator === 'string' ? thousand_separator : '.'
  }
}

/** A value of a field or a column. What does not have the form of the locale stays as it is. */
export function fromLocale(type: string, value: string, locale: Locale): string {
  if (type === 'Date') return dateOf(value, locale)
  if (type === 'DateRange')
    return value
      .split('/')
      .map(day => dateOf(day, locale))
      .join('/')
  return type === 'Integer' || type === 'Decimal' ? numberOf(value, locale) : value
}

function dateOf(value: string, { isMonthFirst }: Locale): string {
  return value.replace(/^(\d\d?)-(\d\d?)-(\d{4})$/, (_, first: string, second: string, year: string) => {
    const [month, day] = isMonthFirst ? [first, second] : [second, first]
    return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-')
  })
}

function numberOf(value: string, { decimal, thousand }: Locale): string {
  const [point, comma] = [decimal, thousand].map(separator => separator.replace(/[\]\\^]/g, '\\$&'))
  const form = new RegExp(`^-?(\\d+|[1-9]\\d{0,2}([${comma}]\\d{3})+)([${point}]\\d+)?$`)
  return form.test(value) ? value.replaceAll(thousand, '').replace(decimal, '.') : value
}
