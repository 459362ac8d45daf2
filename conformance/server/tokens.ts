/** Changes a token so that it must no longer be valid. Returns undefined if that has no effect or leaves nothing. */
export function changeToken(token: string, change: TokenChange): string | undefined {
  const changed = CHANGES[change](token)
  return changed === token || changed === '' ? undefined : changed
}

export const CHANGES = {
  'first changed': token => changeAt(token, 0),
  'middle changed': token => changeAt(token, token.length >> 1),
  // Not the last characters, which may be padding or have unused bits in Base64.
  'end changed': token => changeAt(token, Math.max(0, token.length - 6)),
  'last changed': token => (isHexadecimal(token) ? changeAt(token, token.length - 1) : token),
  'first half': token => token.slice(0, token.length >> 1),
  'second half': token => token.slice(token.length >> 1),
  'first character': token => token.slice(0, 1),
  // Four characters, because a Base64 decoder may ignore an incomplete group. For a hexadecimal token they are
  // hexadecimal, because a decoder may stop at the first other character.
  appended: token => (isHexadecimal(token) ? `${token}abcd` : token.replace(/=*$/, padding => `xxxx${padding}`)),
  prepended: token => `x${token}`,
  'part appended': token => `${token}.xxxx`,
  'symbol inserted': token => `${token.slice(0, 2)}!${token.slice(2)}`,
  'two swapped': token => {
    const middle = token.length >> 1
    return token.slice(0, middle) + token.slice(middle).replace(/([\da-z])(?!\1)([\da-z])/i, '$2$1')
  },
  'end cut': token => token.slice(0, -8),
  // A server may ignore the case of the letters: hexadecimal and Base32 decoders accept both.
  'other case': token =>
    isHexadecimal(token) || [token.toLowerCase(), token.toUpperCase()].includes(token) ? token : otherCase(token),
  'content changed': token => changeContent(token, content => content.search(/[\da-z][^\da-z]*$/i)),
  // The last long number is probably the expiry.
  'number changed': token => changeContent(token, content => (/^.*\d{4,}/.exec(content)?.[0].length ?? 0) - 1)
} satisfies Record<string, (token: string) => string>

export type TokenChange = keyof typeof CHANGES

/** Whether a token is hexadecimal: then every bit counts. In Base64, the last character may have unused bits. */
const isHexadecimal = (token: string) => /^[\da-f-]*$/i.test(token)

export const otherCase = (text: string) =>
  text.replace(/[a-z]/gi, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

/** Replaces the first letter or digit at or after `index` by the next one. Hexadecimal digits stay hexadecimal. */
export function changeAt(token: string, index: number): string {
  const changed = token.slice(index).replace(/[\da-z]/i, character => {
    const alphabet = ['0123456789', 'abcdef', 'ABCDEF', 'ghijklmnopqrstuvwxyz', 'GHIJKLMNOPQRSTUVWXYZ'].find(
      characters => characters.includes(character)
    ) as string
    return alphabet[(alphabet.indexOf(character) + 1) % alphabet.length] as string
  })
  return token.slice(0, index) + changed
}

/** Changes the character that `find` finds in readable content. Detects a server that does not sign its tokens. */
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
