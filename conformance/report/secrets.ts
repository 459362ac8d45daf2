/** A text as it is, as JSON and as a URL spell it; half a surrogate pair cannot be in a URL. */
export function spellings(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed())]
}

/** The secrets of a run, and the words that stand for them in what is shown. */
export class Secrets {
  /** The empty one is there from the beginning, so that there is always something to look for. */
  readonly #words = new Map([['', '']])

  /** Adds a secret in every spelling that a server or a client may give it; the empty one is none. */
  add(secret: string, word: string): void {
    // What a short one is in Base64 is found in many a text that has nothing to do with it.
    const coded = secret.length < 4 ? [] : [Buffer.from(secret).toString('base64')]
    for (const spelling of [...spellings(secret), ...coded]) {
      if (!this.#words.has(spelling)) this.#words.set(spelling, word)
    }
  }

  /** The text without the secrets, the longest of them first, and without control characters. */
  mask(text: string): string {
    const secrets = [...this.#words.keys()].sort((one, other) => other.length - one.length)
    const pattern = secrets.map(secret => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
    const masked = text.replace(new RegExp(pattern, 'g'), secret => this.#words.get(secret) as string)
    // A terminal would obey them.
    return masked.replace(
      /(?![\n\t])\p{Cc}/gu,
      character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
    )
  }
}
