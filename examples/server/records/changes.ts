import { faultOf, fromLocale, parse, readField } from 'screen-auth-client'
import { LOCALE, texts } from '../texts.ts'
import { canonicalValue, type DefinedField, fieldsOf, type RecordList, type Values } from './list.ts'

/**
 * Reads the changes that a client sends, in the order of the form. `fault` is the message about the first invalid
 * value, or null.
 */
export function readChanges(list: RecordList, sent: Values): { changes: Values; fault: string | null } {
  const fields = fieldsOf(list)
  const changes: Values = {}
  const ids = fields.map(({ id }) => id)
  if (!Object.keys(sent).every(id => ids.includes(id))) return { changes, fault: texts.record.notEditable }
  for (const field of fields.filter(({ id }) => Object.hasOwn(sent, id))) {
    const { id, type } = field
    const text = `${sent[id]}`.replaceAll('\r\n', '\n').trim()
    const data = type === 'URL' ? parse(field, text) : fromLocale(type, text, LOCALE)
    const fault = messageOf(field, data)
    if (data === null || fault !== null) return { changes, fault }
    changes[id] = canonicalValue(field, data)
  }
  return { changes, fault: null }
}

/** The message about invalid data of a field; null if it is valid. */
function messageOf(field: DefinedField, data: string | null): string | null {
  const { label, type, validation = {} } = field
  const { decimals } = validation
  const hasMore = decimals !== undefined && (data?.split('.')[1] ?? '').length > decimals
  const fault = faultOf(readField(field), data) ?? (hasMore ? 'decimals' : null)
  // Only the types in `faults` have a format.
  const key = fault === 'type' ? (type as keyof typeof texts.faults) : fault
  return key && `${label}: ${texts.faults[key](validation)}.`
}
