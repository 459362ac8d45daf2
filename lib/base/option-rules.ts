// Rules of options: an option has one rule, which says its check and its default.
import { InvalidOptionError } from './errors.ts'
import { warnOnce } from './warnings.ts'

/** Seconds of a day: the default lifetime of a token (contract 8). */
export const DAY = 86_400

/** The longest delay of a Node timer, in seconds. With a longer delay it fires immediately. */
const LONGEST_TIME = 2_147_483

/**
 * Checks the value of an option, and returns the value to use.
 *
 * @param option the name of the option in an error message
 * @param checked the settings of the same group whose rules come before this one
 * @throws InvalidOptionError if the value is invalid
 */
export type Rule<T> = (value: unknown, option: string, checked?: Record<string, unknown>) => T
/** The rules of a group, by the names of its settings. */
export type Rules = Record<string, Rule<unknown>>
/** The checked settings of a group. */
export type Checked<R extends Rules> = { [Name in keyof R]: ReturnType<R[Name]> }

/** @param rule the requirement and the fix */
export function checkOption(isValid: boolean, option: string, rule: string): void {
  if (!isValid) throw new InvalidOptionError(`option \`${option}\` ${rule}`)
}

/**
 * Checks each setting of a group with its rule. Rejects unknown settings, and an instance of a class, whose inherited
 * settings would have no effect.
 *
 * @param orElse the end of the message for a value that is no group
 */
export function checkGroup<R extends Rules>(group: unknown, option: string, rules: R, orElse = ''): Checked<R> {
  const names = Object.keys(rules)
  // Objects of another realm have another Object.prototype.
  const parentOf = (value: object) => Object.getPrototypeOf(value) ?? Object.prototype
  const isPlain = typeof group === 'object' && group !== null && Object.getPrototypeOf(parentOf(group)) === null
  checkOption(isPlain, option, `must be a plain object with ${names.join(', ')}${orElse}`)
  const unknown = Object.keys(group as object).find(name => !names.includes(name))
  checkOption(unknown === undefined, option, `has no setting \`${unknown}\`, only ${names.join(', ')}`)
  // Own settings only: a polluted `Object.prototype` must not set an option.
  const own: Record<string, unknown> = Object.assign(Object.create(null), group)
  // Messages name an option of the plugin `prefix`, and one of `redisStore.options` `redisStore.prefix`.
  const path = `${option}.`.replace(/(^register\.)?options\.$/, '')
  const checked: Record<string, unknown> = Object.create(null)
  for (const [name, rule] of Object.entries(rules)) checked[name] = rule(own[name], path + name, checked)
  return checked as Checked<R>
}

/**
 * Makes a rule, as the functions below do. Without `byDefault`, the option is required.
 *
 * @param rule the requirement and the fix
 */
export function valid<T>(isValid: (value: unknown) => boolean, rule: string, byDefault?: T): Rule<T> {
  return (value = byDefault, option) => {
    checkOption(isValid(value), option, rule)
    return value as T
  }
}

/** Makes the rule of an option that may be undefined, from the rule of its other values. */
export function optional<T>(rule: Rule<T>): Rule<T | undefined> {
  return (value, option) => (value === undefined ? undefined : rule(value, option))
}

export const isPositiveInteger = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0
export const isFunction = (value: unknown) => typeof value === 'function'

export const positiveInteger = (byDefault?: number) =>
  valid<number>(isPositiveInteger, 'must be a whole number greater than 0', byDefault)

export const nonEmptyString = (fix: string, byDefault?: string) =>
  valid<string>(value => typeof value === 'string' && value !== '', `must be a non-empty string${fix}`, byDefault)

export const functionThat = <F>(purpose: string, byDefault?: F) =>
  valid<F>(isFunction, `must be a function that ${purpose}`, byDefault)

/** In seconds. A time above `few` that is no multiple of `unit`, or any above `many`, may be in milliseconds. */
type Usual = [few: number, many: number, unit: number]

export const timer = (byDefault?: number, usual: Usual = [60, 60, 1]) => seconds(byDefault, usual, LONGEST_TIME)

/** @param limit the words for `longest` in a message */
export const lifetime = (longest: number, limit: string, byDefault?: number) =>
  seconds(byDefault, [7 * DAY, 31 * DAY, DAY], longest, `${limit}, for example 86400 for a day`)

function seconds(byDefault: number | undefined, [few, many, unit]: Usual, longest: number, limit = `${longest}`) {
  const isValid = (value: unknown) => isPositiveInteger(value) && (value as number) <= longest
  const rule = valid<number>(isValid, `must be a whole number of seconds greater than 0, at most ${limit}`, byDefault)
  return (value: unknown, option: string) => {
    const seconds = rule(value, option)
    if (seconds > many || (seconds > few && seconds % unit !== 0))
      warnOnce(`option \`${option}\` is very long for a number of seconds; are these milliseconds?`)
    return seconds
  }
}
