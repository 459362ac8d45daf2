/** At most 150 strings, brackets and commas outside of strings: some 45 fields. */
const SIMPLE = /^(?:[^"[{,]*(?:"[^"\\]*(?:\\.[^"\\]*)*"|[[{,])){0,150}[^"[{,]*$/s

/**
 * Whether a text can be parsed as JSON in about the time of one long string. To parse thousands of keys, nested arrays or
 * numbers takes many times as long.
 */
export function isSimpleJson(text: string): boolean {
  return SIMPLE.test(text)
}
