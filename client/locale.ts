// Converts dates and numbers from the `locale` of a screen to ISO 8601 and a decimal point, for a view to draw. An
// editable Decimal stays in the server's format, in which the person types it and the client sends it.

/** How a screen writes dates and numbers. */
export interface Locale {
  isMonthFirst: boolean
  decimal: string
  thousand: string
}

/** Leaves numbers unchanged. */
export const PLAIN: Locale = { isMonthFirst: false, decimal: '.', thousand: '' }

/** Reads a `locale`. Without one, numbers stay unchanged. A missing property gets the default that other clients use. */
export function readLocale(json: Record<string, unknown> | undefined): Locale {
  if (!json) return PLAIN
  const { date_format, decimal_separator, thousand_separator } = json
  return {
    isMonthFirst: date_format === 'MM-DD-YYYY',
    decimal: typeof decimal_separator === 'string' && decimal_separator !== '' ? decimal_separator : ',',
    thousand: typeof thousand_separator === 'string' ? thousand_separator : '.'
  }
}

/** Converts a value of a field or a column. A value that is not in the format of the locale stays unchanged. */
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
  const pattern = new RegExp(`^-?(\\d+|[1-9]\\d{0,2}([${comma}]\\d{3})+)([${point}]\\d+)?$`)
  return pattern.test(value) ? value.replaceAll(thousand, '').replace(decimal, '.') : value
}
