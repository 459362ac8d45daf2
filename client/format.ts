// Values as a person reads them. What does not have the form of its type stays as it is.

/** What {@link format} needs to know of a Field or a Column. */
export interface Formatted {
  type: string
  /** The choices of an `Option`. */
  options?: { label: string; value: string }[]
  /** What a person reads for the values of a `Boolean`. */
  trueLabel?: string
  falseLabel?: string
}

type Locale = string | string[] | undefined

const NUMBER = /^-?\d+(?:\.(\d+))?$/
const DATE = /^\d{4,6}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/
const TIME = /^\d\d:\d\d(:\d\d)?$/

/** To make a formatter takes a thousand times as long as to use one. */
const formatters = new Map<string, unknown>()

/**
 * What a person reads for the value of a field or a column.
 *
 * @param column says the type
 * @param locale by default, and when it is empty, that of the platform
 *
 * @example
 * format({ type: 'Decimal' }, '1250.5', 'de')   // '1.250,5'
 */
export function format(column: Formatted, value: string, locale?: string | string[]): string {
  const { type, options = [], trueLabel, falseLabel } = column
  if (value === '') return ''
  if (type === 'Integer' || type === 'Decimal') return numberOf(value, locale)
  if (type === 'Date') return dateOf(value, locale)
  if (type === 'DateRange')
    return value
      .split('/')
      .map(day => dateOf(day, locale))
      .join(' – ')
  if (type === 'Time')
    return shown(`1970-01-01T${value}Z`, TIME, value, locale, { timeStyle: 'short', timeZone: 'UTC' })
  if (type === 'Boolean') return (isTrue(value) ? trueLabel : falseLabel) || value
  return options.find(option => option.value === value)?.label ?? value
}

/** Whether the value of a `Boolean` is true: as `true`, `yes` or `1`. */
export function isTrue(value: string): boolean {
  return /^(true|yes|1)$/i.test(value)
}

function numberOf(value: string, locale: Locale): string {
  const match = NUMBER.exec(value)
  if (match === null) return value
  const digits = Math.min(match[1]?.length ?? 0, 20)
  const format = cached(`n${digits}${locale}`, () => {
    return new Intl.NumberFormat(locale || undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  })
  // A string keeps the digits that a number has no place for.
  return format.format(value as `${number}`)
}

function dateOf(value: string, locale: Locale): string {
  if (DATE_TIME.test(value)) return shown(value, DATE_TIME, value, locale, { dateStyle: 'medium', timeStyle: 'short' })
  // A day has no time zone.
  return shown(value, DATE, value, locale, { dateStyle: 'medium', timeZone: 'UTC' })
}

function shown(moment: string, form: RegExp, value: string, locale: Locale, options: Intl.DateTimeFormatOptions) {
  const date = new Date(moment)
  if (!form.test(value) || Number.isNaN(date.getTime())) return value
  return cached(
    Object.values(options).join() + locale,
    () => new Intl.DateTimeFormat(locale || undefined, options)
  ).format(date)
}

function cached<Formatter>(key: string, make: () => Formatter): Formatter {
  const formatter = (formatters.get(key) as Formatter | undefined) ?? make()
  formatters.set(key, formatter)
  return formatter
}
