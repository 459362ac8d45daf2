/**
 * What a user store may ignore when it compares names, as the collations of databases do: accents, control and
 * invisible characters, spaces, the tatweel (a stroke that lengthens a word) and what is sorted like it.
 */
const IGNORED =
  '\\p{M}\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\u0640\u07FA\u0824\u0828\u180A\u1CD3\u1CF2\u1CF3\uFE73'
const KEPT = new RegExp(`[^${IGNORED}]+`, 'gu')

/** No name is longer, in UTF-16 code units. Names that are count as one, because to fold 16 KB takes too long. */
const LONGEST = 256

/** The value of each digit that was folded. There are some hundred, and it takes long to find one. */
const values = new Map<string, string>()

/**
 * One spelling for all spellings that a user store may take for the same name: otherwise each would have failures of
 * its own. Accents go first, because to normalize a long run of them takes quadratic time; and a ligature may become
 * eighteen letters. Lower case comes before upper case, because only so `ẞ` and `ß` become the same.
 */
export function foldUsername(username: string): string {
  const name = kept(username)
  if (name.length > LONGEST) return ''
  const plain = kept(name.normalize('NFKD').slice(0, LONGEST))
  return plain
    .replace(/\p{Nd}/gu, digitOf)
    .toLowerCase()
    .toUpperCase()
}

/** A text without what is ignored, or so much of it that it is too long. */
function kept(text: string): string {
  let name = ''
  for (const [part] of text.matchAll(KEPT)) {
    name += part
    if (name.length > LONGEST) break
  }
  return name
}

/** The value of a digit of any script: the ten digits of a script follow each other. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) as number
  let zero = code
  while (!values.has(digit) && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  const value = values.get(digit) ?? String((code - zero) % 10)
  values.set(digit, value)
  return value
}
