import { Type } from '@sinclair/typebox'
import removeAccents from 'remove-accents'
import type { Texts } from './texts/en.ts'

/** The query string of a list: what a person types into the list. */
export const Search = Type.Object({ query: Type.String({ default: '' }) })

/** No value of a row is longer. In characters: `normalize` takes long for a long row of accents. */
const LONGEST = 300

/**
 * A List of the rows of which one value contains what was typed; accents and capitals make no difference. Where there are
 * none, the status says so.
 *
 * @param all the values of all rows
 */
export function listOf(all: string[][], typed: string, { title, none }: Texts['users'], { language }: Texts) {
  const wanted = plain(typed)
  const found = all.filter(values => values.some(value => plain(value).includes(wanted)))
  return {
    layout: 'List',
    title,
    ...language,
    parent_url: '/menu/main',
    ...(found.length === 0 && typed !== '' && { status: none }),
    lines: { rows: found.map((values, index) => ({ index, values })), row_count: found.length }
  } as const
}

function plain(text: string): string {
  const letters = text.slice(0, LONGEST).trim().normalize('NFD').replaceAll(/\p{M}/gu, '')
  // The capital ẞ has only a small letter that becomes SS.
  return removeAccents(letters).toLowerCase().toUpperCase().replaceAll(/\s+/g, ' ')
}
