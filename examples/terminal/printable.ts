// The one place that keeps the terminal safe: an escape sequence in a title could otherwise move the cursor, rename the
// window, or fill the clipboard, and a bidi override could make a text read as another.

const BREAKS = /\r\n|[\t-\r\u0085\u2028\u2029]/g
const CONTROLS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/** A text as it may be drawn: on one line, and without anything that a terminal would obey. */
export function printable(text: string): string {
  return withoutControls(text.replace(BREAKS, ' '))
}

/** What of a typed or pasted text goes into a field. A line break must not submit the form. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '').toWellFormed()
}
