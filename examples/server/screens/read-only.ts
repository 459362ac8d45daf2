import type { CardField } from 'fastify-screen-auth/screens'

/** A field that people can read, and not edit. */
export function readOnly(id: string, label: string, value: string): CardField {
  return { id, label, type: 'Text', value, editable: false }
}
