// Keeps the terminal safe: without this, an escape sequence in a title could move the cursor, rename the window or fill
// the clipboard, and a bidi override could make a text look like another one.

const BREAKS = /\r\n|[\t-\r\u0085\u2028\u2029]/g
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/** A text that is safe to draw: on one line, and without control characters. */
export function printable(text: string): string {
  return text.replace(BREAKS, ' ').replace(CONTROLS, '').toWellFormed()
}
