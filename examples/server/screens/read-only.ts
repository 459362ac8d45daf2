import type { CardField, FieldType } from 'fastify-screen-auth/screens'
import { toLocale } from '../locale.ts'
import type { Texts } from '../texts/en.ts'

/** A field that people can read, and not edit. */
export function readOnly(id: string, label: string, value: string, type: FieldType = 'Text'): CardField {
  return { id, label, type, value, editable: false }
}

/** The day of a moment, to read. */
export function readOnlyDay(id: string, label: string, moment: string, { language }: Texts): CardField {
  return readOnly(id, label, toLocale('Date', moment.slice(0, 10), language.locale), 'Date')
}
