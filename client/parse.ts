// The texts that a person types, to data.
import { isNumber } from './locale.ts'
import { formatOfLanguage, type PersonLocale } from './numbers.ts'
import type { Field } from './screen.ts'

/**
 * Reads what a person has typed into a field. Returns data; null for a number without a reading in the format of the
 * locale, or with two. A URL without a scheme becomes `https://`.
 *
 * @param locale the locale of the text. If it is missing or invalid, the locale of the platform applies
 *
 * @example
 * parse({ type: 'Decimal' }, '1.250,5', 'de')   // '1250.5'
 */
export function parse({ type }: Pick<Field, 'type'>, text: string, locale?: PersonLocale): string | null {
  const trimmed = text.trim()
  if (isNumber(type)) return trimmed && formatOfLanguage(locale).read(trimmed)
  if (type === 'URL') return lacksScheme(trimmed) ? `https://${trimmed}` : trimmed
  return /^(Email|Phone|Date|DateRange|Time)$/.test(type) ? trimmed : text
}

/** Whether a text is a host with a dot, and maybe a port and a path. */
function lacksScheme(text: string): boolean {
  return /^[^\s:@/?#]*\.\p{L}[^\s:@/?#.]*(:\d+)?([/?#]\S*)?$/u.test(text)
}
