/** Minimum length of a secret. Masking a shorter text would also mask many unrelated texts of the report. */
const SHORTEST = 8

/** Number of characters of a text to read at first. */
const BLOCK = 2 ** 14

/** Maximum number of words per response to check for tokens. No screen has more. */
const MOST_WORDS = 10_000

/** Maximum number of tokens to learn per run, because a hostile server could send thousands. */
const MOST_LEARNED = 1000

/** Matches the text before a named secret: `"access_token": "`, `session_id=`, `"authorization":"Bearer `. */
const NAMED =
  /(?:token|jwt|session|(?<![a-z])sid|secret|authorization|api_?key)[\w-]{0,20}(?:["']\s{0,3}[:=]\s{0,3}["']|=["']?)(?:bearer )?$/i

/** The secrets of a run, and the words that replace them in a report. */
export class Secrets {
  readonly #words = new Map<string, string>()
  #learned = 0
  /** The secrets by their first characters, longest first. */
  readonly #secrets = new Map<string, string[]>()
  #longest = 0

  /** Adds a secret of at least eight characters, in every encoding in which a server or a client may send it. */
  add(secret: string, word: string): void {
    if (secret.length < SHORTEST) return
    for (const spelling of spellings(secret)) {
      if (this.#words.has(spelling)) continue
      this.#words.set(spelling, word)
      this.#longest = Math.max(this.#longest, spelling.length)
      const start = spelling.slice(0, SHORTEST)
      const others = this.#secrets.get(start) ?? []
      this.#secrets.set(
        start,
        [...others, spelling].sort((one, other) => other.length - one.length)
      )
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
    if (/^[\w.~+/-]+=*$/.test(text)) this.add(text, '<token>')
  }

  /**
   * Returns the text with masked secrets. If two secrets begin at the same place, masks the longer secret.
   *
   * @param length maximum length of the result. Cuts the text after masking, because a cut secret is not recognised.
   */
  mask(text: string, length = Number.POSITIVE_INFINITY): string {
    return this.#maskBeginning(text, length, BLOCK)
  }

  /** Reads only the shown part of a long text, with any secret that begins in that part. */
  #maskBeginning(text: string, length: number, size: number): string {
    const readable = unescaped(text.slice(0, size))
    const [masked, end] = this.#replaceIn(readable, length)
    const isRead = size >= text.length || end + this.#longest <= readable.length
    return isRead ? masked.slice(0, length) : this.#maskBeginning(text, length, size * 4)
  }

  /** Masks the text until the result has the length. Returns the result, and the end of the part that was read. */
  #replaceIn(text: string, length: number): [masked: string, end: number] {
    let masked = ''
    let at = 0
    while (at < text.length && masked.length < length) {
      const secret = this.#secrets.get(text.slice(at, at + SHORTEST))?.find(one => text.startsWith(one, at))
      masked += secret === undefined ? text[at] : this.#words.get(secret)
      at += secret?.length ?? 1
    }
    return [masked, at]
  }
}

/** Decodes the JSON escapes that a server may use when it repeats a request. */
function unescaped(text: string): string {
  return text.replace(/\\u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

function spellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  // A URL cannot hold half a surrogate pair.
  const inUrl = encodeURIComponent(secret.toWellFormed())
  const inHtml = secret.replace(/[&<>]/g, character => ({ '&': '&amp;', '<': '&lt;' })[character] ?? '&gt;')
  return [secret, json, json.replaceAll('/', '\\/'), inUrl, inHtml, Buffer.from(secret).toString('base64')]
}

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
