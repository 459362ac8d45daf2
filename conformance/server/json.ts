/** Deepest nesting of the JSON of a response. */
const MAX_DEPTH = 200

/** Returns the parsed JSON in `body`; an empty object if the text is not JSON, or is nested too deep. */
export function parseJson(text: string): { body?: unknown } {
  try {
    return isTooDeep(text) ? {} : { body: JSON.parse(text) }
  } catch {
    return {}
  }
}

/** Runs before the parser: JSON that is nested 100,000 deep takes seconds to parse and to compare. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at++) {
    const character = text[at] as string
    if (isInString && character === '\\') at++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
  }
  return depth > MAX_DEPTH
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string' && /[^ \t\r\n]/.test(value)
export const isToken = (value: unknown): value is string => typeof value === 'string' && value !== ''
