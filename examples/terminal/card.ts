import { type Field, fieldsOf, type Screen } from '../client/screen.js'
import type { Sheet } from './sheet.ts'
import { type Editing, editingAtEnd, visiblePart } from './text-field.ts'
import { fit, graphemes, pad, widthOf, wrap } from './width.ts'

/** Columns between a label and its value. */
const GAP = 2
const WIDEST_INPUT = 40
/** Columns of labels and inputs on a narrow terminal. */
const USUAL_LABEL = 20
const USEFUL_INPUT = 14
/** The maximum lines of a read-only value. */
const MOST_LINES = 200

/** The label of the button; null on a screen without one. */
export function buttonOf({ authAction, saveAction, saveLabel }: Screen): string | null {
  if (authAction !== '') return 'Log in'
  return saveAction === '' ? null : saveLabel || 'Save'
}

export function isEditable(screen: Screen, field: Field): boolean {
  return buttonOf(screen) !== null && field.editable
}

/** The sections of a screen, and a button when they can be submitted. */
export function addCard(sheet: Sheet, screen: Screen, entered: Map<string, Editing>, width: number): void {
  const labels = fieldsOf(screen).map(({ label }) => widthOf(fit(label, width)))
  const room = Math.max(Math.floor(width * 0.4), Math.min(USUAL_LABEL, width - GAP - USEFUL_INPUT))
  const labelWidth = Math.min(Math.max(0, ...labels), room)
  const valueWidth = Math.max(1, width - labelWidth - GAP)

  for (const { label, fields } of screen.sections) {
    sheet.gap()
    if (label !== '') {
      sheet.add(fit(label, width), 'strong')
      sheet.add('')
    }
    for (const field of fields) {
      if (isEditable(screen, field)) addInput(sheet, field, entered, labelWidth, valueWidth)
      else addText(sheet, field, entered, labelWidth, valueWidth)
    }
  }
  const button = buttonOf(screen)
  if (button === null) return
  sheet.gap()
  sheet.addStop(
    { kind: 'button' },
    {
      draw: isFocused => [{ text: fit(`[ ${button} ]`, width), style: isFocused ? 'active' : undefined }]
    }
  )
}

function addInput(
  sheet: Sheet,
  field: Field,
  entered: Map<string, Editing>,
  labelWidth: number,
  valueWidth: number
): void {
  const inputWidth = Math.min(WIDEST_INPUT, valueWidth)
  const editing = entered.get(field.id) ?? editingAtEnd('')
  const isMasked = field.type === 'Password'
  const { text, column } = visiblePart(editing, inputWidth, isMasked)
  // Without the cursor, the beginning of the value is shown.
  const atRest = fit(isMasked ? mask(editing.value) : editing.value, inputWidth)
  sheet.addStop(
    { kind: 'field', field },
    {
      cursor: labelWidth + GAP + column,
      draw: isFocused => [
        { text: pad(field.label, labelWidth) + ' '.repeat(GAP), style: isFocused ? 'focused' : undefined },
        { text: pad(isFocused ? text : atRest, inputWidth), style: 'input' }
      ]
    }
  )
}

function addText(
  sheet: Sheet,
  field: Field,
  entered: Map<string, Editing>,
  labelWidth: number,
  valueWidth: number
): void {
  const value = entered.get(field.id)?.value ?? field.value
  const shown = field.type === 'Password' ? mask(value) : value
  const lines = wrap(shown, valueWidth, MOST_LINES)
  for (const [index, line] of (lines.length > 0 ? lines : ['']).entries()) {
    sheet.lines.push({
      draw: () => [
        { text: pad(index === 0 ? field.label : '', labelWidth) + ' '.repeat(GAP), style: 'faint' },
        { text: line }
      ]
    })
  }
}

function mask(password: string): string {
  return '•'.repeat([...graphemes(password)].length)
}
