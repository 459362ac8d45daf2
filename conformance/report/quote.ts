/**
 * Returns an untrusted text as one line that is safe in a terminal and in a CI log. Escapes invisible characters and
 * all text that GitHub, Azure or TeamCity would execute as a command.
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
