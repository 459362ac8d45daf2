// Numbers. Data has a decimal point and no groups, as in `-1250.5`. A person or a server may write other signs.

/** The language of a person, for example `navigator.languages`. Default: that of the platform. */
export type PersonLocale = string | readonly string[] | undefined

/** Reads and writes the numbers of a language or a server. */
export interface NumberFormat {
  /** Returns data; null if the text has no reading in this format, or two. */
  read(text: string): string | null
  /** Returns the text of data, with all of its digits. A value that is no number stays unchanged. */
  write(data: string): string
}

interface Signs {
  /** The sign before a fraction; empty if there are no fractions. */
  decimal: string
  /** The sign between groups of digits; empty if there are no groups. */
  group: string
  /** The number with line breaks and tabs as its signs: a folded text contains neither. */
  shape: RegExp
  /** Whether only Latin digits are read. */
  isLatin?: boolean
}

const DATA = /^(-?\d+)(?:\.(\d+))?$/

/** The groups have two digits in India (`12,34,567`), else three. The last one has three. */
const GROUPS_OF_2 = /^(-?)(?=\n?\d)(\d*|[1-9]\d?(?:\t\d\d)*\t\d{3})(?:\n(\d+))?$/
const GROUPS_OF_3 = /^(-?)(?=\n?\d)(\d*|[1-9]\d{0,2}(?:\t\d{3})+)(?:\n(\d+))?$/

/** Creating a formatter takes a thousand times as long as using it. */
const formats = new Map<string, NumberFormat>()

/** The format of a language. If the locale is missing or invalid, the locale of the platform applies. */
export function formatOfLanguage(locale: PersonLocale): NumberFormat {
  const format = formats.get(`${locale}`) ?? createFormat(locale || undefined)
  formats.set(`${locale}`, format)
  return format
}

/** The format of a server: a sign before fractions, and a sign that may stand between groups. It writes no groups. */
export function formatOfServer(decimal: unknown, group: unknown): NumberFormat {
  const signs = { decimal: signOf(decimal) || '.', group: signOf(decimal) && signOf(group), shape: GROUPS_OF_3 }
  // One sign for both can be either of them.
  const ways = signs.decimal === signs.group ? [signs, { ...signs, decimal: '' }] : [signs]
  return {
    read: text => read(text, ways),
    write: data => (DATA.test(data) ? data.replace('.', () => signs.decimal) : data)
  }
}

function createFormat(locale: PersonLocale): NumberFormat {
  const intl = formatterOf(locale)
  const signs = signsOf(intl)
  // A keyboard may have other digits than the page shows. With Latin digits, some languages have other separators.
  const ways = [signs, { ...signsOf(formatterOf(locale, 'latn')), isLatin: true }]
  return {
    read: text => read(text, ways),
    write(data) {
      const [, whole, fraction] = DATA.exec(data) ?? []
      if (whole === undefined) return data
      // A BigInt keeps all digits, but it is never -0.
      const tail = fraction ? signs.decimal + fraction.replace(/\d/g, digit => intl.format(Number(digit))) : ''
      return intl.format(BigInt(whole) || Number(whole)) + tail
    }
  }
}

function formatterOf(locale: PersonLocale, numberingSystem?: string): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, { numberingSystem })
  } catch {
    return new Intl.NumberFormat(undefined, { numberingSystem })
  }
}

/** The signs of a formatter, from the parts of a number with groups. */
function signsOf(formatter: Intl.NumberFormat): Signs {
  const parts = formatter.formatToParts(123456.5)
  const valuesOf = (type: string) => parts.flatMap(part => (part.type === type ? part.value : []))
  const [decimal = ''] = valuesOf('decimal')
  const [group = '', second] = valuesOf('group')
  return { decimal, group, shape: second ? GROUPS_OF_2 : GROUPS_OF_3 }
}

function read(text: string, ways: Signs[]): string | null {
  const folded = fold(text).trim()
  const [reading = null, other] = new Set(ways.flatMap(signs => readIn(folded, signs) ?? []))
  return other === undefined ? reading : null
}

function readIn(text: string, { decimal, group, shape, isLatin }: Signs): string | null {
  let plain = isLatin ? text : text.replace(/\p{Nd}/gu, latinDigitOf)
  if (decimal) plain = plain.replaceAll(fold(decimal), '\n')
  if (group) plain = plain.replaceAll(fold(group), '\t')
  const [, minus, whole = '', fraction] = shape.exec(plain) ?? []
  if (minus === undefined) return null
  const digitsOfWhole = whole.replaceAll('\t', '').replace(/^0+(?=\d)/, '') || '0'
  return minus + digitsOfWhole + (fraction ? `.${fraction}` : '')
}

/** In Unicode, the digits of a script stand in a row from 0 to 9. Those of another script may follow at once. */
function latinDigitOf(digit: string): string {
  let count = 0
  while (/\p{Nd}/u.test(String.fromCodePoint((digit.codePointAt(0) as number) - count - 1))) count += 1
  return `${count % 10}`
}

/** Returns a sign of a server; empty for one that a number could contain without it. */
function signOf(value: unknown): string {
  const sign = typeof value === 'string' ? fold(value) : ''
  return /[\d-]/.test(sign) ? '' : sign
}

/** Writes signs that a person does not distinguish in one way, and drops marks of the writing direction. */
function fold(text: string): string {
  return text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\uff01-\uff5e]/g, wide => wide.normalize('NFKC'))
    .replace(/\s/g, ' ')
    .replace(/[‘’]/g, "'")
    .replace(/−/g, '-')
}
