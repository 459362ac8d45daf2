/** A run of so many characters of a token is a part of it, and no accident. */
const PART = 16

/** Returns what a text can say: as it is and decoded. */
export function readingsOf(text: string): string[] {
  const once = percentDecoded(text)
  const twice = percentDecoded(once)
  const form = percentDecoded(text.replaceAll('+', ' '))
  const plain = new Set(
    [text, once, twice, percentDecoded(twice), form].flatMap(one => [one, one.replaceAll('+', ' '), unescaped(one)])
  )
  const coded = new Set([...plain].flatMap(one => [fromBase64(one), fromHex(one)]))
  return [...new Set([...plain, ...coded, ...[...coded].map(percentDecoded)])]
}

/** Returns whether one of the readings has one of the secrets. */
export function holds(readings: readonly string[], secrets: Iterable<string>): boolean {
  for (const secret of secrets) if (readings.some(reading => reading.includes(secret))) return true
  return false
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

/** Undoes the escapes of JSON. */
function unescaped(text: string): string {
  const characters = text.replace(/\\u([\da-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return characters.replace(/\\(["\\/])/g, '$1')
}

/** Base64 and Base64url. In a path a slash may be before it, so that it can begin anywhere in a word. */
function fromBase64(text: string): string {
  const words = text.match(/[\w+/-]{8,}/g) ?? []
  return words
    .flatMap(word => [0, 1, 2, 3].map(start => Buffer.from(word.slice(start), 'base64').toString()))
    .join('\n')
}

function fromHex(text: string): string {
  return (text.match(/[\da-f]{8,}/gi) ?? []).map(word => Buffer.from(word, 'hex').toString()).join('\n')
}

/** Returns the parts by which a token is recognized. */
export function partsOf(token: string): string[] {
  if (token.length <= PART) return [token]
  const starts = Array.from({ length: token.length - PART + 1 }, (_, index) => index)
  return [...new Set(starts.map(start => token.slice(start, start + PART)))]
}
