import { type Decoding, decodingsOf, folded, spellingsOf } from './decodings.ts'

/** Minimum length of a secret. Masking a shorter text would also mask many unrelated texts of the report. */
const SHORTEST = 8

/** Maximum number of words per response to check for tokens. No screen has more. */
const MOST_WORDS = 10_000

/** Maximum number of tokens to learn per run, because a hostile server could send thousands. */
const MOST_LEARNED = 1000

/** Matches the text before a named secret: `"access_token": "`, `session_id=`, `"authorization":"Bearer `. */
const NAMED =
  /(?:token|jwt|session|(?<![a-z])sid|secret|authorization|api_?key)[\w-]{0,20}(?:["']\s{0,3}[:=]\s{0,3}["']|=["']?)(?:bearer )?$/i

/** So many characters identify a secret whose end is not in the searched text. In any encoding they fit into it. */
const HEAD = 64

interface Secret {
  text: string
  word: string
}

/** The secrets of a run, and the words that replace them in a report. */
export class Secrets {
  #learned = 0
  /** The secrets by their first characters, longest first. */
  readonly #secrets = new Map<string, Secret[]>()

  add(secret: string, word: string): void {
    for (const spelling of [secret, secret.toUpperCase()].flatMap(spellingsOf).map(folded)) {
      const start = spelling.slice(0, SHORTEST)
      const others = this.#secrets.get(start) ?? []
      if (spelling.length < SHORTEST || others.some(({ text }) => text === spelling)) continue
      this.#secrets.set(start, [...others, { text: spelling, word }].sort(longestFirst))
    }
  }

  /** Adds all cookies of a response to a login, and all words in its headers and body that look like tokens. */
  learn({ headers, text }: { headers: Record<string, string>; text: string }): void {
    for (const cookie of (headers['set-cookie'] ?? '').split(/, (?=[^ ;,=]{1,200}=)/)) {
      const [, value = ''] = /^[^=;]*=([^;]*)/.exec(cookie) ?? []
      this.add(value, '<cookie>')
    }
    const lines = Object.entries(headers).map(([name, value]) => `"${name}":"${value}"`)
    for (const token of tokensIn([...lines, text].join('\n')))
      if (this.#learned++ < MOST_LEARNED) this.add(token, '<token>')
    // A body such as Unauthorized is no token.
    if (/^(?=.*[\d_~+/-])[\w.~+/-]+=*$/.test(text)) this.add(text, '<token>')
  }

  /**
   * Returns the text with masked secrets, in any encoding and in upper or lower case.
   *
   * @param length maximum length of the result. Cuts the text after masking, because a cut secret is not recognised.
   *   Does not search much more than it shows, so that a long text takes no longer.
   */
  mask(text: string, length = 2000): string {
    const isCut = text.length > 4 * length
    const found = decodingsOf(text.slice(0, 4 * length)).flatMap(decoding => this.#find(decoding, isCut))
    let masked = ''
    let at = 0
    for (const { from, to, word } of found.sort((one, other) => one.from - other.from || other.to - one.to)) {
      if (from >= at) masked += text.slice(at, from) + word
      at = Math.max(at, to)
    }
    // Shows only half of the searched text, because a secret at its end may be cut.
    return (masked + text.slice(at, 2 * length)).slice(0, length)
  }

  #find({ text, from, to }: Decoding, isCut: boolean): { from: number; to: number; word: string }[] {
    const readable = folded(text)
    const found = []
    for (let at = 0; at < readable.length; at++) {
      const isHere = (secret: string) =>
        readable.startsWith(isCut && at + secret.length > readable.length ? secret.slice(0, HEAD) : secret, at)
      const secret = this.#secrets.get(readable.slice(at, at + SHORTEST))?.find(({ text }) => isHere(text))
      if (secret === undefined) continue
      const last = Math.min(at + secret.text.length, readable.length) - 1
      found.push({ from: from[at] as number, to: to[last] as number, word: secret.word })
      at = last
    }
    return found
  }
}

const longestFirst = (one: Secret, other: Secret) => other.text.length - one.text.length

/** Yields the words that look random, or that follow a name such as `token`. */
function* tokensIn(text: string): Generator<string> {
  let count = 0
  for (const { 0: word, index } of text.matchAll(/[\w.~+/-]{8,}={0,2}/g)) {
    if (++count > MOST_WORDS) return
    const isNamed = NAMED.test(text.slice(Math.max(0, index - 60), index)) && !word.startsWith('/')
    if (isNamed || looksRandom(word)) yield word
  }
}

/** Whether a part of the word has digits and mixed letters, or is hexadecimal. Paths and sentences do not match. */
function looksRandom(word: string): boolean {
  return word.split(/[./]/).some(part => {
    const isMixed = /[a-z]/.test(part) && /[A-Z]/.test(part)
    const isHex = /^[\da-f-]+$/i.test(part) && /[a-f]/i.test(part)
    return part.length >= 16 && /\d/.test(part) && (isMixed || isHex)
  })
}
