// The width of a text in columns. All drawn text has passed through `fit` or `wrap`.
import stringWidth from 'string-width'
import { printable } from './printable.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The user-perceived characters. */
export function* graphemes(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment
}

/** The grapheme that ends at an index; empty at the start. */
export function graphemeBefore(text: string, index: number): string {
  const found = segmenter.segment(text).containing(index - 1)
  return found ? text.slice(found.index, index) : ''
}

/** The grapheme that starts at an index; empty at the end. */
export function graphemeAt(text: string, index: number): string {
  const found = segmenter.segment(text).containing(index)
  return found ? text.slice(index, found.index + found.segment.length) : ''
}

/** The first boundary between graphemes at an index or after it. */
export function borderFrom(text: string, index: number): number {
  const found = segmenter.segment(text).containing(index)
  return found && found.index < index ? found.index + found.segment.length : index
}

/** Text with one column per character. Most cells of a long list are, so this is a fast path. */
const PLAIN = /^[ -~]*$/

/** The columns of a text. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text)
}

/** Cuts a text that is too long, with an ellipsis. */
export function fit(text: string, width: number): string {
  if (text.length <= width && PLAIN.test(text)) return text
  let used = 0
  let end = 0
  let cut = 0
  const safe = printable(text.slice(0, 64 * (width + 1)))
  for (const grapheme of graphemes(safe)) {
    used += widthOf(grapheme)
    if (used > width) return width > 0 ? `${safe.slice(0, cut)}…` : ''
    end += grapheme.length
    if (used < width) cut = end
  }
  return safe
}

/** Fills a text up to a width. */
export function pad(text: string, width: number, align: 'left' | 'center' | 'right' = 'left'): string {
  const fitted = fit(text, width)
  const space = Math.max(0, width - widthOf(fitted))
  const before = align === 'left' ? 0 : align === 'right' ? space : Math.floor(space / 2)
  return ' '.repeat(before) + fitted + ' '.repeat(space - before)
}

/** Breaks a text into lines between words, or within a word that is longer than a line. */
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

/** As many words as fit, at least one grapheme. Looks only at the beginning: the text may be very long. */
export function firstLine(long: string, width: number): string {
  const head = long.slice(0, width + 1)
  if (PLAIN.test(head)) {
    if (head.length <= width) return head
    const wordEnd = head.lastIndexOf(' ')
    return head.slice(0, wordEnd > 0 ? wordEnd : Math.max(1, width))
  }
  const text = long.slice(0, 64 * (width + 1))
  let used = 0
  let end = 0
  let wordEnd = 0
  for (const grapheme of graphemes(text)) {
    used += widthOf(grapheme)
    if (grapheme === ' ') wordEnd = end
    if (used > width) return text.slice(0, wordEnd || end || grapheme.length)
    end += grapheme.length
  }
  return text
}
