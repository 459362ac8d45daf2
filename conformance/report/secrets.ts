/** A shorter text is part of many unrelated ones: without it a report could not be read. */
const SHORTEST = 8

/** The secrets of a run, and the words that replace them in a report. */
export class Secrets {
  /** The empty text makes the pattern in `mask` valid when there are no secrets. */
  readonly #words = new Map([['', '']])

  /** Adds a secret of eight characters or more in every encoding in which a server or a client may send it. */
  add(secret: string, word: string): void {
    if (secret.length < SHORTEST) return
    // A URL cannot hold half a surrogate pair.
    const inUrl = encodeURIComponent(secret.toWellFormed())
    for (const spelling of [secret, JSON.stringify(secret).slice(1, -1), inUrl, Buffer.from(secret).toString('base64')])
      if (!this.#words.has(spelling)) this.#words.set(spelling, word)
  }

  /** Returns the text without the secrets, the longest first, and with control characters escaped. */
  mask(text: string): string {
    const secrets = [...this.#words.keys()].sort((one, other) => other.length - one.length)
    const pattern = secrets.map(secret => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
    // A server that repeats a request may repeat the escapes of its JSON, too.
    const readable = text.replace(/(?:\\u[\da-f]{4}){2,}/gi, run =>
      run.replace(/\\u(....)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    )
    const masked = readable.replace(new RegExp(pattern, 'g'), secret => this.#words.get(secret) as string)
    // A terminal would execute control characters.
    return masked.replace(
      /(?![\n\t])\p{Cc}/gu,
      character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
    )
  }
}
