import { type Static, Type } from '@sinclair/typebox'
import type { CardField, FieldType } from 'fastify-screen-auth/screens'
import { toLocale } from '../locale.ts'
import type { Texts } from '../texts/en.ts'

/**
 * The body of a Card that is saved. Only the changes matter: what is saved is in the URL, and clients differ in what
 * else they send.
 */
export const SaveChangeset = Type.Object({
  changes: Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 100,
    additionalProperties: { type: 'string' }
  })
})
export type SaveChangeset = Static<typeof SaveChangeset>

/** Known clients cut a message after so many characters. */
export const LONGEST_MESSAGE = 42

/** The `status` of a screen that refuses a change. `Error:` is no word of a language: clients look for it. */
export function refusal(text: string): string {
  return `Error: ${text}`
}

/** What every Card has. */
export function card(title: string, screen_id: string, parent_url: string, { language }: Texts) {
  return { layout: 'Card', title, ...language, screen_id, parent_url } as const
}

/** A field that people can read, and not edit. */
export function readOnly(id: string, label: string, value: string, type: FieldType = 'Text'): CardField {
  return { id, label, type, value, editable: false }
}

/** The day of a moment, to read. */
export function readOnlyDay(id: string, label: string, moment: string, { language }: Texts): CardField {
  return readOnly(id, label, toLocale('Date', moment.slice(0, 10), language.locale), 'Date')
}
