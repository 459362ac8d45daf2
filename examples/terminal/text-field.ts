// Edits a text by graphemes, so that half an emoji never remains.
import type { Field } from 'screen-auth-client'
import type { Key } from './keys.ts'
import { printable, withLineBreaks, withoutControls } from './printable.ts'
import { borderFrom, graphemeAt, graphemeBefore, graphemes, widthOf } from './width.ts'

/** A value, and the cursor in it: the index of a grapheme, or the end. */
export interface Editing {
  value: string
  cursor: number
}

/** The field after a key; the same object when the key does not apply. */
export function edit(editing: Editing, { name, text }: Key, { type, validation }: Field): Editing {
  const { value, cursor } = editing
  const before = graphemeBefore(value, cursor)
  const after = graphemeAt(value, cursor)
  const start = Math.min(cursor, value.lastIndexOf('\n', cursor - 1) + 1)
  const clean = type === 'TextArea' ? withLineBreaks : withoutControls
  const room = (validation.maxLength ?? Number.POSITIVE_INFINITY) - value.length
  switch (name) {
    case 'text':
      return splice(value, cursor, cursor, cut(clean(text), room))
    case 'left':
      return { value, cursor: cursor - before.length }
    case 'right':
      return { value, cursor: cursor + after.length }
    case 'home':
      return { value, cursor: start }
    case 'end':
      return { value, cursor: `${value}\n`.indexOf('\n', cursor) }
    case 'backspace':
      return splice(value, cursor - before.length, cursor)
    case 'delete':
      return splice(value, cursor, cursor + after.length)
    case 'clear':
      return splice(value, start, cursor)
    default:
      return editing
  }
}

/** As many whole graphemes as there is room for. */
function cut(text: string, room: number): string {
  if (text.length <= room) return text
  let end = 0
  for (const grapheme of graphemes(text)) {
    if (end + grapheme.length > room) break
    end += grapheme.length
  }
  return text.slice(0, end)
}

/** Replaces a part of the value. The cursor moves behind the new text and the grapheme that it is part of. */
function splice(value: string, from: number, to: number, text = ''): Editing {
  const head = value.slice(0, from) + text
  const edited = head + value.slice(to)
  return { value: edited, cursor: borderFrom(edited, head.length) }
}

/** The visible part of a field, and the column of the cursor: a long value scrolls to keep the cursor visible. */
export function visiblePart(
  { value, cursor }: Editing,
  width: number,
  isMasked: boolean
): { text: string; column: number } {
  const draw = (grapheme: string) => (isMasked ? '•' : printable(grapheme))
  const widthOfDrawn = (grapheme: string) => (isMasked ? 1 : widthOf(draw(grapheme)))

  let text = ''
  let column = 0
  for (let index = cursor; index > 0; ) {
    const grapheme = graphemeBefore(value, index)
    // The last column is for the cursor.
    if (column + widthOfDrawn(grapheme) > width - 1) break
    column += widthOfDrawn(grapheme)
    text = draw(grapheme) + text
    index -= grapheme.length
  }
  let used = column
  for (let index = cursor; index < value.length; ) {
    const grapheme = graphemeAt(value, index)
    used += widthOfDrawn(grapheme)
    if (used > width) break
    text += draw(grapheme)
    index += grapheme.length
  }
  return { text, column }
}
