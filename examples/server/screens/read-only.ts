import type { CardField, FieldType } from 'fastify-screen-auth/screens'

/** A field that people can read, and not edit. */
export function readOnly(id: string, label: string, value: string, type: FieldType = 'Text'): CardField {
  return { id, label, type, value, editable: false }
}
