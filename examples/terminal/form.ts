// The fields of a Card, of the login form and of a modal.
import type { Field, Section, Values } from 'screen-auth-client'
import { formatValue } from './format.ts'
import type { Key } from './keys.ts'
import { addSeparator } from './menu.ts'
import type { Line, Segment, Sheet } from './sheet.ts'
import { moveRow, placeOf, rowsOf } from './text-area.ts'
import { type Editing, edit, visiblePart } from './text-field.ts'
import type { Say } from './texts.ts'
import { fit, graphemes, pad, widthOf, wrap } from './width.ts'

/** Columns between a label and its value. */
const GAP = 2
const WIDEST_INPUT = 40
const WIDTHS: Record<string, number> = { Date: 12, Time: 8, DateRange: 24, Integer: 16, Decimal: 16 }
const WIDEST_TEXT_AREA = 60
/** Columns of labels and inputs on a narrow terminal. */
const USUAL_LABEL = 20
const USEFUL_INPUT = 14
/** The maximum lines of a read-only value. */
const MOST_LINES = 200
const MOST_ROWS = 12

/** How a value is written, for fields without a `placeholder`. */
const EXAMPLES: Record<string, string> = {
  Date: '2026-12-31',
  Time: '14:30',
  DateRange: '2026-12-20/2027-01-06'
}

/** What is typed, and what becomes of it. */
export interface Form {
  /** Empty: the fields can only be read. */
  button: string
  /** Whether the cursor goes where the server wants it, and not only to the first empty field. */
  isNew: boolean
  values: Values
  /** The cursor of each field; at the end, when it is not there. */
  cursors: Map<string, number>
  say: Say
  enter(id: string, value: string): void
  submit: () => void
}

/** Where the labels and the values are. */
interface Columns {
  label: number
  value: number
}

/** An input: its keys, and its lines without the label. */
interface Input {
  key(key: Key): boolean
  lines: Line[]
  /** A key of its own, for the last line. */
  hint?: string
}

/** The inputs that are no field of one line. */
const INPUTS: Record<string, typeof textField> = { TextArea: textArea, Boolean: toggle, Option: choice }

/** The sections with their fields: inputs, and values to read. */
export function addFields(
  sheet: Sheet,
  sections: Pick<Section, 'label' | 'fields'>[],
  form: Form,
  width: number
): void {
  const labels = sections.flatMap(({ fields }) => fields.map(field => fit(labelOf(field, form), width)))
  const widest = labels.reduce((most, label) => Math.max(most, widthOf(label)), 0)
  const room = Math.max(Math.floor(width * 0.4), Math.min(USUAL_LABEL, width - GAP - USEFUL_INPUT))
  const label = Math.min(widest, room)
  const columns = { label, value: Math.max(1, width - label - GAP) }

  for (const { label, fields } of sections) {
    sheet.gap()
    if (label !== '') {
      sheet.add(fit(label, width), 'strong')
      sheet.add('')
    }
    for (const field of fields) {
      if (field.type === 'Separator') addSeparator(sheet, '', width)
      else if (isInput(field, form)) addInput(sheet, field, form, columns)
      else sheet.lines.push(...labelled(field, form, columns, textLines(field, form, columns.value)))
    }
  }
}

function isInput({ editable }: Field, { button }: Form): boolean {
  return button !== '' && editable
}

function labelOf(field: Field, form: Form): string {
  return isInput(field, form) && field.validation.required ? `${field.label} *` : field.label
}

function addInput(sheet: Sheet, field: Field, form: Form, columns: Columns): void {
  const { key, lines, hint } = (INPUTS[field.type] ?? textField)(field, form, columns.value)
  const submitKey = field.type === 'TextArea' ? 'Ctrl-S' : 'Enter'
  const hints = [
    ...(hint === undefined ? [] : [hint]),
    `Tab ${form.say('key_next', 'next')}`,
    `${submitKey} ${form.button.toLowerCase()}`
  ]
  const stop = { wish: wishOf(field, form), press: form.submit, key, hints }
  sheet.addStop(stop, ...labelled(field, form, columns, lines))
}

/** The lines of a field, with its label in front of the first. */
function labelled(field: Field, form: Form, columns: Columns, lines: Line[]): Line[] {
  const margin = columns.label + GAP
  return lines.map((line, index) => {
    const text = pad(index === 0 ? labelOf(field, form) : '', columns.label) + ' '.repeat(GAP)
    const draw = (isFocused: boolean): Segment[] => [
      { text, style: isFocused ? 'focused' : 'faint' },
      ...line.draw(isFocused)
    ]
    return line.cursor === undefined ? { draw } : { draw, cursor: margin + line.cursor }
  })
}

