// Checks of options. Each one throws InvalidOptionError; `rule` is the requirement and the fix.
import { InvalidOptionError } from './errors.ts'

/** The longest delay of a Node timer, in seconds. With a longer delay it fires immediately. */
const LONGEST_TIME = 2_147_483

export function checkOption(isValid: boolean, option: string, rule: string): void {
  if (!isValid) throw new InvalidOptionError(`option \`${option}\` ${rule}`)
}

/** Returns a copy of the own properties: a polluted `Object.prototype` must not set an option. */
export function ownOf<T extends object>(options: T): T {
  return Object.assign(Object.create(null), options)
}

/**
 * Rejects unknown settings: after a misspelling, the default would silently apply.
 *
 * @returns a copy of the own settings
 */
export function checkGroup<T extends object>(group: T, option: string, names: readonly string[], orElse = ''): T {
  const isGroup = typeof group === 'object' && group !== null && !Array.isArray(group)
  checkOption(isGroup, option, `must be an object with ${names.join(', ')}${orElse}`)
  const unknown = Object.keys(group).find(name => !names.includes(name))
  checkOption(unknown === undefined, option, `has no setting \`${unknown}\`, only ${names.join(', ')}`)
  return ownOf(group)
}

/** Warns above `usual`: the value may be in milliseconds. */
export function checkTime(value: unknown, option: string, usual = 600): void {
  checkSeconds(value, option, usual, LONGEST_TIME, String(LONGEST_TIME))
}

/** Warns above 31 days, as {@link checkTime} does. */
export function checkLifetime(value: unknown, option: string, longest = 3650 * 86_400, limit = 'ten years'): void {
  checkSeconds(value, option, 31 * 86_400, longest, `${limit}, for example 86400 for a day`)
}

function checkSeconds(value: unknown, option: string, usual: number, longest: number, limit: string): void {
  const isValid = isCount(value) && (value as number) <= longest
  checkOption(isValid, option, `must be a whole number of seconds greater than 0, at most ${limit}`)
  if ((value as number) > usual)
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
