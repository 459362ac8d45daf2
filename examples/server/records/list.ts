import type { CardField, FieldOption } from 'fastify-screen-auth/screens'
import { isNumber } from 'screen-auth-client'

/** A field that people edit, as the Card shows it. `editable: false` excludes it, for example a Separator. */
export type Definition = Omit<CardField, 'id' | 'value' | 'options'> & { options?: readonly FieldOption[] }

/** Values of a record by the id of the field. An empty string means no value. */
export type Values = Record<string, string>

/** A list of records: what differs between two lists. The first field is the name of a record, and is required. */
export interface RecordList<Id extends string = string> {
  /** Lower-case name of the table, also in URLs. Never comes from a request. */
  name: string
  /** Lower-case name of one record in URLs. */
  record: string
  texts: { title: string; new: string; create: string; none: string; gone: string }
  /** The sections of the Card. Those of one row group stand side by side, so only short values belong there. */
  sections: readonly { label: string; row_group: number; column: number; fields: { [id in Id]?: Definition } }[]
  /** The columns of the list, with their widths in characters. */
  columns: Partial<Record<NoInfer<Id>, number>>
  /** Records that the server adds with the demo user. */
  samples: readonly Partial<Record<NoInfer<Id>, string>>[]
}

/** Checks that the columns and the samples contain only ids of fields. */
export function defineList<Id extends string>(list: RecordList<Id>): RecordList<Id> {
  return list
}

export type DefinedField = Definition & { id: string }

export function fieldsIn({ fields }: RecordList['sections'][number]): DefinedField[] {
  return Object.entries(fields).flatMap(([id, field]) => (field === undefined ? [] : { id, ...field }))
}

/** The fields that people edit, in the order of the form. */
export function fieldsOf({ sections }: RecordList): DefinedField[] {
  return sections.flatMap(fieldsIn).filter(({ editable }) => editable !== false)
}

/**
 * All values in their stored form: a number has no superfluous zeros but the decimals of its field, and a Boolean is
 * never empty. A number with more decimals stays as it is, for example one from before its field had `decimals`.
 */
export function canonical(list: RecordList, values: Partial<Values>): Values {
  return Object.fromEntries(fieldsOf(list).map(field => [field.id, canonicalValue(field, values[field.id] ?? '')]))
}

export function canonicalValue({ type, validation }: Definition, value: string): string {
  // Clients send an unchanged Boolean back as they received it.
  if (type === 'Boolean') return value || 'false'
  if (!isNumber(type)) return value
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  if (whole === undefined) return value
  const decimals = fraction.padEnd(validation?.decimals ?? 0, '0')
  return `${/[1-9]/.test(value) ? sign : ''}${whole.replace(/^0+(?=\d)/, '')}${decimals && `.${decimals}`}`
}
