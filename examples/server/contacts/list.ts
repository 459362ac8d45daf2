import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import type { ListScreen } from 'fastify-screen-auth/screens'
import { toLocale } from '../locale.ts'
import { Search, search } from '../search.ts'
import type { Texts } from '../texts/en.ts'
import type { Contact, ContactStore } from './store.ts'
import { CARD_URL, LIST_URL, NEW_URL } from './urls.ts'

/** `GET /screen/contacts`, with `?query=` only those in which a text is found. */
export function listRoutes(app: FastifyInstance, contacts: ContactStore): void {
  app.get<{ Querystring: Static<typeof Search> }>(
    LIST_URL,
    { schema: { querystring: Search, response: { 200: ScreenContract } } },
    async ({ query, texts }) => contactList(await contacts.list(), texts, query.query)
  )
}

/** A List of contacts, from which clients also create one. */
export function contactList(contacts: Contact[], texts: Texts, query = ''): ListScreen {
  const { fields, id, title, none } = texts.contact
  const values = contacts.map(contact => valuesOf(contact, texts))
  const { lines, ...status } = search(values, query, none)
  return {
    layout: 'List',
    title,
    ...texts.language,
    screen_id: 'contacts',
    parent_url: '/menu/main',
    ...status,
    actions: { create: NEW_URL },
    lines: {
      columns: [
        { id: 'name', label: fields.name, type: 'Text', width: 24 },
        { id: 'company', label: fields.company, type: 'Text', width: 22 },
        { id: 'birthday', label: fields.birthday, type: 'Date', width: 11 },
        { id: 'hourly_rate', label: fields.hourly_rate, type: 'Decimal', align: 'right', width: 11 },
        { id: 'favourite', label: fields.favourite, type: 'Text', width: 9 },
        { id: 'id', label: id, type: 'Integer', align: 'right', width: 5 }
      ],
      ...lines,
      on_select: `${CARD_URL}?id={5}`
    }
  }
}

/** Known clients show the values of a list as they are. */
function valuesOf({ id, fields }: Contact, { language, yes, no }: Texts): string[] {
  const { name, company, birthday, hourly_rate, favourite } = fields
  return [
    name,
    company,
    toLocale('Date', birthday, language.locale),
    toLocale('Decimal', hourly_rate, language.locale),
    favourite === 'true' ? yes : no,
    String(id)
  ]
}
