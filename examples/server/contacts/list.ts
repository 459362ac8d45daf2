import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ActionResponse, ListScreen } from 'fastify-screen-auth/screens'
import { textsFor } from '../language.ts'
import type { Texts } from '../texts/en.ts'
import type { Contact, ContactStore } from './store.ts'
import { ADD_URL, CARD_URL, LIST_URL, NEW_URL } from './urls.ts'

/** `GET /screen/contacts`, and the button of the list. */
export function listRoutes(app: FastifyInstance, contacts: ContactStore): void {
  app.get(LIST_URL, { schema: { response: { 200: ScreenContract } } }, async request =>
    contactList(await contacts.list(), textsFor(request))
  )

  app.post(ADD_URL, async () => ({ success: true, push_url: NEW_URL }) satisfies ActionResponse)
}

/** A List of contacts, with a button for a new one. */
export function contactList(contacts: Contact[], texts: Texts): ListScreen {
  const { fields, id, title, add } = texts.contact
  return {
    layout: 'List',
    title,
    ...texts.language,
    screen_id: 'contacts',
    parent_url: '/menu/main',
    lines: {
      columns: [
        { id: 'name', label: fields.name, type: 'Text', width: 24 },
        { id: 'company', label: fields.company, type: 'Text', width: 22 },
        { id: 'birthday', label: fields.birthday, type: 'Date', width: 11 },
        { id: 'hourly_rate', label: fields.hourly_rate, type: 'Decimal', align: 'right', width: 11 },
        { id: 'favourite', label: fields.favourite, type: 'Boolean', width: 9 },
        { id: 'id', label: id, type: 'Integer', align: 'right', width: 5 }
      ],
      rows: contacts.map((contact, index) => ({ index, values: valuesOf(contact) })),
      row_count: contacts.length,
      on_select: `${CARD_URL}?id={5}`
    },
    screen_actions: [{ id: 'add', label: add, kind: 'simple', endpoint: ADD_URL }]
  }
}

function valuesOf({ id, fields }: Contact): string[] {
  const { name, company, birthday, hourly_rate, favourite } = fields
  return [name, company, birthday, hourly_rate, favourite, String(id)]
}
