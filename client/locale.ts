// Converts dates and numbers from the `locale` of a screen to ISO 8601 and a decimal point, for a view to draw. An
// editable Decimal stays in the server's format, in which the person types it and the client sends it.

/** The `locale` as received. Without one, dates begin with the day, and numbers stay unchanged. */
export type Locale = Record<string, unknown> | undefined

/** A number with a decimal point, and a comma between thousands. */
const NUMBER = /^-?(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?$/

/** Converts a value of a field or a column. A value that is not in the format of the locale stays unchanged. */
export function fromLocale(type: string | undefined, value: string, locale: Locale): string {
  if (type === 'Date' || type === 'DateRange') {
    const days = value.split('/').map(day => dateOf(day, locale?.date_format === 'MM-DD-YYYY'))
    return days.join('/')
  }
  return locale && (type === 'Integer' || type === 'Decimal') ? numberOf(value, locale) : value
}

function dateOf(value: string, isMonthFirst: boolean): string {
  return value.replace(/^(\d\d?)-(\d\d?)-(\d{4})$/, (_, first: string, second: string, year: string) => {
    const [month, day] = isMonthFirst ? [first, second] : [second, first]
    return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-')
  })
}

function numberOf(value: string, { decimal_separator, thousand_separator }: Record<string, unknown>): string {
  // The defaults of other clients.
  const [decimal, thousand] = [decimal_separator || ',', thousand_separator ?? '.']
  // No pattern contains the separators: such a pattern could be invalid, or take very long.
  const plain = value.replace(/[^\p{L}\d-]/gu, sign => (sign === decimal ? '.' : sign === thousand ? ',' : '?'))
  return NUMBER.test(plain) ? plain.replaceAll(',', '') : value
}
