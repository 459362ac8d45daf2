import { Type } from '@sinclair/typebox'

/** The query string of a list: what a person types into the list. */
export const Search = Type.Object({ query: Type.String({ default: '' }) })

/** No value of a row is longer. In characters: `normalize` takes long for a long row of accents. */
const LONGEST = 300

/** The rows of which one value contains what was typed. Accents, and small or capital letters, make no difference. */
export function found(rows: string[][], typed: string): string[][] {
  const wanted = plain(typed)
  return rows.filter(values => values.some(value => plain(value).includes(wanted)))
}

function plain(text: string): string {
  return text.slice(0, LONGEST).trim().normalize('NFD').replaceAll(/\p{M}/gu, '').toUpperCase()
}
