import { Box, Text } from 'ink'
import { useLayoutEffect } from 'react'
import type { Message } from '../client/session.js'
import type { FullScreen, Size } from './full-screen.ts'
import { printable } from './printable.ts'
import type { Line, Segment, Style } from './sheet.ts'
import { fit, widthOf, wrap } from './width.ts'

/** In front of the focused line. */
const MARKER = '❯ '
const NO_MARKER = ' '.repeat(MARKER.length)

const STYLES: Record<Style | 'error', object> = {
  strong: { bold: true },
  faint: { dimColor: true },
  focused: { bold: true, color: 'cyan' },
  input: { underline: true },
  active: { inverse: true, bold: true },
  error: { color: 'red' }
}

/** The parts of the frame that fit. */
export interface Layout extends Size {
  margin: number
  /** Columns for a line of the body, without the marker. */
  width: number
  /** Lines for the body. */
  height: number
  header: boolean
  hints: boolean
  rules: boolean
  /** An empty line above the body. */
  air: boolean
  message: string[]
}

/** On a tiny terminal, the content has priority over the frame. */
export function layOut({ columns, rows }: Size, message: Message | null): Layout {
  const margin = columns >= 40 ? 1 : 0
  const header = rows >= 3
  const hints = rows >= 6
  const rules = rows >= 10
  const air = rows >= 16
  const sign = message?.kind === 'error' ? '✗ ' : ''
  const most = Math.max(1, Math.min(3, Math.floor(rows / 4)))
  const texts = message === null ? [] : wrap(sign + message.text, Math.max(1, columns - 2 * margin), most)
  // The bar always has a line, so that a message moves nothing.
  const bar = rows >= 4 || texts.length > 0 ? Math.max(1, texts.length) : 0
  const around = Number(header) + Number(hints) + 2 * Number(rules) + Number(air) + bar
  return {
    columns,
    rows,
    margin,
    header,
    hints,
    rules,
    air,
    width: Math.max(1, columns - 2 * margin - MARKER.length),
    height: Math.max(0, rows - around),
    message: Array.from({ length: bar }, (_, index) => texts[index] ?? '')
  }
}

interface FrameProps {
  layout: Layout
  terminal: FullScreen
  title: string
  displayName: string
  isError: boolean
  hints: string[]
  pinned?: Line[]
  /** The lines that fit. */
  lines: Line[]
  /** The stop with the focus. */
  focused?: number | undefined
  /** How many lines are above and below the visible ones. */
  hidden?: { above: number; below: number }
}

/** The frame of every screen: title and name at the top, the bar and the keys at the bottom. */
export function Frame(props: FrameProps) {
  const { layout, terminal, pinned = [], lines, focused, hidden = { above: 0, below: 0 } } = props
  const { columns, margin, height } = layout
  const inner = Math.max(1, columns - 2 * margin)
  const body = [...pinned, ...lines].slice(0, height)
  const focusedRow = body.findIndex(({ stop }) => stop !== undefined && stop === focused)
  const cursor = body[focusedRow]?.cursor
  const top = Number(layout.header) + Number(layout.rules) + Number(layout.air)

  useLayoutEffect(() => {
    const column = margin + MARKER.length + (cursor ?? 0)
    terminal.placeCursor(cursor === undefined ? null : { row: top + focusedRow, column })
  })

  const indent = { text: ' '.repeat(margin) }
  const rows: Segment[][] = [
    ...(layout.header ? [[indent, ...header(props.title, props.displayName, inner)]] : []),
    ...(layout.rules ? [rule(columns, hidden.above > 0 ? `↑ ${hidden.above} more` : '')] : []),
    ...(layout.air ? [[]] : []),
    ...Array.from({ length: height }, (_, index) => {
      const line = body[index]
      if (line === undefined) return []
      const isFocused = index === focusedRow
      return [
        indent,
        { text: isFocused ? MARKER : NO_MARKER, style: 'focused' as const },
        ...line.draw(isFocused)
      ]
    }),
    ...(layout.rules ? [rule(columns, hidden.below > 0 ? `↓ ${hidden.below} more` : '')] : [])
  ]
  return (
    <Box flexDirection="column">
      {rows.map((segments, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
        <Row key={index} segments={segments} />
      ))}
      {layout.message.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
        <Row key={`bar ${index}`} segments={[indent, { text }]} isError={props.isError} />
      ))}
      {layout.hints && <Row segments={[indent, { text: joinHints(props.hints, inner), style: 'faint' }]} />}
    </Box>
  )
}

/** One line as one text: ink counts the columns of multi-character graphemes differently. */
function Row({ segments, isError = false }: { segments: Segment[]; isError?: boolean }) {
  return (
    <Text wrap="truncate-end" {...(isError && STYLES.error)}>
      {segments.map(({ text, style }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a segment is identified by its position
        <Text key={index} {...(style && STYLES[style])}>
          {printable(text)}
        </Text>
      ))}
      {/* Without any text the row would have no height. */}
      {segments.every(({ text }) => text === '') && ' '}
    </Text>
  )
}

/** When both do not fit, the title is cut, not the name. */
function header(title: string, displayName: string, width: number): Segment[] {
  const name = fit(displayName, Math.max(1, Math.floor(width * 0.6)))
  const room = width - widthOf(name) - (name === '' ? 0 : 2)
  const text = fit(title, room)
  return [
    { text, style: 'strong' },
    { text: ' '.repeat(Math.max(0, width - widthOf(text) - widthOf(name))) },
    { text: name }
  ]
}

function rule(columns: number, note: string): Segment[] {
  const text = note === '' ? '' : ` ${note} ─`
  return [{ text: '─'.repeat(Math.max(0, columns - widthOf(text))) + text, style: 'faint' }]
}

/** As many hints as fit. The last one, how to quit, is always there. */
function joinHints(hints: string[], width: number): string {
  const quit = hints.at(-1) ?? ''
  let joined = ''
  for (const hint of hints.slice(0, -1)) {
    const longer = `${joined}${hint}   `
    if (widthOf(longer + quit) > width) break
    joined = longer
  }
  return fit(joined + quit, width)
}
