import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { refusal, SaveChangeset, Search } from '../screens/layouts.ts'
import { texts } from '../texts.ts'
import { readChanges } from './changes.ts'
import { canonical, type RecordList } from './list.ts'
import { listScreen, newCard, pathsOf, recordCard, refusedCard } from './screens.ts'
import type { RecordStore, StoredRecord } from './store.ts'

const wholeNumber = Type.String({ pattern: '^[1-9][0-9]{0,14}$' })
const Id = Type.Object({ id: wholeNumber })
const Version = Type.Object({ id: wholeNumber, version: wholeNumber })
const key = Type.String({ format: 'uuid' })
const Key = Type.Object({ key })
const OptionalKey = Type.Object({ key: Type.Optional(key) })

/**
 * The screens to list, create, edit and delete the records of a list. A rejected change is also a screen with status
 * 200, because clients show no message from a response with another status.
 */
export const recordScreens: FastifyPluginAsyncTypebox<{ store: RecordStore }> = async (app, { store }) => {
  const { list } = store
  const paths = pathsOf(list)
  const response = { 200: ScreenContract }
  const cardUrl = ({ id }: StoredRecord) => `${paths.card}?id=${id}`

  // With `?query=` the list contains only the matching records.
  app.get(paths.list, { schema: { querystring: Search, response } }, async ({ query }) =>
    listScreen(list, await store.all(), query.query)
  )

  // The URL of the Card for a new record has a key that identifies one record. A repeated request creates no second
  // record, and the URL shows the record once it exists.
  app.get(paths.new, { schema: { querystring: OptionalKey, response } }, async ({ query }, reply) => {
    const { key = randomUUID() } = query
    const record = await store.findByKey(key)
    reply.header('content-location', record === null ? `${paths.new}?key=${key}` : cardUrl(record))
    return record === null ? newCard(list, key) : recordCard(list, record)
  })

  app.post(
    paths.new,
    { schema: { querystring: Key, body: SaveChangeset, response } },
    async ({ query, body, screenUser }, reply) => {
      const refuse = (text: string) => ({ ...newCard(list, query.key), status: refusal(text) })
      // Some clients send only the changed fields, so this also validates a missing name.
      const { changes, fault } = readChanges(list, { ...canonical(list, {}), ...body.changes })
      if (fault !== null) return refuse(fault)
      const { record, isConflict } = await store.create(query.key, changes, screenUser?.username ?? '')
      if (record === null || isConflict) return refuse(reasonOf(list, record))
      reply.header('content-location', cardUrl(record))
      return { ...recordCard(list, record), status: texts.record.created }
    }
  )

  app.get(paths.card, { schema: { querystring: Id, response } }, async ({ query }, reply) => {
    const record = await store.find(Number(query.id))
    return record === null ? reply.callNotFound() : recordCard(list, record)
  })

  app.post(
    paths.save,
    { schema: { querystring: Version, body: SaveChangeset, response } },
    async ({ query, body, screenUser }, reply) => {
      const [id, version] = [Number(query.id), Number(query.version)]
      const { changes, fault } = readChanges(list, body.changes)
      if (fault !== null) return refusedCard(list, await store.find(id), fault)
      const { record, isConflict } = await store.save(id, version, changes, screenUser?.username ?? '')
      if (record === null || isConflict) return refusedCard(list, record, reasonOf(list, record))
      reply.header('content-location', cardUrl(record))
      return { ...recordCard(list, record), status: texts.record.saved }
    }
  )

  app.post(paths.delete, { schema: { querystring: Version, response } }, async ({ query }, reply) => {
    const record = await store.delete(Number(query.id), Number(query.version))
    if (record !== null) return refusedCard(list, record, reasonOf(list, record))
    reply.header('content-location', paths.list)
    return { ...listScreen(list, await store.all()), status: texts.record.deleted }
  })
}

/** Why a change to an outdated record is rejected. Says how long ago the other change was: the time zone is unknown. */
function reasonOf({ texts: { gone } }: RecordList, record: StoredRecord | null): string {
  if (record === null) return gone
  return texts.record.conflict(record.updatedBy, (Date.now() - Date.parse(record.updatedAt)) / 1000)
}
