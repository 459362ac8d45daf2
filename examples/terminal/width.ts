// How many columns a text takes, and how it is made to fit. Whatever is drawn has been through `fit` or `wrap`.
import { printable } from './printable.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** East Asian wide and fullwidth characters, and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u

/** Several code points that are one emoji: with a variation selector, a skin tone, a joiner, or the two of a flag. */
const EMOJI_SEQUENCE =
  /^(?:\p{Extended_Pictographic}|[#*\d]\uFE0F).*(?:\uFE0F|\u200D|\u20E3|\p{Emoji_Modifier})|^\p{RI}\p{RI}/su

/** Marks on the character before, vowels and finals of a Hangul syllable, and what is never seen. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u1160-\u11FF]/u

/** What a person takes for one character. */
export function* graphemes(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment
}

/** The grapheme that ends at an index; empty at the beginning. */
export function graphemeBefore(text: string, index: number): string {
  const found = segmenter.segment(text).containing(index - 1)
  return found ? text.slice(found.index, index) : ''
}

/** The grapheme that begins at an index; empty at the end. */
export function graphemeAt(text: string, index: number): string {
  const found = segmenter.segment(text).containing(index)
  return found ? text.slice(index, found.index + found.segment.length) : ''
}

/** The first border between graphemes at an index or behind it. */
export function borderFrom(text: string, index: number): number {
  const found = segmenter.segment(text).containing(index)
  return found && found.index < index ? found.index + found.segment.length : index
}

/** The columns of a whole text. */
export function widthOf(text: string): number {
  let width = 0
  for (const grapheme of graphemes(text)) width += widthOfGrapheme(grapheme)
  return width
}

export function widthOfGrapheme(grapheme: string): number {
  if (grapheme.length === 1 && grapheme < '\u0300') return 1
  if (EMOJI_SEQUENCE.test(grapheme)) return 2
  let width = 0
  for (const character of grapheme) {
    if (!WITHOUT_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1
  }
  return width
}

/** Cuts a text that is too long, and says so with an ellipsis. */
export function fit(text: string, width: number): string {
  let used = 0
  let end = 0
  let cut = 0
  const safe = printable(text.slice(0, 64 * (width + 1)))
  for (const grapheme of graphemes(safe)) {
    used += widthOfGrapheme(grapheme)
    if (used > width) return width > 0 ? `${safe.slice(0, cut)}…` : ''
    end += grapheme.length
    if (used < width) cut = end
  }
  return safe
}

/** Fills a text up to a width. */
export function pad(text: string, width: number): string {
  const fitted = fit(text, width)
  return fitted + ' '.repeat(Math.max(0, width - widthOf(fitted)))
}

/** Breaks a text into lines between its words, or within one that is longer than a line. */
export function wrap(text: string, width: number, most: number): string[] {
  const lines: string[] = []
  let rest = printable(text.slice(0, 64 * width * most)).trim()
  while (rest !== '' && width > 0) {
    if (lines.length + 1 === most) return [...lines, fit(rest, width)]
    const line = firstLine(rest, width)
    lines.push(line.trimEnd())
    rest = rest.slice(line.length).trimStart()
  }
  return lines
}

/** As many words as fit, at least one grapheme. */
function firstLine(text: string, width: number): string {
  let used = 0
  let end = 0
  let wordEnd = 0
  for (const grapheme of graphemes(text)) {
    used += widthOfGrapheme(grapheme)
    if (used > width) {
      if (grapheme === ' ') wordEnd = end
      return text.slice(0, wordEnd || end || grapheme.length)
    }
    if (grapheme === ' ') wordEnd = end
    end += grapheme.length
  }
  return text
}
