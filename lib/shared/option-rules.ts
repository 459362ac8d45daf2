import { InvalidOptionError } from './errors.ts'
import { warnOnce } from './warn-once.ts'

/** The longest delay of a Node timer, in seconds. With a longer delay it fires immediately. */
export const LONGEST_TIME = 2_147_483

const YEAR = 365 * 86_400

/**
 * @param rule the message after the option's name: the requirement and the fix
 * @throws InvalidOptionError if the option is not valid
 */
export function checkOption(isValid: boolean, option: string, rule: string): void {
  if (!isValid) throw new InvalidOptionError(`option \`${option}\` ${rule}`)
}

/**
 * Rejects unknown settings: after a misspelling, the default would silently apply.
 *
 * @param orElse text of the message about other values that the option accepts
 * @throws InvalidOptionError if `group` is not an object, or has an unknown setting
 */
export function checkGroup(group: unknown, option: string, names: readonly string[], orElse = ''): void {
  const isGroup = typeof group === 'object' && group !== null && !Array.isArray(group)
  checkOption(isGroup, option, `must be an object with ${names.join(', ')}${orElse}`)
  const unknown = Object.keys(group as object).find(name => !names.includes(name))
  checkOption(unknown === undefined, option, `has no setting \`${unknown}\`, only ${names.join(', ')}`)
}

/** @throws InvalidOptionError if the value is not a number of seconds that a Node timer supports */
export function checkTime(value: unknown, option: string): void {
  const rule = `must be a whole number of seconds greater than 0, at most ${LONGEST_TIME}`
  checkOption(isTime(value), option, rule)
}

/** @throws InvalidOptionError if the value is not a lifetime in seconds */
export function checkLifetime(value: unknown, option: string, longest = 10 * YEAR, limit = 'ten years'): void {
  checkOption(
    isCount(value) && (value as number) <= longest,
    option,
    `must be a whole number of seconds greater than 0, at most ${limit}, for example 86400 for a day`
  )
}

/** Warns about a lifetime of more than a year: the value may be in milliseconds. */
export function warnAboutLifetime(seconds: number | undefined, option: string): void {
  if (seconds !== undefined && seconds > YEAR)
    warnOnce(`option \`${option}\` is more than a year in seconds; are these milliseconds?`)
}

/**
 * @param purpose the purpose of the function, for the message
 * @throws InvalidOptionError if the value is not a function
 */
export function checkFunction(value: unknown, option: string, purpose: string): void {
  checkOption(isFunction(value), option, `must be a function that ${purpose}`)
}

export function isTime(value: unknown): boolean {
  return isCount(value) && (value as number) <= LONGEST_TIME
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
