/**
 * Values as the reader writes them. What does not have the form of its type stays as it is.
 *
 * @module
 */

/** @typedef {{ yes: string, no: string }} Words */

const NUMBER = /^-?\d+(?:\.(\d+))?$/
const DATE = /^\d{4,6}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/
const TIME = /^\d\d:\d\d(:\d\d)?$/
const YES = /^(true|yes|1)$/i

/**
 * @param {string} type of a field or a column
 * @param {string} value
 * @param {Words} words
 */
export function format(type, value, words) {
  if (value === '') return ''
  if (type === 'Integer' || type === 'Decimal') return formatNumber(value)
  if (type === 'Date') return formatDate(value)
  if (type === 'Time') return formatTime(value)
  if (type === 'DateRange') return value.split('/').map(formatDate).join(' – ')
  if (type === 'Boolean') return isYes(value) ? words.yes : words.no
  return value
}

/** @param {string} value of a Boolean */
export function isYes(value) {
  return YES.test(value)
}

/** @param {string} value */
function formatNumber(value) {
  const match = NUMBER.exec(value)
  if (match === null) return value
  const digits = Math.min(match[1]?.length ?? 0, 20)
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  // A string keeps the digits that a number has no place for.
  return new Intl.NumberFormat(languages(), options).format(/** @type {`${number}`} */ (value))
}

/** @param {string} value */
function formatDate(value) {
  if (DATE_TIME.test(value)) return show(value, value, { dateStyle: 'medium', timeStyle: 'short' })
  // A day has no time zone.
  return DATE.test(value) ? show(value, value, { dateStyle: 'medium', timeZone: 'UTC' }) : value
}

/** @param {string} value */
function formatTime(value) {
  if (!TIME.test(value)) return value
  return show(`1970-01-01T${value}Z`, value, { timeStyle: 'short', timeZone: 'UTC' })
}

/**
 * @param {string} moment
 * @param {string} value what is shown when there is no such moment
 * @param {Intl.DateTimeFormatOptions} options
 */
function show(moment, value, options) {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? value : new Intl.DateTimeFormat(languages(), options).format(date)
}

function languages() {
  return [...navigator.languages]
}
