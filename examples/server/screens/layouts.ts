import { type Static, Type } from '@sinclair/typebox'
import type { CardField, FieldType, UiStrings } from 'fastify-screen-auth/screens'
import { format, isNumber, toLocale } from 'screen-auth-client'
import { LOCALE, texts } from '../texts.ts'

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

/** The `status` of a screen that rejects a change. Clients check for `Error:`. */
export function refusal(text: string): string {
  return `Error: ${text}`
}

export function card(title: string, screen_id: string, parent_url: string) {
  return { layout: 'Card', title, ...texts.client, screen_id, parent_url } as const
}

/** The texts of the client, with those that differ on one screen. */
export function withStrings(strings: UiStrings) {
  return { ui_strings: { ...texts.client.ui_strings, ...strings } }
}

/** The text of a stored value on a screen. English numbers have the separators of LOCALE. */
export function toScreen(type: FieldType, value: string): string {
  return isNumber(type) ? format({ type }, value, 'en') : toLocale(type, value, LOCALE)
}

export function readOnly(id: string, label: string, value: string, type: FieldType = 'Text'): CardField {
  return { id, label, type, value, editable: false }
}

/** A read-only field with the date of a timestamp. */
export function readOnlyDay(id: string, label: string, moment: string): CardField {
  return readOnly(id, label, toScreen('Date', moment.slice(0, 10)), 'Date')
}

/** Query string of a list: the text that the person searches for. */
export const Search = Type.Object({ query: Type.String({ default: '' }) })

/** Maximum characters that the search reads of a text: `normalize` is slow for many accents. */
const MAX_LENGTH = 300

/**
 * A List of the rows with a value that contains the typed text, ignoring accents, case and signs between digits. If no
 * row matches, the status contains a message.
 *
 * @param all the values of all rows
 */
export function listOf(all: string[][], typed: string, { title, none }: { title: string; none: string }) {
  const wanted = normalized(typed)
  const found = all.filter(values => values.some(value => normalized(value).includes(wanted)))
  return {
    layout: 'List',
    title,
    ...texts.client,
    parent_url: '/menu/main',
    ...(found.length === 0 && typed !== '' && { status: none }),
    lines: { rows: found.map((values, index) => ({ index, values })), row_count: found.length }
  } as const
}

/** Drops the signs between digits, because a client may show a number or a date with other signs than this server. */
function normalized(text: string): string {
  const plain = text.slice(0, MAX_LENGTH).trim().normalize('NFD').replaceAll(/\p{M}/gu, '')
  const letters = plain.replaceAll(/(?<=\d)[.,\s'’/-](?=\d)/g, '')
  return letters.toLowerCase().replaceAll(/\s+/g, ' ')
}
