import { Type } from '@sinclair/typebox'
import { texts } from './texts.ts'

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

function normalized(text: string): string {
  const letters = text.slice(0, MAX_LENGTH).trim().normalize('NFD').replaceAll(/\p{M}/gu, '')
  return letters.toLowerCase().replaceAll(/\s+/g, ' ')
}
