import type { CardScreen, CardSection, ListScreen } from 'fastify-screen-auth/screens'
import { toLocale } from '../locale.ts'
import { card, listOf, readOnly, readOnlyDay, refusal } from '../screens/layouts.ts'
import { texts } from '../texts.ts'
import { BLANK, type FieldId, type Fields, fieldOf, labelOf } from './fields.ts'
import type { Contact } from './store.ts'

export const LIST_URL = '/screen/contacts'
/** Path of the Card for a new contact. Clients also post the new contact to this path. */
export const NEW_URL = '/screen/contacts/new'
export const CARD_URL = '/screen/contact'
export const SAVE_URL = '/screen/contact/save'
export const DELETE_URL = '/screen/contact/delete'

export const newUrl = (key: string) => `${NEW_URL}?key=${key}`
export const cardUrl = ({ id }: Contact) => `${CARD_URL}?id=${id}`

/** List of contacts, with an action to create a contact. */
export function contactList(contacts: Contact[], query = ''): ListScreen {
  const { lines, ...list } = listOf(contacts.map(valuesOf), query, texts.contact)
  return {
    ...list,
    screen_id: 'contacts',
    actions: { create: NEW_URL },
    lines: {
      columns: [
        { id: 'name', label: labelOf('name'), type: 'Text', width: 24 },
        { id: 'company', label: labelOf('company'), type: 'Text', width: 22 },
        { id: 'birthday', label: labelOf('birthday'), type: 'Date', width: 11 },
        { id: 'hourly_rate', label: labelOf('hourly_rate'), type: 'Decimal', align: 'right', width: 11 },
        { id: 'favourite', label: labelOf('favourite'), type: 'Text', width: 9 },
        { id: 'id', label: texts.contact.id, type: 'Integer', align: 'right', width: 5 }
      ],
      ...lines,
      on_select: `${CARD_URL}?id={5}`
    }
  }
}

/** Values of a row, formatted for the locale, because known clients show the values of a list unchanged. */
function valuesOf({ id, fields }: Contact): string[] {
  const { name, company, birthday, hourly_rate, favourite } = fields
  return [name, company, toLocale('Date', birthday), hourly_rate, favourite === 'true' ? '✓' : '', String(id)]
}

export function contactCard(contact: Contact): CardScreen {
  const { id, version, fields, updatedBy, updatedAt } = contact
  const { sections, id: idLabel, changedOn, changedBy } = texts.contact
  return {
    ...card(fields.name, 'contact', LIST_URL),
    record_id: String(id),
    // The URLs contain the version, so that a client cannot overwrite or delete newer changes of another person.
    actions: {
      save: `${SAVE_URL}?id=${id}&version=${version}`,
      create: NEW_URL,
      delete: `${DELETE_URL}?id=${id}&version=${version}`
    },
    sections: [
      ...sectionsOf(fields),
      {
        id: 'record',
        label: sections.record,
        row_group: 1,
        column: 0,
        fields: [
          readOnly('id', idLabel, String(id), 'Integer'),
          readOnlyDay('updated_at', changedOn, updatedAt),
          readOnly('updated_by', changedBy, updatedBy)
        ]
      }
    ]
  }
}

/** Card for a new contact. Each form has its own key, so that a second click creates no second contact. */
export function newCard(key: string): CardScreen {
  return {
    ...card(texts.contact.add, 'contact', LIST_URL),
    // Clients that opened this Card from a menu create the record with `save`.
    actions: { create: newUrl(key), save: newUrl(key) },
    sections: sectionsOf(BLANK, 'name')
  }
}

/** Response to a rejected change: the current contact if it still exists, and the reason. */
export function refusedCard(contact: Contact | null, text: string): CardScreen {
  const empty = { ...card(texts.contact.title, 'contact', LIST_URL), sections: [] }
  return { ...(contact === null ? empty : contactCard(contact)), status: refusal(text) }
}

/** @param focus the field that has the focus initially */
function sectionsOf(fields: Fields, focus?: FieldId): CardSection[] {
  const { sections } = texts.contact
  const field = (id: FieldId) => ({
    ...fieldOf(id, fields[id]),
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
