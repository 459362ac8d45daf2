import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { SaveChangeset } from '../changeset.ts'
import { contactCard, refusedCard } from './card.ts'
import { readChanges } from './changes.ts'
import { conflictText } from './conflict.ts'
import { contactList } from './list.ts'
import type { ContactStore } from './store.ts'
import { CARD_URL, cardUrl, DELETE_URL, LIST_URL, SAVE_URL } from './urls.ts'

const wholeNumber = Type.String({ pattern: '^[1-9][0-9]{0,14}$' })
const Id = Type.Object({ id: wholeNumber })
const Version = Type.Object({ id: wholeNumber, version: wholeNumber })

/** The Card of a contact, and where it is saved and deleted. */
export function editRoutes(app: FastifyInstance, contacts: ContactStore): void {
  const response = { 200: ScreenContract }

  app.get<{ Querystring: Static<typeof Id> }>(
    CARD_URL,
    { schema: { querystring: Id, response } },
    async (request, reply) => {
      const contact = await contacts.find(Number(request.query.id))
      return contact === null ? reply.callNotFound() : contactCard(contact, request.texts)
    }
  )

  // Each response is a screen with status 200, also when it refuses: clients show no message of another status.
  app.post<{ Querystring: Static<typeof Version>; Body: SaveChangeset }>(
    SAVE_URL,
    { schema: { querystring: Version, body: SaveChangeset, response } },
    async (request, reply) => {
      const { query, body, screenUser, texts } = request
      const [id, version] = [Number(query.id), Number(query.version)]
      const { changes, fault } = readChanges(body.changes, texts)
      if (fault !== null) return refusedCard(await contacts.find(id), fault, texts)
      const { contact, isConflict } = await contacts.save(id, version, changes, screenUser?.username ?? '')
      if (contact === null) return refusedCard(contact, texts.contact.gone, texts)
      if (isConflict) return refusedCard(contact, conflictText(contact, screenUser, texts), texts)
      reply.header('content-location', cardUrl(contact))
      return { ...contactCard(contact, texts), status: texts.contact.saved }
    }
  )

  app.post<{ Querystring: Static<typeof Version> }>(
    DELETE_URL,
    { schema: { querystring: Version, response } },
    async (request, reply) => {
      const { query, screenUser, texts } = request
      const contact = await contacts.delete(Number(query.id), Number(query.version))
      if (contact !== null) return refusedCard(contact, conflictText(contact, screenUser, texts), texts)
      reply.header('content-location', LIST_URL)
      return { ...contactList(await contacts.list(), texts), status: texts.contact.deleted }
    }
  )
}
