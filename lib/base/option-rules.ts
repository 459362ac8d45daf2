// Checks of options. Each one throws InvalidOptionError; `rule` is the requirement and the fix.
import { InvalidOptionError } from './errors.ts'

/** Seconds of a day: the default lifetime of a token (contract 8). */
export const DAY = 86_400

/** The longest delay of a Node timer, in seconds. With a longer delay it fires immediately. */
const LONGEST_TIME = 2_147_483

export function checkOption(isValid: boolean, option: string, rule: string): void {
  if (!isValid) throw new InvalidOptionError(`option \`${option}\` ${rule}`)
}

/**
 * Rejects unknown settings, and an instance of a class, whose inherited settings would have no effect.
 *
 * @returns a copy of the own settings: a polluted `Object.prototype` must not set an option
 */
export function checkGroup<T extends object>(group: T, option: string, names: readonly string[], orElse = ''): T {
  // Objects of another realm have another Object.prototype.
  const parentOf = (value: object) => Object.getPrototypeOf(value) ?? Object.prototype
  const isPlain = typeof group === 'object' && group !== null && Object.getPrototypeOf(parentOf(group)) === null
  checkOption(isPlain, option, `must be a plain object with ${names.join(', ')}${orElse}`)
  const unknown = Object.keys(group).find(name => !names.includes(name))
  checkOption(unknown === undefined, option, `has no setting \`${unknown}\`, only ${names.join(', ')}`)
  return Object.assign(Object.create(null), group)
}

/** In seconds. A time above `few` that is no multiple of `unit`, or any above `many`, may be in milliseconds. */
type Usual = [few: number, many: number, unit: number]

export function checkTime(value: unknown, option: string, usual: Usual = [60, 60, 1]): void {
  checkSeconds(value, option, usual, LONGEST_TIME, String(LONGEST_TIME))
}

export function checkLifetime(value: unknown, option: string, longest = 3650 * DAY, limit = 'ten years'): void {
  checkSeconds(value, option, [7 * DAY, 31 * DAY, DAY], longest, `${limit}, for example 86400 for a day`)
}

function checkSeconds(value: unknown, option: string, [few, many, unit]: Usual, longest: number, limit: string): void {
  const seconds = value as number
  const rule = `must be a whole number of seconds greater than 0, at most ${limit}`
  checkOption(isCount(value) && seconds <= longest, option, rule)
  if (seconds > many || (seconds > few && seconds % unit !== 0))
    warnOnce(`option \`${option}\` is very long for a number of seconds; are these milliseconds?`)
}

export function checkFunction(value: unknown, option: string, purpose: string): void {
  checkOption(isFunction(value), option, `must be a function that ${purpose}`)
}

export const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0
export const isFunction = (value: unknown) => typeof value === 'function'

const warned = new Set<string>()

/** Emits each text once as a process warning, which an operator sees even without a log. */
export function warnOnce(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(`screen-auth: ${text}`)
}
