import { fromLocale } from '../locale.ts'
import { texts } from '../texts.ts'
import { canonicalValue, fieldsOf, type RecordList, type Values } from './list.ts'
import { faultOf } from './validation.ts'

/**
 * Reads the changes that a client sends, in the order of the form. `fault` is the message about the first invalid
 * value, or null.
 */
export function readChanges(list: RecordList, sent: Values): { changes: Values; fault: string | null } {
  const fields = fieldsOf(list)
  const changes: Values = {}
  if (Object.keys(sent).some(id => !fields.some(field => field.id === id))) {
    return { changes, fault: texts.record.notEditable }
  }
  for (const field of fields) {
    const { id, label, type, validation = {} } = field
    if (!Object.hasOwn(sent, id)) continue
    const value = fromLocale(type, `${sent[id]}`.replaceAll('\r\n', '\n').trim())
    const fault = faultOf(field, value)
    if (fault !== null) return { changes, fault: `${label}: ${texts.faults[fault](validation)}.` }
    changes[id] = canonicalValue(field, value)
  }
  return { changes, fault: null }
}
