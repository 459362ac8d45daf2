import { InvalidOptionError } from './errors.ts'
import { warnOnce } from './warn-once.ts'

/** The longest that a timer of Node can count, in seconds: a longer one fires at once. */
export const LONGEST_TIME = 2_147_483

const YEAR = 365 * 86_400

/** The longest that a token can be valid, in seconds. */
export const LONGEST_LIFETIME = 10 * YEAR

/**
 * Checks one option.
 *
 * @param rule what the option must be, and the fix: the rest of the message after its name
 * @throws InvalidOptionError when it is not right
 */
export function checkOption(isRight: boolean, option: string, rule: string): void {
  if (!isRight) throw new InvalidOptionError(`option \`${option}\` ${rule}`)
}

/**
 * Checks that a group of settings has no unknown one: for a misspelt name the default would be in force.
 *
 * @param orElse what the option may be instead of a group, for the message
 * @throws InvalidOptionError when it is no group, or has a setting that does not exist
 */
export function checkGroup(group: unknown, option: string, names: readonly string[], orElse = ''): void {
  const isGroup = typeof group === 'object' && group !== null && !Array.isArray(group)
  checkOption(isGroup, option, `must be an object with ${names.join(', ')}${orElse}`)
  const unknown = Object.keys(group as object).find(name => !names.includes(name))
  checkOption(unknown === undefined, option, `has no setting \`${unknown}\`, only ${names.join(', ')}`)
}

/** @throws InvalidOptionError when it is not a number of seconds that a timer can count */
export function checkTime(value: unknown, option: string): void {
  const rule = `must be a whole number of seconds greater than 0, at most ${LONGEST_TIME}`
  checkOption(isTime(value), option, rule)
}

/** @throws InvalidOptionError when it is not a number of seconds that a token can be valid */
export function checkLifetime(value: unknown, option: string): void {
  checkOption(
    isCount(value) && (value as number) <= LONGEST_LIFETIME,
    option,
    'must be a whole number of seconds greater than 0, at most ten years, for example 86400 for a day'
  )
}

/** Warns of more than a year, which may be meant in milliseconds. */
export function warnOfLifetime(seconds: number | undefined, option: string): void {
  if (seconds !== undefined && seconds > YEAR)
    warnOnce(`option \`${option}\` is more than a year in seconds; are these milliseconds?`)
}

/**
 * @param purpose what the function does, for the message
 * @throws InvalidOptionError when it is no function
 */
export function checkFunction(value: unknown, option: string, purpose: string): void {
  checkOption(isFunction(value), option, `must be a function that ${purpose}`)
}

export function isTime(value: unknown): boolean {
  return isCount(value) && (value as number) <= LONGEST_TIME
}

/** Whether it is a whole number greater than 0. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
