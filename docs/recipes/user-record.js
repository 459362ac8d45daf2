// Other data of the user, with a cache. A token contains only the username and the display name. A hook reads other
// data (an id, a role) by the username once per request, for all later hooks and handlers. A removed user gets a 401.
// For users in a real table, with roles, see user-table.js.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { LRUCache } from 'lru-cache'

const users = new Map([
  ['ada', { id: 7, password: 'correct horse', displayName: 'Ada Lovelace' }],
  ['bob', { id: 8, password: 'battery staple', displayName: 'Bob' }]
])

/** Replace this with your query. Never reuse a username: old tokens would open the data of its new owner. */
async function findRecord(username) {
  const user = users.get(username)
  return user && { id: user.id }
}

// A change takes effect within this time. `fetch` merges concurrent queries for a user, and caches neither an error
// nor a missing user.
const ttl = Number(process.env.CACHE_SECONDS ?? 10) * 1000
const records = new LRUCache({ max: 10_000, ttl, fetchMethod: findRecord })

const app = Fastify({ logger: true })

// In TypeScript: declare module 'fastify' { interface FastifyRequest { record?: { id: number } } }
app.decorateRequest('record')

// A preHandler runs after the guard, which is an onRequest hook. GET /menu/main runs this hook, too.
app.addHook('preHandler', async (request, reply) => {
  // A public route has no user.
  if (request.screenUser === null) return
  // Throws if the database fails: the response is a 500, which ends no session.
  request.record = await records.fetch(request.screenUser.username)
  if (request.record !== undefined) return
  // The user was removed after the login. After a 401, as after one of the guard, the client drops its token and shows
  // the login. After a 403 it would keep a useless token.
  const challenge = 'Bearer realm="screen", error="invalid_token"'
  return reply.code(401).headers({ 'www-authenticate': challenge, 'cache-control': 'no-store' }).send()
})

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  // A login has no `request.record`: its user is known only after `checkCredentials`. If the menu needs the record,
  // call `await records.fetch(username)`.
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

app.get('/screen/orders', { schema: { response: { 200: ScreenContract } } }, async request => ({
  layout: 'Card',
  title: `Orders of customer ${request.record.id}`
}))

await app.listen({ port: 3000 })
