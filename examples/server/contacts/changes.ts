import { fromLocale } from '../locale.ts'
import type { Texts } from '../texts/en.ts'
import { type Fields, fieldOf, isFieldId } from './fields.ts'
import { faultOf } from './validation.ts'

/** Reads the changes that a client has sent. `fault` says what is wrong with the first wrong one. */
export function readChanges(
  sent: Record<string, string>,
  texts: Texts
): { changes: Partial<Fields>; fault: string | null } {
  const changes: Partial<Fields> = {}
  for (const [id, raw] of Object.entries(sent)) {
    if (!isFieldId(id)) return { changes, fault: texts.contact.notEditable }
    const field = fieldOf(id, '', texts)
    const value = fromLocale(field.type, raw.replaceAll('\r\n', '\n').trim(), texts.language.locale)
    const fault = value === null ? 'ambiguous' : faultOf(field, value)
    if (fault !== null) return { changes, fault: texts.faults[fault](field.label, field.validation ?? {}) }
    changes[id] = value as string
  }
  return { changes, fault: null }
}
