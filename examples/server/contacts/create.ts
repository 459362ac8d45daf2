import { randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { refusal, SaveChangeset } from '../changeset.ts'
import { contactCard, newCard } from './card.ts'
import { readChanges } from './changes.ts'
import { conflictText } from './conflict.ts'
import type { ContactStore } from './store.ts'
import { cardUrl, NEW_URL, newUrl } from './urls.ts'

const key = Type.String({ format: 'uuid' })
const OptionalKey = Type.Object({ key: Type.Optional(key) })
const Key = Type.Object({ key })

/**
 * The Card for a new contact, and where it is posted. The key in its URL belongs to one contact: a request that is
 * repeated creates no second one, and after that the URL leads to the contact.
 */
export function createRoutes(app: FastifyInstance, contacts: ContactStore): void {
  const response = { 200: ScreenContract }

  app.get<{ Querystring: Static<typeof OptionalKey> }>(
    NEW_URL,
    { schema: { querystring: OptionalKey, response } },
    async (request, reply) => {
      const { key = randomUUID() } = request.query
      const contact = await contacts.findByKey(key)
      const texts = request.texts
      reply.header('content-location', contact === null ? newUrl(key) : cardUrl(contact))
      return contact === null ? newCard(key, texts) : contactCard(contact, texts)
    }
  )

  app.post<{ Querystring: Static<typeof Key>; Body: SaveChangeset }>(
    NEW_URL,
    { schema: { querystring: Key, body: SaveChangeset, response } },
    async (request, reply) => {
      const { query, body, screenUser, texts } = request
      const refuse = (text: string) => ({ ...newCard(query.key, texts), status: refusal(text) })
      // Some clients send only what was typed, so a name that is missing is checked, too.
      const { changes, fault } = readChanges({ name: '', ...body.changes }, texts)
      if (fault !== null) return refuse(fault)
      const { contact, isConflict } = await contacts.create(query.key, changes, screenUser?.username ?? '')
      if (contact === null) return refuse(texts.contact.full)
      if (isConflict) return refuse(conflictText(contact, screenUser, texts))
      reply.header('content-location', cardUrl(contact))
      return { ...contactCard(contact, texts), status: texts.contact.created }
    }
  )
}
