// The fields of a Card, of the login form and of a modal.
import type { Field, Section, Values } from 'fastify-screen-auth/client'
import { formatValue } from './format.ts'
import type { Key } from './keys.ts'
import { addSeparator } from './menu.ts'
import { type Line, type Sheet, WIDEST_HINT } from './sheet.ts'
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

/** The sections with their fields: inputs, and values to read. */
export function addFields(sheet: Sheet, sections: Section[], form: Form, width: number): void {
  const fields = sections.flatMap(({ fields }) => fields)
  const labels = fields.map(field => widthOf(fit(labelOf(field, form), width)))
  const room = Math.max(Math.floor(width * 0.4), Math.min(USUAL_LABEL, width - GAP - USEFUL_INPUT))
  const label = Math.min(Math.max(0, ...labels), room)
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
      else addText(sheet, field, form, columns)
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
  if (field.type === 'Boolean') addToggle(sheet, field, form, columns)
  else if (field.type === 'Option') addChoice(sheet, field, form, columns)
  else if (field.type === 'TextArea') addTextArea(sheet, field, form, columns)
  else addTextField(sheet, field, form, columns)
}

function addTextField(sheet: Sheet, field: Field, form: Form, columns: Columns): void {
  const width = Math.min(WIDTHS[field.type] ?? WIDEST_INPUT, columns.value)
  const editing = editingOf(field, form)
  const isMasked = field.type === 'Password'
  const { text, column } = visiblePart(editing, width, isMasked)
  // Without the cursor, the beginning of the value is shown.
  const atRest = fit(isMasked ? mask(editing.value) : editing.value, width)
  const placeholder = field.placeholder || EXAMPLES[field.type] || ''
  const limits = { hasLines: false, maxLength: field.validation.maxLength }
  sheet.addStop(
    {
      wish: wishOf(field, form),
      press: form.submit,
      key: key => change(field, form, editing, edit(editing, key, limits)),
      hints: hintsOf(form)
    },
    {
      cursor: columns.label + GAP + column,
      draw: isFocused => [
        label(field, form, columns, isFocused),
        editing.value === ''
          ? { text: pad(placeholder, width), style: 'placeholder' }
          : { text: pad(isFocused ? text : atRest, width), style: 'input' }
      ]
    }
  )
}

function addTextArea(sheet: Sheet, field: Field, form: Form, columns: Columns): void {
  const width = Math.min(WIDEST_TEXT_AREA, columns.value)
  const editing = editingOf(field, form)
  // The last column is for the cursor.
  const rows = rowsOf(editing.value, Math.max(1, width - 1))
  const { row, column } = placeOf(editing, rows)
  const height = Math.max(1, Math.min(MOST_ROWS, field.rows || 4))
  const top = Math.max(0, row - height + 1)

  const limits = { hasLines: true, maxLength: field.validation.maxLength }
  const after = (key: Key): Editing => {
    if (key.name === 'up' || key.name === 'down') return moveRow(editing, rows, key.name === 'up' ? -1 : 1)
    return edit(editing, key.name === 'enter' ? { name: 'text', text: '\n' } : key, limits)
  }
  const lines = Array.from({ length: height }, (_, index): Line => {
    const draw = (isFocused: boolean) => {
      const { from, to } = rows[isFocused ? top + index : index] ?? { from: 0, to: 0 }
      const isEmpty = editing.value === '' && index === 0
      return [
        index === 0 ? label(field, form, columns, isFocused) : { text: ' '.repeat(columns.label + GAP) },
        isEmpty
          ? { text: pad(field.placeholder, width), style: 'placeholder' as const }
          : { text: pad(editing.value.slice(from, to), width), style: 'input' as const }
      ]
    }
    const cursor = columns.label + GAP + Math.min(column, width - 1)
    return top + index === row ? { draw, cursor } : { draw }
  })
  const { say, button } = form
  sheet.addStop(
    {
      wish: wishOf(field, form),
      press: form.submit,
      key: key => change(field, form, editing, after(key)),
      hints: [`Tab ${say('key_next', 'next')}`, `Ctrl-S ${fit(button.toLowerCase(), WIDEST_HINT)}`]
    },
    ...lines
  )
}

