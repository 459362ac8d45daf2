/** Minimum length of a secret. Masking a shorter text would also mask many unrelated texts of the report. */
const SHORTEST = 8

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

  /** Adds a secret of at least eight characters, in every encoding in which a server or a client may send it. */
  add(secret: string, word: string): void {
    if (secret.length < SHORTEST) return
    for (const spelling of spellings(secret)) {
      if (this.#words.has(spelling)) continue
      this.#words.set(spelling, word)
      const start = spelling.slice(0, SHORTEST)
      const others = this.#secrets.get(start) ?? []
      this.#secrets.set(start, [...others, spelling].sort(longestFirst))
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
    const readable = unescaped(text)
    let masked = ''
    let at = 0
    while (at < readable.length && masked.length < length) {
      const secret = this.#secrets.get(readable.slice(at, at + SHORTEST))?.find(one => readable.startsWith(one, at))
      masked += secret === undefined ? readable[at] : this.#words.get(secret)
      at += secret?.length ?? 1
    }
    return masked.slice(0, length)
  }
}

const longestFirst = (one: string, other: string) => other.length - one.length

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
