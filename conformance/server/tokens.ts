/**
 * Changes a token so that it must not be valid any more.
 *
 * @returns the changed token; undefined when it would be the same
 */
export function changeToken(token: string, change: TokenChange): string | undefined {
  const changed = CHANGES[change](token)
  return changed === token || changed === '' ? undefined : changed
}

/** The changes of a token, by their names in the cases. */
export const CHANGES = {
  'first changed': token => changeAt(token, 0),
  'middle changed': token => changeAt(token, token.length >> 1),
  // Not the last characters: in Base64 they may hold unused bits, or be padding.
  'end changed': token => changeAt(token, Math.max(0, token.length - 6)),
  'last changed': token => (isHexadecimal(token) ? changeAt(token, token.length - 1) : token),
  'first half': token => token.slice(0, token.length >> 1),
  'second half': token => token.slice(token.length >> 1),
  'first character': token => token.slice(0, 1),
  // Four characters, because a Base64 decoder may ignore an incomplete group, and hexadecimal ones where all others are: such
  // a decoder may ignore what follows the first other character.
  appended: token => (isHexadecimal(token) ? `${token}abcd` : token.replace(/=*$/, padding => `xxxx${padding}`)),
  prepended: token => `x${token}`,
  'part appended': token => `${token}.xxxx`,
  'symbol inserted': token => `${token.slice(0, 2)}!${token.slice(2)}`,
  'two swapped': token => {
    const middle = token.length >> 1
    return token.slice(0, middle) + token.slice(middle).replace(/([\da-z])(?!\1)([\da-z])/i, '$2$1')
  },
  'end cut': token => token.slice(0, -8),
  'other case': token => (isOneCase(token) ? token : otherCase(token)),
  'content changed': token => changeContent(token, content => content.search(/[\da-z][^\da-z]*$/i)),
  // Where the expiry is likely to be.
  'number changed': token => changeContent(token, content => (/^.*\d{4,}/.exec(content)?.[0].length ?? 0) - 1)
} satisfies Record<string, (token: string) => string>

export type TokenChange = keyof typeof CHANGES

/** Whether the case of letters may not matter: decoders of hexadecimal digits and Base32 read both. */
function isOneCase(token: string): boolean {
  return token === token.toLowerCase() || token === token.toUpperCase() || isHexadecimal(token)
}

/** Whether every character counts, also the last: Base64 has unused bits there. */
function isHexadecimal(token: string): boolean {
  return /^[\da-f-]*$/i.test(token)
}

/** Returns the text with each letter in the other case. */
export function otherCase(text: string): string {
  return text.replace(/[a-z]/gi, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
}

/** Returns the text with the next of its kind for the first letter or digit from `index` on: hexadecimal stays so. */
export function changeAt(token: string, index: number): string {
  const changed = token.slice(index).replace(/[\da-z]/i, character => {
    const alphabet = ['0123456789', 'abcdef', 'ABCDEF', 'ghijklmnopqrstuvwxyz', 'GHIJKLMNOPQRSTUVWXYZ'].find(
      characters => characters.includes(character)
    ) as string
    return alphabet[(alphabet.indexOf(character) + 1) % alphabet.length] as string
  })
  return token.slice(0, index) + changed
}

/**
 * Changes one character of the readable content of a token that has its own form: in the worst case, that form has no
 * signature.
 *
 * @param find returns the place of the character in the content, and -1 where there is none
 */
function changeContent(token: string, find: (content: string) => number): string {
  for (const part of token.split('.')) {
    const encoding = /^([\da-f]{2})+$/i.test(part) ? 'hex' : /[+/=]/.test(part) ? 'base64' : 'base64url'
    const content = Buffer.from(part, encoding).toString('latin1')
    const place = /^[ -~]{4,}$/.test(content) ? find(content) : -1
    if (place === -1) continue
    const changed = Buffer.from(changeAt(content, place)).toString(encoding)
    return token.replace(part, part.endsWith('=') ? changed : changed.replace(/=+$/, ''))
  }
  return token
}
