/** A shorter text is part of many unrelated ones: without it a report could not be read. */
const SHORTEST = 8

/** Of a text as much is read at first. */
const BLOCK = 2 ** 14

/** So many words of one response are looked at, which is more than a screen has. */
const MOST_WORDS = 10_000

/** So many words of a run are taken for tokens: a hostile server sends thousands. */
const MOST_LEARNED = 1000

/** What is before a secret that has a name: `"access_token": "`, `session_id=`, `"authorization":"Bearer `. */
const NAMED =
  /(?:token|jwt|session|(?<![a-z])sid|secret|authorization|api_?key)[\w-]{0,20}(?:["']\s{0,3}[:=]\s{0,3}["']|=["']?)(?:bearer )?$/i

/** The secrets of a run, and the words that replace them in a report. */
export class Secrets {
  readonly #words = new Map<string, string>()
  #learned = 0
  /** By their first characters, the longest first. */
  readonly #secrets = new Map<string, string[]>()
  #longest = 0

  /** Adds a secret of eight characters or more in every encoding in which a server or a client may send it. */
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

  /** Adds what looks like a token or a cookie in the response to right credentials, wherever it is. */
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
   * Returns the text without the secrets; of two that begin at the same place the longer one is replaced.
   *
   * @param length the text is cut after so many characters. Half a secret would not be recognised: it is masked before.
   */
  mask(text: string, length = Number.POSITIVE_INFINITY): string {
    return this.#maskBeginning(text, length, BLOCK)
  }

  /** Of a long text no more is read than is shown, and a secret that begins there. */
  #maskBeginning(text: string, length: number, size: number): string {
    const readable = unescaped(text.slice(0, size))
    const [masked, end] = this.#replaceIn(readable, length)
    const isRead = size >= text.length || end + this.#longest <= readable.length
    return isRead ? masked.slice(0, length) : this.#maskBeginning(text, length, size * 4)
  }

  /** Returns the masked text, until it has that length, and the place where it ends. */
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

/** A server that repeats a request may have escapes of its own, in JSON. */
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

/** The words that a name before them or their own letters say to be tokens. */
function* tokensIn(text: string): Generator<string> {
  let count = 0
  for (const { 0: word, index } of text.matchAll(/[\w.~+/-]{8,}={0,2}/g)) {
    if (++count > MOST_WORDS) return
    const isNamed = NAMED.test(text.slice(Math.max(0, index - 60), index)) && !word.startsWith('/')
    if (isNamed || looksRandom(word)) yield word
  }
}

/** Whether a part is of mixed letters and digits, or hexadecimal, as no path and no sentence is. */
function looksRandom(word: string): boolean {
  return word.split(/[./]/).some(part => {
    const isMixed = /[a-z]/.test(part) && /[A-Z]/.test(part)
    const isHex = /^[\da-f-]+$/i.test(part) && /[a-f]/i.test(part)
    return part.length >= 16 && /\d/.test(part) && (isMixed || isHex)
  })
}
