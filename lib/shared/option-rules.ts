import { InvalidOptionError } from './errors.ts'

/**
 * Holds an option to its rule.
 *
 * @param rule what the option must be, and the fix: the rest of the message after its name
 * @throws InvalidOptionError when it does not hold
 */
export function demand(holds: boolean, option: string, rule: string): void {
  if (!holds) throw new InvalidOptionError(`option \`${option}\` ${rule}`)
}

/** Holds a group of settings to the names that it knows: of a misspelt one only the default would be in force. */
export function demandSettings(group: unknown, option: string, names: string[], orElse = ''): void {
  const isGroup = typeof group === 'object' && group !== null && !Array.isArray(group)
  demand(isGroup, option, `must be an object with ${names.join(', ')}${orElse}`)
  const unknown = Object.keys(group as object).find(name => !names.includes(name))
  demand(unknown === undefined, option, `has no setting \`${unknown}\`, only ${names.join(', ')}`)
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0
}

/** The longest that a timer of Node can count, in seconds: a longer one fires at once. */
export const LONGEST_TIME = 2_147_483

/** @throws InvalidOptionError when it is no number of seconds that a timer can count */
export function demandTime(value: unknown, option: string): void {
  const rule = `must be a whole number of seconds greater than 0, at most ${LONGEST_TIME}`
  demand(isTime(value), option, rule)
}

/** @throws InvalidOptionError when it is no number of seconds that a token can be valid */
export function demandLifetime(value: unknown, option: string): void {
  demand(isCount(value), option, 'must be a whole number of seconds greater than 0, for example 86400')
}

export function isTime(value: unknown): boolean {
  return isCount(value) && (value as number) <= LONGEST_TIME
}
