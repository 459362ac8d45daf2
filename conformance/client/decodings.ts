/** Returns a text as it is, and decoded from every encoding that it may have. */
export function decodingsOf(text: string): string[] {
  const once = percentDecoded(text)
  const twice = percentDecoded(once)
  const form = percentDecoded(text.replaceAll('+', ' '))
  const plain = new Set(
    [text, once, twice, percentDecoded(twice), form].flatMap(one => [one, one.replaceAll('+', ' '), unescaped(one)])
  )
  const coded = new Set([...plain].flatMap(one => [fromBase64(one), fromHex(one)]))
  return [...new Set([...plain, ...coded, ...[...coded].map(percentDecoded)])]
}

/** The texts to search for: whole words, and every fragment of `FRAGMENT` characters of longer texts. */
export interface Secrets {
  words: readonly string[]
  fragments: ReadonlySet<string>
}

/** Length of a fragment, in characters: a text that contains so much of a token does not match by accident. */
const FRAGMENT = 16

/** Limits on the number and the length of secrets, so that a hostile client cannot make the kit search for hours. */
const MOST = 50
const LONGEST = 8192

/** Returns the passwords, and the tokens with their fragments. */
export function secretsOf(passwords: Iterable<string>, tokens: Iterable<string>): Secrets {
  const known = [...new Set(tokens)].slice(0, MOST).map(token => token.slice(0, LONGEST))
  const fragments = known.flatMap(token =>
    Array.from({ length: Math.max(0, token.length - FRAGMENT + 1) }, (_, at) => token.slice(at, at + FRAGMENT))
  )
  const words = [...[...new Set(passwords)].slice(0, MOST), ...known.filter(({ length }) => length < FRAGMENT)]
  return { words, fragments: new Set(fragments) }
}

/** Returns whether one of the texts contains one of the secrets. */
export function containSecret(texts: readonly string[], { words, fragments }: Secrets): boolean {
  return texts.some(text => words.some(word => text.includes(word)) || hasFragment(text, fragments))
}

function hasFragment(text: string, fragments: ReadonlySet<string>): boolean {
  for (let start = 0; fragments.size > 0 && start + FRAGMENT <= text.length; start++)
    if (fragments.has(text.slice(start, start + FRAGMENT))) return true
  return false
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, bytes => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
}

/** Decodes the escapes of JSON. */
function unescaped(text: string): string {
  const characters = text.replace(/\\u([\da-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return characters.replace(/\\(["\\/])/g, '$1')
}

/** Decodes Base64 and Base64url. Tries four starts, because a slash of the path may come before the encoded text. */
function fromBase64(text: string): string {
  const words = text.match(/[\w+/-]{8,}/g) ?? []
  return words
    .flatMap(word => [0, 1, 2, 3].map(start => Buffer.from(word.slice(start), 'base64').toString()))
    .join('\n')
}

function fromHex(text: string): string {
  return (text.match(/[\da-f]{8,}/gi) ?? []).map(word => Buffer.from(word, 'hex').toString()).join('\n')
}
