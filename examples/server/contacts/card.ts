import type { CardScreen, CardSection } from 'fastify-screen-auth/screens'
import { refusal } from '../changeset.ts'
import { readOnly, readOnlyDay } from '../screens/read-only.ts'
import type { Texts } from '../texts/en.ts'
import { BLANK, type FieldId, type Fields, fieldOf } from './fields.ts'
import type { Contact } from './store.ts'
import { deleteUrl, LIST_URL, newUrl, saveUrl } from './urls.ts'

/** The Card of a contact. */
export function contactCard(contact: Contact, texts: Texts): CardScreen {
  const { id, fields, updatedBy, updatedAt } = contact
  const { sections, id: idLabel, changedOn, changedBy } = texts.contact
  return {
    ...card(fields.name, texts),
    record_id: String(id),
    actions: { save: saveUrl(contact), delete: deleteUrl(contact) },
    sections: [
      ...sectionsOf(fields, texts),
      {
        id: 'record',
        label: sections.record,
        row_group: 1,
        column: 0,
        fields: [
          readOnly('id', idLabel, String(id), 'Integer'),
          readOnlyDay('updated_at', changedOn, updatedAt, texts),
          readOnly('updated_by', changedBy, updatedBy)
        ]
      }
    ]
  }
}

/** The Card for a new contact. Its key belongs to the form: a second click creates no second contact. */
export function newCard(key: string, texts: Texts): CardScreen {
  return {
    ...card(texts.contact.add, texts),
    // Some clients create a record with `save`: those that came to its Card from a menu.
    actions: { create: newUrl(key), save: newUrl(key) },
    sections: sectionsOf(BLANK, texts, 'name')
  }
}

/** The response to a change that is refused: the contact as it is, if it is still there. */
export function refusedCard(contact: Contact | null, text: string, texts: Texts): CardScreen {
  const empty = { ...card(texts.contact.title, texts), sections: [] }
  return { ...(contact === null ? empty : contactCard(contact, texts)), status: refusal(text) }
}

function card(title: string, texts: Texts) {
  return { layout: 'Card', title, ...texts.language, screen_id: 'contact', parent_url: LIST_URL } as const
}

/** @param focus where the cursor is first */
function sectionsOf(fields: Fields, texts: Texts, focus?: FieldId): CardSection[] {
  const { sections } = texts.contact
  const field = (id: FieldId) => ({
    ...fieldOf(id, fields[id], texts),
    ...(id === focus && { focus: true })
  })
  return [
    {
      id: 'contact',
      label: sections.contact,
      row_group: 0,
      column: 0,
      fields: [
        ...(['name', 'company', 'category', 'favourite'] as const).map(field),
        { id: 'line', label: '', type: 'Separator', value: '', editable: false },
        ...(['email', 'phone', 'website', 'call_at'] as const).map(field)
      ]
    },
    {
      id: 'details',
      label: sections.details,
      row_group: 0,
      column: 1,
      fields: (['birthday', 'away', 'team_size', 'hourly_rate', 'notes'] as const).map(field)
    }
  ]
}
