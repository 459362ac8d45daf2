// Code that the compiler must accept or reject without a type provider.
import { subscribe } from 'node:diagnostics_channel'
import Fastify, { type FastifyPluginAsync } from 'fastify'
import screenAuth, { type LoginFields, opaqueTokens, redisStore, type SessionEvent } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster, createSentinel } from 'redis'
import { Type } from 'typebox'

const app = Fastify()
const schema = { response: { 200: ScreenContract } }
const other = { type: 'object', properties: { error: { type: 'string' } } }

interface Profile {
  layout: 'Card'
  rows: number[]
}
declare const profile: Profile

app.get('/send', { schema }, async (_request, reply) => reply.code(200).send(profile))
app.get('/not-found', { schema }, async (_request, reply) => reply.callNotFound())
app.get('/throw', { schema }, async () => {
  throw new Error('no screen')
})

// @ts-expect-error: no layout
app.get('/wrong', { schema: { response: { '2xx': ScreenContract } } }, async () => ({ layot: 'Card' }))

export const plugin: FastifyPluginAsync = async scope => {
  // @ts-expect-error: no layout
  scope.get('/wrong', { schema }, async () => ({ layot: 'Card' }))
}

const media = { 'application/json': { schema: ScreenContract } }
// @ts-expect-error: no layout
app.get('/wrong', { schema: { response: { 200: { content: media } } } }, async () => ({ layot: 'Card' }))

const both = { response: { 200: ScreenContract, 404: other } }
// @ts-expect-error: no layout
app.get('/wrong', { schema: both }, async (_request, reply) => reply.code(200).send({ layot: 'Card' }))

// The package does not change routes without its schemas.
app.get('/own', { schema: { response: { 200: other } } }, async () => 'anything')
app.get('/own', { schema: { response: { 200: Type.Unsafe<Profile>({}) } } }, async () => 'anything')
app.get('/own', async () => 'anything')

const mainMenu = () => ({ layout: 'Menu', title: 'Main Menu' })
const user = { username: 'ada', displayName: 'Ada Lovelace' }
app.register(screenAuth, {
  mainMenu,
  checkCredentials: ({ username, code }: LoginFields & { code?: string }) => (username === code ? user : null)
})
// @ts-expect-error: no such field
app.register(screenAuth, { mainMenu, checkCredentials: ({ email, password }) => (email === password ? user : null) })
// @ts-expect-error: no check
app.register(screenAuth, { mainMenu })
app.register(screenAuth, { mainMenu, enabled: false, checkCredentials: undefined })

const root = { host: '127.0.0.1', port: 6379 }
for (const client of [
  createClient(),
  createClient({ RESP: 3 }),
  createSentinel({ name: 'x', sentinelRootNodes: [root] }),
  createCluster({ rootNodes: [] }),
  new Redis(),
  new Cluster([root])
]) {
  const store = redisStore(client, { prefix: 'shop:' })
  app.register(screenAuth, {
    mainMenu,
    checkCredentials: () => null,
    tokens: opaqueTokens({ store }),
    throttle: { store }
  })
}
// @ts-expect-error: a URL is no client
redisStore('redis://127.0.0.1:6379', { prefix: 'shop:' })
// @ts-expect-error: without a prefix, services in one database accept each other's sessions
redisStore(createClient())

subscribe('fastify-screen-auth.session', message => {
  const event = message as SessionEvent
  if (event.outcome === 'started') event.request?.log.info({ id: event.id, expires: event.expires })
  // @ts-expect-error: the end of all sessions has no id
  if (event.outcome === 'all-ended') event.id
})
