import { type Static, Type } from '@sinclair/typebox'
import type { CardField, FieldType } from 'fastify-screen-auth/screens'
import { toLocale } from '../locale.ts'
import type { Texts } from '../texts/en.ts'

/**
 * The body of a request that saves a Card. Reads only the changes, because the URL identifies the record and clients
 * differ in the other properties that they send.
 */
export const SaveChangeset = Type.Object({
  changes: Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 100,
    additionalProperties: { type: 'string' }
  })
})
export type SaveChangeset = Static<typeof SaveChangeset>

/** Known clients truncate a longer message, in characters. */
export const MAX_MESSAGE_LENGTH = 42

/** The `status` of a screen that rejects a change. `Error:` is the same in every language: clients check for it. */
export function refusal(text: string): string {
  return `Error: ${text}`
}

export function card(title: string, screen_id: string, parent_url: string, { language }: Texts) {
  return { layout: 'Card', title, ...language, screen_id, parent_url } as const
}

export function readOnly(id: string, label: string, value: string, type: FieldType = 'Text'): CardField {
  return { id, label, type, value, editable: false }
}

/** A read-only field with the date of a timestamp. */
export function readOnlyDay(id: string, label: string, moment: string, { language }: Texts): CardField {
  return readOnly(id, label, toLocale('Date', moment.slice(0, 10), language.locale), 'Date')
}
