/** Returns a text unchanged, and decoded from every encoding that a client may have applied. */
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

/** The texts to search for: whole words, and all fragments of longer texts, each with `FRAGMENT` characters. */
export interface Secrets {
  words: readonly string[]
  fragments: ReadonlySet<string>
}

/** Length of a fragment, in characters. A text does not contain so much of a token by accident. */
const FRAGMENT = 16

/** Limits on the number and the length of secrets, so that a hostile client cannot make the kit search for hours. */
const MOST = 50
const LONGEST = 8192

/** Returns what to search for: passwords and short tokens as words, longer tokens as fragments. */
export function secretsOf(passwords: Iterable<string>, tokens: Iterable<string>): Secrets {
  const known = [...new Set(tokens)].slice(0, MOST).map(token => token.slice(0, LONGEST))
  const fragments = known.flatMap(token =>
    Array.from({ length: Math.max(0, token.length - FRAGMENT + 1) }, (_, at) => token.slice(at, at + FRAGMENT))
  )
  const words = [...[...new Set(passwords)].slice(0, MOST), ...known.filter(({ length }) => length < FRAGMENT)]
  return { words, fragments: new Set(fragments) }
}

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

/** Decodes Base64 and Base64url. Starts at four offsets, because characters of a path may precede the encoded text. */
function fromBase64(text: string): string {
  const words = text.match(/[\w+/-]{8,}/g) ?? []
  return words
    .flatMap(word => [0, 1, 2, 3].map(start => Buffer.from(word.slice(start), 'base64').toString()))
    .join('\n')
}

function fromHex(text: string): string {
  return (text.match(/[\da-f]{8,}/gi) ?? []).map(word => Buffer.from(word, 'hex').toString()).join('\n')
}
