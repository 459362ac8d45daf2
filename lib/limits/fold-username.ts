/**
 * What a user store may ignore when it compares names, as the collations of databases do: accents, control and
 * invisible characters, spaces, the tatweel (a stroke that lengthens a word) and what is sorted like it.
 */
const IGNORED =
  /[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u0640\u07FA\u0824\u0828\u180A\u1CD3\u1CF2\u1CF3\uFE73]+/gu

/** No name is longer, in UTF-16 code units. Names that are count as one, because to fold 16 KB takes too long. */
const LONGEST = 256

/**
 * One spelling for all spellings that a user store may take for the same name: otherwise each would have failures of
 * its own. Accents go first, because to normalize a long run of them takes quadratic time; and a ligature may become
 * eighteen letters.
 */
export function foldUsername(username: string): string {
  if (username.length > LONGEST) return ''
  const name = username.replace(IGNORED, '').normalize('NFKD').slice(0, LONGEST)
  return name.replace(IGNORED, '').toUpperCase()
}
