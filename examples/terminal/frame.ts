import { styleText } from 'node:util'
import type { Frame, Size } from './full-screen.ts'
import type { Part } from './pane.ts'
import { printable } from './printable.ts'
import type { Segment, Style } from './sheet.ts'
import { fit, widthOf, wrap } from './width.ts'

/** In front of the focused line. */
const MARKER = '❯ '
const NO_MARKER = ' '.repeat(MARKER.length)

type Format = Parameters<typeof styleText>[0]

/** Without colours when the person wants none; bold and underlined text stays, as https://no-color.org says. */
const CYAN = process.env.NO_COLOR ? 'bold' : 'cyan'
const RED = process.env.NO_COLOR ? 'bold' : 'red'
const STYLES: Record<Style, Format> = {
  strong: 'bold',
  faint: 'dim',
  focused: ['bold', CYAN],
  input: 'underline',
  placeholder: ['dim', 'underline'],
  active: ['bold', 'inverse'],
  error: RED
}

/** Columns of a key and what it does: the others need room, too, in 80 columns. */
const WIDEST_HINT = 26

/** What is around the visible part of a view. */
export interface Page {
  title: string
  displayName: string
  /** For the bottom bar. */
  message: Segment
  hints: (part: Part) => string[]
  /** Shows as much as fits. */
  show(width: number, height: number): Part
}

/**
 * Draws a whole screen: title and name at the top, the bar and the keys at the bottom. On a tiny terminal, the content
 * has priority.
 */
export function drawFrame({ columns, rows }: Size, page: Page): Frame {
  const margin = columns >= 40 ? 1 : 0
  const inner = Math.max(1, columns - 2 * margin)
  const indent = { text: ' '.repeat(margin) }
  const [hasHeader, hasHints, hasRules, hasAir] = [rows >= 3, rows >= 6, rows >= 10, rows >= 16]

  const texts = wrap(page.message.text, inner, Math.max(1, Math.min(3, rows - 2)))
  // The bar always has a line, so that a message moves nothing.
  if (texts.length === 0 && rows >= 4) texts.push('')
  const top = Number(hasHeader) + Number(hasRules) + Number(hasAir)
  const height = Math.max(0, rows - top - Number(hasRules) - texts.length - Number(hasHints))
  const part = page.show(Math.max(1, inner - MARKER.length), height)
  const isFocused = part.lines.map(({ stop }) => stop !== undefined && stop === part.focus)
  const cursorRow = part.lines.findIndex(({ cursor }, row) => isFocused[row] && cursor !== undefined)
  const column = margin + MARKER.length + (part.lines[cursorRow]?.cursor ?? 0)

  const body = Array.from({ length: height }, (_, row): Segment[] => {
    const line = part.lines[row]
    if (line === undefined) return []
    const isFirst = row === isFocused.indexOf(true)
    const marker: Segment = isFirst ? { text: MARKER, style: 'focused' } : { text: NO_MARKER }
    return [indent, marker, ...line.draw(isFocused[row] === true)]
  })
  const lines: Segment[][] = [
    ...(hasHeader ? [[indent, ...header(page, inner)]] : []),
    ...(hasRules ? [rule(columns, part.above, '↑')] : []),
    ...(hasAir ? [[]] : []),
    ...body,
    ...(hasRules ? [rule(columns, part.below, '↓')] : []),
    ...texts.map(text => [indent, { ...page.message, text }]),
    ...(hasHints ? [[indent, { text: joinHints(page.hints(part), inner), style: 'faint' as const }]] : [])
  ]
  return {
    lines: lines.map(segments => segments.map(styled).join('')),
    cursor: cursorRow < 0 ? null : { row: top + cursorRow, column }
  }
}

function styled({ text, style }: Segment): string {
  const safe = printable(text)
  return style === undefined || safe === '' ? safe : styleText(STYLES[style], safe, { validateStream: false })
}

/** When both do not fit, the title is cut, not the name. */
function header({ title, displayName }: Page, width: number): Segment[] {
  const name = fit(displayName, Math.max(1, Math.floor(width * 0.6)))
  const room = width - widthOf(name) - (name === '' ? 0 : 2)
  const text = fit(title, room)
  return [
    { text, style: 'strong' },
    { text: ' '.repeat(Math.max(0, width - widthOf(text) - widthOf(name))) },
    { text: name }
  ]
}

/** A line across, which says how many lines are hidden behind it. */
function rule(columns: number, hidden: number, arrow: string): Segment[] {
  const note = hidden > 0 ? ` ${arrow} ${hidden} ─` : ''
  return [{ text: '─'.repeat(Math.max(0, columns - widthOf(note))) + note, style: 'faint' }]
}

/** As many hints as fit. The last one, how to quit, is always there. */
function joinHints(all: string[], width: number): string {
  const hints = all.map(hint => fit(hint, WIDEST_HINT))
  const quit = hints.at(-1) ?? ''
  let joined = ''
  for (const hint of hints.slice(0, -1)) {
    const longer = `${joined}${hint}   `
    if (widthOf(longer + quit) > width) break
    joined = longer
  }
  return fit(joined + quit, width)
}
