const MAX_DEPTH = 200

/** Returns the parsed JSON in `body`; an empty object if the text is not JSON, or is nested too deep. */
export function parseJson(text: string): { body?: unknown } {
  try {
    return isTooDeep(text) ? {} : { body: JSON.parse(text) }
  } catch {
    return {}
  }
}

const STEPS: Record<string, number> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/** Runs before the parser: JSON that is nested 100,000 deep takes seconds to parse and to compare. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [stringOrBracket] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[[{\]}]/gs)) {
    depth += STEPS[stringOrBracket] ?? 0
    if (depth > MAX_DEPTH) return true
  }
  return false
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string' && /[^ \t\r\n]/.test(value)
export const isToken = (value: unknown): value is string => typeof value === 'string' && value !== ''
