import type { CardField } from 'fastify-screen-auth/screens'
import { toLocale } from '../locale.ts'
import { texts } from '../texts.ts'

type Definition = Omit<CardField, 'id' | 'value'>

/**
 * The fields that people edit. The Card shows these fields, and the server validates changes against them. To add a
 * field, add it here and to a section in screens.ts.
 */
const DEFINITIONS = {
  name: { label: 'Name', type: 'Text', validation: { required: true, max_length: 100 } },
  company: { label: 'Company', type: 'Text', validation: { max_length: 100 } },
  category: {
    label: 'Category',
    type: 'Option',
    options: [
      { label: 'Customer', value: 'customer' },
      { label: 'Supplier', value: 'supplier' },
      { label: 'Colleague', value: 'colleague' },
      { label: 'Friend', value: 'friend' }
    ]
  },
  favourite: { label: 'Favourite', type: 'Boolean', true_label: texts.yes, false_label: texts.no },
  email: { label: 'Email', type: 'Email', placeholder: 'ada@example.com', validation: { max_length: 254 } },
  phone: {
    label: 'Phone',
    type: 'Phone',
    placeholder: '+44 20 7946 0958',
    // Escapes all characters that the `pattern` attribute of browsers (the v flag) requires.
    validation: { max_length: 30, pattern: '\\+?[0-9 \\(\\)\\/\\-]{3,29}' }
  },
  website: { label: 'Website', type: 'URL', placeholder: 'https://example.com', validation: { max_length: 200 } },
  call_at: { label: 'Call time', type: 'Time', placeholder: '09:30' },
  birthday: { label: 'Birthday', type: 'Date', placeholder: '1990-12-31' },
  away: { label: 'Away', type: 'DateRange', placeholder: '2026-12-20/2027-01-06' },
  team_size: { label: 'Team size', type: 'Integer', validation: { min: 0, max: 100_000 } },
  hourly_rate: { label: 'Hourly rate', type: 'Decimal', placeholder: '0.00', validation: { min: 0, max: 100_000 } },
  notes: { label: 'Notes', type: 'TextArea', rows: 4, validation: { max_length: 2000 } }
} satisfies Record<string, Definition>

export type FieldId = keyof typeof DEFINITIONS

/** Values of a contact. An empty string means no value. */
export type Fields = Record<FieldId, string>

const IDS = Object.keys(DEFINITIONS) as FieldId[]

/** Values of a new contact. */
export const BLANK = Object.freeze({
  ...Object.fromEntries(IDS.map(id => [id, ''])),
  // The value that `fieldOf` shows, so that a client that sends unchanged fields changes nothing.
  favourite: 'false'
}) as Fields

export function isFieldId(id: string): id is FieldId {
  return Object.hasOwn(DEFINITIONS, id)
}

export function labelOf(id: FieldId): string {
  return DEFINITIONS[id].label
}

export function fieldOf(id: FieldId, value: string): CardField {
  const { placeholder, ...definition }: Definition = DEFINITIONS[id]
  const local = (text: string) => toLocale(definition.type, text)
  return {
    id,
    ...definition,
    // Never empty: clients send an unchanged Boolean back as they received it.
    value: definition.type === 'Boolean' ? value || 'false' : local(value),
    ...(placeholder !== undefined && { placeholder: local(placeholder) })
  }
}
