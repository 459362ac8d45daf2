import { Type } from '@sinclair/typebox'
import removeAccents from 'remove-accents'
import type { Texts } from './texts/en.ts'

/** Query string of a list: the text that the person searches for. */
export const Search = Type.Object({ query: Type.String({ default: '' }) })

/** Maximum characters that the search reads of a text: `normalize` is slow for many accents. */
const MAX_LENGTH = 300

/**
 * A List of the rows with a value that contains the typed text, ignoring accents and case. If no row matches, the
 * status contains a message.
 *
 * @param all the values of all rows
 */
export function listOf(all: string[][], typed: string, { title, none }: Texts['users'], { language }: Texts) {
  const wanted = normalized(typed)
  const found = all.filter(values => values.some(value => normalized(value).includes(wanted)))
  return {
    layout: 'List',
    title,
    ...language,
    parent_url: '/menu/main',
    ...(found.length === 0 && typed !== '' && { status: none }),
    lines: { rows: found.map((values, index) => ({ index, values })), row_count: found.length }
  } as const
}

function normalized(text: string): string {
  const letters = text.slice(0, MAX_LENGTH).trim().normalize('NFD').replaceAll(/\p{M}/gu, '')
  // toUpperCase alone keeps a capital ẞ. Its lower case ß becomes SS.
  return removeAccents(letters).toLowerCase().toUpperCase().replaceAll(/\s+/g, ' ')
}