function addToggle(sheet: Sheet, field: Field, form: Form, columns: Columns): void {
  const isOn = form.values.get(field.id) === 'true'
  const text = `[${isOn ? 'x' : ' '}] ${formatValue('Boolean', String(isOn), form.say)}`
  sheet.addStop(
    {
      wish: field.focus ? wishOf(field, form) : 0,
      press: form.submit,
      key: key => {
        if (key.text === ' ') form.enter(field.id, String(!isOn))
        return key.text === ' '
      },
      hints: [`Space ${form.say('key_choose', 'choose')}`, ...hintsOf(form)]
    },
    {
      draw: isFocused => [
        label(field, form, columns, isFocused),
        { text: fit(text, columns.value), style: isFocused ? 'focused' : undefined }
      ]
    }
  )
}

function addChoice(sheet: Sheet, field: Field, form: Form, columns: Columns): void {
  const value = form.values.get(field.id) ?? ''
  const { options, validation } = field
  const hasNone = options.some(option => option.value === '')
  const none = { label: form.say('choose', 'Choose…'), value: '' }
  const choices = hasNone || (validation.required && value !== '') ? options : [none, ...options]
  const index = choices.findIndex(choice => choice.value === value)
  const text = choices[index]?.label ?? value
  const turn = (by: number) => {
    const next = choices[(index + by + choices.length) % choices.length]
    if (next !== undefined) form.enter(field.id, next.value)
    return true
  }
  sheet.addStop(
    {
      wish: wishOf(field, form),
      press: form.submit,
      key: key => {
        if (key.name === 'right' || key.text === ' ') return turn(1)
        return key.name === 'left' && turn(index < 0 ? 0 : -1)
      },
      hints: [`←→ ${form.say('key_choose', 'choose')}`, ...hintsOf(form)]
    },
    {
      draw: isFocused => {
        const style = isFocused ? ('focused' as const) : ('faint' as const)
        return [
          label(field, form, columns, isFocused),
          { text: '‹ ', style },
          { text: fit(text, columns.value - 4), style: isFocused ? style : undefined },
          { text: ' ›', style }
        ]
      }
    }
  )
}

function addText(sheet: Sheet, field: Field, form: Form, columns: Columns): void {
  const value = form.values.get(field.id) ?? field.value
  const shown =
    field.type === 'Password' ? mask(value) : formatValue(field.type, value, form.say, field.options)
  const paragraphs = field.type === 'TextArea' ? shown.split(/\r\n|\r|\n/, MOST_LINES) : [shown]
  const lines = paragraphs
    .flatMap(text => wrap(text, columns.value, MOST_LINES).concat(text.trim() === '' ? '' : []))
    .slice(0, MOST_LINES)
  for (const [index, text] of lines.entries()) {
    const name = index === 0 ? field.label : ''
    sheet.lines.push({
      draw: () => [{ text: pad(name, columns.label) + ' '.repeat(GAP), style: 'faint' }, { text }]
    })
  }
}

function label(field: Field, form: Form, columns: Columns, isFocused: boolean) {
  const text = pad(labelOf(field, form), columns.label) + ' '.repeat(GAP)
  return { text, style: isFocused ? ('focused' as const) : ('faint' as const) }
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
function wishOf({ id, focus }: Field, { values, isNew }: Form): 0 | 1 | 2 {
  if (focus && isNew) return 2
  return values.get(id) ? 0 : 1
}

function hintsOf({ say, button }: Form): string[] {
  return [`Tab ${say('key_next', 'next')}`, `Enter ${fit(button.toLowerCase(), WIDEST_HINT)}`]
}

function mask(password: string): string {
  return '•'.repeat([...graphemes(password)].length)
}
