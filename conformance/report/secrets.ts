/** Returns a text as it is, as in JSON and as in a URL, which cannot hold half a surrogate pair. */
export function spellings(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed())]
}

/** The secrets of a run, and the words that replace them in a report. */
export class Secrets {
  /** The empty text makes the pattern in `mask` valid when there are no secrets. */
  readonly #words = new Map([['', '']])

  /** Adds a secret in every encoding in which a server or a client may send it. */
  add(secret: string, word: string): void {
    // The Base64 of a short secret is part of many unrelated texts.
    const coded = secret.length < 4 ? [] : [Buffer.from(secret).toString('base64')]
    for (const spelling of [...spellings(secret), ...coded]) {
      if (!this.#words.has(spelling)) this.#words.set(spelling, word)
    }
  }

  /** Returns the text without the secrets, the longest first, and with control characters escaped. */
  mask(text: string): string {
    const secrets = [...this.#words.keys()].sort((one, other) => other.length - one.length)
    const pattern = secrets.map(secret => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
    const masked = text.replace(new RegExp(pattern, 'g'), secret => this.#words.get(secret) as string)
    // A terminal would execute control characters.
    return masked.replace(
      /(?![\n\t])\p{Cc}/gu,
      character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
    )
  }
}
