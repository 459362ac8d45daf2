/** Says which placeholder has no value in this run. */
export class MissingValueError extends Error {
  override name = 'MissingValueError'
}

/** Returns the value of a placeholder by its name; undefined when it has none. */
export type Lookup = (name: string) => unknown

/**
 * Replaces every `{{name}}` in strings and keys. A string that is one placeholder and nothing else becomes the value
 * itself, so that a number stays a number. In a pattern a placeholder is `\{\{name\}\}`, to be a valid one.
 *
 * @returns a copy
 * @throws MissingValueError when a placeholder has no value
 */
export function fill<T>(template: T, lookup: Lookup): T
export function fill(template: unknown, lookup: Lookup): unknown {
  if (typeof template === 'string') return fillText(template, lookup)
  if (Array.isArray(template)) return template.map(item => fill(item, lookup))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [fillText(key, lookup), fill(value, lookup)])
  )
}

function fillText(text: string, lookup: Lookup): unknown {
  const [, whole] = /^\{\{([^{}]+)\}\}$/.exec(text) ?? []
  if (whole !== undefined) return resolveName(whole, lookup)
  return text.replace(/\{\{([^{}]+)\}\}|\\\{\\\{([^{}\\]+)\\\}\\\}/g, (_, name, inPattern) =>
    inPattern === undefined
      ? String(resolveName(name, lookup))
      : escapePattern(String(resolveName(inPattern, lookup)))
  )
}

/** The characters that mean something in a pattern, escaped. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function resolveName(name: string, lookup: Lookup): unknown {
  const value = lookup(name)
  if (value === undefined) throw new MissingValueError(missing(name))
  return value
}

function missing(name: string): string {
  return name.includes('token')
    ? 'it needs a token, and the login gave none'
    : `it needs ${name}, and there is none`
}
