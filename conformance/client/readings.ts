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

/** Texts that are looked for: whole ones, and every run of so many characters of longer ones. */
export interface Secrets {
  words: readonly string[]
  runs: ReadonlySet<string>
}

/** A run of so many characters of a token is a part of it, and no accident. */
const RUN = 16

/** No client has more of them, and none is longer, but a hostile one must not make the kit search for hours. */
const MOST = 50
const LONGEST = 8192

/** Returns the passwords, and the tokens with their parts. */
export function secretsOf(passwords: Iterable<string>, tokens: Iterable<string>): Secrets {
  const known = [...new Set(tokens)].slice(0, MOST).map(token => token.slice(0, LONGEST))
  const runs = known.flatMap(token =>
    Array.from({ length: Math.max(0, token.length - RUN + 1) }, (_, start) => token.slice(start, start + RUN))
  )
  const words = [...[...new Set(passwords)].slice(0, MOST), ...known.filter(({ length }) => length < RUN)]
  return { words, runs: new Set(runs) }
}

/** Returns whether one of the readings has one of the secrets. */
export function holds(readings: readonly string[], { words, runs }: Secrets): boolean {
  return readings.some(reading => words.some(word => reading.includes(word)) || hasRun(reading, runs))
}

function hasRun(text: string, runs: ReadonlySet<string>): boolean {
  for (let start = 0; runs.size > 0 && start + RUN <= text.length; start++)
    if (runs.has(text.slice(start, start + RUN))) return true
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
