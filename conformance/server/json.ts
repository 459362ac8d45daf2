/** Returns the parsed JSON in `body`; an empty object if the text is not JSON. */
export function parseJson(text: string): { body?: unknown } {
  try {
    return { body: JSON.parse(text) }
  } catch {
    return {}
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string' && /[^ \t\r\n]/.test(value)
export const isToken = (value: unknown): value is string => typeof value === 'string' && value !== ''
