import { isUtf8 } from 'node:buffer'

/** A text that was decoded from another text, with the range of the other text for each of its characters. */
export interface Decoding {
  text: string
  from: number[]
  to: number[]
}

/** Reads a list of names, each with its character at its end. */
const named = (list: string) => new Map(list.split(' ').map(one => [one.slice(0, -1), one.slice(-1)]))
/** Of characters, and of the accents in names such as `eacute`. */
const NAMES = named(
  `quot" amp& apos' lt< gt> excl! num# dollar$ percnt% lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; equals= quest? commat@ lsqb[ bsol\\ rsqb] lowbar_ lcub{ vert| rcub} szlig\u00df`
)
const ACCENTS = named('grave\u0300 acute\u0301 circ\u0302 tilde\u0303 uml\u0308 ring\u030a cedil\u0327')

/** Matches an escape of a URL, JSON, a program or HTML, a list of bytes, UTF-8 read as Latin-1, or any character. */
const ESCAPES =
  /(?:%[\da-f]{2}|\\x[\da-f]{2})+|[\\%]u(?:0000)?[\da-f]{4}|\\u\{[\da-f]{1,6}\}|\\.|&#\d{1,9};?|&#x[\da-f]{1,8};?|&\w{2,9};|(?:\d{1,3}[,\s]\s{0,9}){7,}\d{1,3}|[\x80-\xff]{2,}|./gis

/** Patterns of encoded words, or of any other character, and their decoders. */
const DECODERS: [pattern: RegExp, decode: (word: string) => string][] = [
  [ESCAPES, unescaped],
  [/[\da-f]{2}(?:[\W_]{0,3}(?:0x)?[\da-f]{2}){3,}|./gis, word => anyOf(word.replace(/0x|[\W_]/gi, ''), 2, 'hex')],
  [/[\w+/-]{8,}(?:\r?\n[\w+/-]+)*={0,2}|./gs, word => anyOf(word, 4, 'base64')]
]

function unescaped(word: string): string {
  if (word.length === 1) return word === '\0' ? '' : word
  if (/^\d/.test(word)) return textOf(Buffer.from(word.split(/\D+/).map(Number)))
  if (/^(?:%[^u]|\\x)/i.test(word)) return textOf(Buffer.from(word.replace(/%|\\x/gi, ''), 'hex'))
  if (/^[\x80-\xff]/.test(word)) return textOf(Buffer.from(word, 'latin1'))
  const [, hex, decimal] = /^(?:[\\%]u\{?|&#x)([\da-f]+)|^&#(\d+)/i.exec(word) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  if (code <= 0x10ffff) return String.fromCodePoint(code)
  if (word.startsWith('\\')) return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }[word.slice(1)] ?? word.slice(1)
  const [letter = '', ...name] = word.slice(1, -1)
  const accent = ACCENTS.get(name.join('').toLowerCase())
  return accent === undefined
    ? (NAMES.get(word.slice(1, -1).toLowerCase()) ?? word)
    : (letter + accent).normalize('NFC')
}

const textOf = (bytes: Buffer) => bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replaceAll('\0', '')

/** Decodes a word from each of its first characters on, because for example a part of a path may precede it. */
function anyOf(word: string, count: number, encoding: 'hex' | 'base64'): string {
  if (word.length === 1) return word
  return Array.from({ length: count }, (_, at) => textOf(Buffer.from(word.slice(at), encoding))).join('\n')
}

function decoded({ text, from, to }: Decoding, [pattern, decode]: (typeof DECODERS)[number]): Decoding {
  const decoding: Decoding = { text: '', from: [], to: [] }
  for (const { 0: word, index } of text.matchAll(pattern)) {
    const plain = decode(word)
    decoding.text += plain
    for (let count = plain.length; count > 0; count--) {
      decoding.from.push(from[index] as number)
      decoding.to.push(to[index + word.length - 1] as number)
    }
  }
  return decoding
}

/** Returns a text unchanged, and decoded from up to two encodings. */
export function decodingsOf(text: string): Decoding[] {
  const places = Array.from({ length: text.length }, (_, at) => at)
  const original = { text, from: places, to: places.map(at => at + 1) }
  return withDecoded(withDecoded([original]))
}

function withDecoded(decodings: Decoding[]): Decoding[] {
  const all = [...decodings, ...decodings.flatMap(one => DECODERS.map(decoder => decoded(one, decoder)))]
  return [...new Map(all.map(one => [one.text, one])).values()]
}

/** Returns a secret as it is, and as a decoding has it if the secret itself has escapes. */
export function spellingsOf(secret: string): string[] {
  const once = secret.replace(ESCAPES, unescaped)
  return [...new Set([secret, once, once.replace(ESCAPES, unescaped)])]
}

/** Returns a text of the same length, in which a plus sign is a space, as in a form. */
export const spaced = (text: string) => text.replaceAll('+', ' ')
/** Returns a text of the same length, in which upper and lower case are the same, too. */
export const folded = (text: string) => spaced(text).replaceAll('İ', 'i').toLowerCase()
