/**
 * Returns a foreign text as one line that a terminal and the log of a CI only show: invisible characters are
 * escaped, and what GitHub, Azure or TeamCity would take for a command is broken up.
 */
export function inert(text: string): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeOf)
    .replace(/##(?=\w*\[)/g, '#\\x23')
    .replace(/^(\s*):(?=:)/, '$1\\x3a')
}

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16)
  return SHORT[character] ?? (code.length > 2 ? `\\u{${code}}` : `\\x${code.padStart(2, '0')}`)
}