function textField(field: Field, form: Form, room: number): Input {
  const width = Math.min(WIDTHS[field.type] ?? WIDEST_INPUT, room)
  const editing = editingOf(field, form)
  const isMasked = field.type === 'Password'
  const { text, column } = visiblePart(editing, width, isMasked)
  // Without the cursor, the beginning of the value is shown.
  const atRest = isMasked ? mask(editing.value) : editing.value
  const placeholder = field.placeholder || EXAMPLES[field.type] || ''
  const draw = (isFocused: boolean): Segment[] => [
    editing.value === ''
      ? { text: pad(placeholder, width), style: 'placeholder' }
      : { text: pad(isFocused ? text : atRest, width), style: 'input' }
  ]
  return {
    key: key => change(field, form, editing, edit(editing, key, field)),
    lines: [{ cursor: column, draw }]
  }
}

function textArea(field: Field, form: Form, room: number): Input {
  const width = Math.min(WIDEST_TEXT_AREA, room)
  const editing = editingOf(field, form)
  // The last column is for the cursor.
  const rows = rowsOf(editing.value, Math.max(1, width - 1))
  const { row, column } = placeOf(editing, rows)
  const height = Math.max(1, Math.min(MOST_ROWS, field.rows || 4))
  const top = Math.max(0, row - height + 1)

  const after = (key: Key): Editing => {
    if (key.name === 'up' || key.name === 'down') return moveRow(editing, rows, key.name === 'up' ? -1 : 1)
    return edit(editing, key.name === 'enter' ? { name: 'text', text: '\n' } : key, field)
  }
  const lines = Array.from({ length: height }, (_, index): Line => {
    const draw = (isFocused: boolean): Segment[] => {
      const { from, to } = rows[isFocused ? top + index : index] ?? { from: 0, to: 0 }
      return editing.value === '' && index === 0
        ? [{ text: pad(field.placeholder, width), style: 'placeholder' }]
        : [{ text: pad(editing.value.slice(from, to), width), style: 'input' }]
    }
    return top + index === row ? { draw, cursor: Math.min(column, width - 1) } : { draw }
  })
  return { key: key => change(field, form, editing, after(key)), lines }
}

function toggle(field: Field, form: Form, room: number): Input {
  const isOn = form.values.get(field.id) === 'true'
  const text = fit(`[${isOn ? 'x' : ' '}] ${formatValue('Boolean', String(isOn), form.say, field)}`, room)
  return {
    key(key) {
      if (key.text === ' ') form.enter(field.id, String(!isOn))
      return key.text === ' '
    },
    lines: [{ draw: isFocused => [{ text, style: isFocused ? 'focused' : undefined }] }],
    hint: `Space ${form.say('key_choose', 'choose')}`
  }
}

function choice({ id, options, validation }: Field, form: Form, room: number): Input {
  const value = form.values.get(id) ?? ''
  const hasNone = options.some(option => option.value === '')
  const none = { label: form.say('choose', 'Choose…'), value: '' }
  const choices = hasNone || (validation.required && value !== '') ? options : [none, ...options]
  const index = choices.findIndex(choice => choice.value === value)
  const text = fit(choices[index]?.label ?? value, room - 4)
  const turn = (by: number) => {
    const next = choices[(index + by + choices.length) % choices.length]
    if (next !== undefined) form.enter(id, next.value)
    return true
  }
  const draw = (isFocused: boolean): Segment[] => {
    const style = isFocused ? 'focused' : 'faint'
    return [
      { text: '‹ ', style },
      { text, style: isFocused ? style : undefined },
      { text: ' ›', style }
    ]
  }
  return {
    key(key) {
      if (key.name === 'right' || key.text === ' ') return turn(1)
      return key.name === 'left' && turn(index < 0 ? 0 : -1)
    },
    lines: [{ draw }],
    hint: `←→ ${form.say('key_choose', 'choose')}`
  }
}

/** A value that can only be read. */
function textLines(field: Field, form: Form, width: number): Line[] {
  const value = form.values.get(field.id) ?? field.value
  const shown = field.type === 'Password' ? mask(value) : formatValue(field.type, value, form.say, field)
  const paragraphs = field.type === 'TextArea' ? shown.split(/\r\n|\r|\n/, MOST_LINES) : [shown]
  return paragraphs
    .flatMap(text => wrap(text, width, MOST_LINES).concat(text.trim() === '' ? '' : []))
    .slice(0, MOST_LINES)
    .map(text => ({ draw: () => [{ text }] }))
}

function editingOf({ id }: Field, { values, cursors }: Form): Editing {
  const value = values.get(id) ?? ''
  return { value, cursor: Math.min(cursors.get(id) ?? value.length, value.length) }
}

/** Whether the key has changed the field, or moved the cursor in it. */
function change({ id }: Field, form: Form, before: Editing, after: Editing): boolean {
  form.cursors.set(id, after.cursor)
  if (after.value !== before.value) form.enter(id, after.value)
  return after !== before
}

/** How much the field wants the cursor at first. */
function wishOf({ id, type, focus }: Field, { values, isNew }: Form): 0 | 1 | 2 {
  if (focus && isNew) return 2
  return type === 'Boolean' || values.get(id) ? 0 : 1
}

function mask(password: string): string {
  return '•'.repeat([...graphemes(password)].length)
}
