import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { refusal, SaveChangeset, Search } from '../screens/layouts.ts'
import { texts } from '../texts.ts'
import {
  CARD_URL,
  cardUrl,
  contactCard,
  contactList,
  DELETE_URL,
  LIST_URL,
  NEW_URL,
  newCard,
  newUrl,
  refusedCard,
  SAVE_URL
} from './screens.ts'
import type { ContactStore } from './store.ts'
import { readChanges } from './validation.ts'

const wholeNumber = Type.String({ pattern: '^[1-9][0-9]{0,14}$' })
const Id = Type.Object({ id: wholeNumber })
const Version = Type.Object({ id: wholeNumber, version: wholeNumber })
const key = Type.String({ format: 'uuid' })
const Key = Type.Object({ key })
const OptionalKey = Type.Object({ key: Type.Optional(key) })

/**
 * The screens to list, create, edit and delete contacts. A rejected change is also a screen with status 200, because
 * clients show no message from a response with another status.
 */
export const contactScreens: FastifyPluginAsyncTypebox<{ contacts: ContactStore }> = async (app, { contacts }) => {
  const response = { 200: ScreenContract }

  // With `?query=` the list contains only the matching contacts.
  app.get(LIST_URL, { schema: { querystring: Search, response } }, async ({ query }) =>
    contactList(await contacts.list(), query.query)
  )

  // The URL of the Card for a new contact has a key that identifies one contact. A repeated request creates no second
  // contact, and the URL shows the contact once it exists.
  app.get(NEW_URL, { schema: { querystring: OptionalKey, response } }, async ({ query }, reply) => {
    const { key = randomUUID() } = query
    const contact = await contacts.findByKey(key)
    reply.header('content-location', contact === null ? newUrl(key) : cardUrl(contact))
    return contact === null ? newCard(key) : contactCard(contact)
  })

  app.post(
    NEW_URL,
    { schema: { querystring: Key, body: SaveChangeset, response } },
    async ({ query, body, screenUser }, reply) => {
      const refuse = (text: string) => ({ ...newCard(query.key), status: refusal(text) })
      // Some clients send only the changed fields, so this also validates a missing name.
      const { changes, fault } = readChanges({ name: '', ...body.changes })
      if (fault !== null) return refuse(fault)
      const { contact, isConflict } = await contacts.create(query.key, changes, screenUser?.username ?? '')
      // It has been deleted already.
      if (contact === null) return refuse(texts.contact.gone)
      if (isConflict) return refuse(texts.contact.conflict)
      reply.header('content-location', cardUrl(contact))
      return { ...contactCard(contact), status: texts.contact.created }
    }
  )

  app.get(CARD_URL, { schema: { querystring: Id, response } }, async ({ query }, reply) => {
    const contact = await contacts.find(Number(query.id))
    return contact === null ? reply.callNotFound() : contactCard(contact)
  })

  app.post(
    SAVE_URL,
    { schema: { querystring: Version, body: SaveChangeset, response } },
    async ({ query, body, screenUser }, reply) => {
      const [id, version] = [Number(query.id), Number(query.version)]
      const { changes, fault } = readChanges(body.changes)
      if (fault !== null) return refusedCard(await contacts.find(id), fault)
      const { contact, isConflict } = await contacts.save(id, version, changes, screenUser?.username ?? '')
      if (contact === null) return refusedCard(contact, texts.contact.gone)
      if (isConflict) return refusedCard(contact, texts.contact.conflict)
      reply.header('content-location', cardUrl(contact))
      return { ...contactCard(contact), status: texts.contact.saved }
    }
  )

  app.post(DELETE_URL, { schema: { querystring: Version, response } }, async ({ query }, reply) => {
    const contact = await contacts.delete(Number(query.id), Number(query.version))
    if (contact !== null) return refusedCard(contact, texts.contact.conflict)
    reply.header('content-location', LIST_URL)
    return { ...contactList(await contacts.list()), status: texts.contact.deleted }
  })
}
