// Values for reading, in the locale of the environment. What cannot be read as its type is shown as it is.
import type { Field } from 'screen-auth-client'
import type { Say } from './texts.ts'

/** No more digits than a number keeps. */
const NUMBER = /^(?=\D*(?:\d\D*){1,15}$)-?\d+(?:\.(\d+))?$/
const DATE = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d\d:\d\d(?::\d\d)?$/

/** A value as a person reads it. */
export function formatValue(type: string, value: string, say: Say, field?: Field): string {
  switch (type) {
    case 'Boolean':
      if (value === '') return ''
      return value === 'true' ? field?.trueLabel || say('yes', 'Yes') : field?.falseLabel || say('no', 'No')
    case 'Option':
      return field?.options.find(option => option.value === value)?.label ?? value
    case 'Integer':
    case 'Decimal':
      return formatNumber(value)
    case 'Date':
      return DATE.test(value) ? format(value, date => DATES.format(date)) : value
    case 'Time':
      return TIME.test(value) ? format(`1970-01-01T${value}Z`, time => TIMES.format(time)) : value
    case 'DateRange':
      return formatRange(value)
    default:
      return value
  }
}

const DATES = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const TIMES = new Intl.DateTimeFormat(undefined, { timeStyle: 'short', timeZone: 'UTC' })

function format(value: string, show: (date: Date) => string): string {
  const date = new Date(value)
  const isValid = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value.slice(0, 16))
  return isValid ? show(date) : value
}

function formatRange(value: string): string {
  const [from = '', to = '', ...others] = value.split('/')
  if (!DATE.test(from) || !DATE.test(to) || others.length > 0 || from > to) return value
  return format(from, start => format(to, end => DATES.formatRange(start, end)))
}

/** With as many decimals as the server sent. */
function formatNumber(value: string): string {
  const match = NUMBER.exec(value)
  return match === null ? value : numberFormat(match[1]?.length ?? 0).format(Number(value))
}

const numberFormats = new Map<number, Intl.NumberFormat>()

/** Made once: a list has many numbers. */
function numberFormat(digits: number): Intl.NumberFormat {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = numberFormats.get(digits) ?? new Intl.NumberFormat(undefined, options)
  numberFormats.set(digits, format)
  return format
}
