// The rest of the user, with a cache. A token carries the username and the display name, and nothing else survives. What
// else your database knows (an id, a role) is looked up by the username, once a request; all hooks and handlers read that.
// A user who was removed is out. Users in a real table, with roles: user-table.js.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { LRUCache } from 'lru-cache'

const users = new Map([
  ['ada', { id: 7, password: 'correct horse', displayName: 'Ada Lovelace' }],
  ['bob', { id: 8, password: 'battery staple', displayName: 'Bob' }]
])

/** Stands for a query. Give no username to a second person: the token of the first one would open what is hers. */
async function findRecord(username) {
  const user = users.get(username)
  return user && { id: user.id }
}

// A change holds after this time at the latest. `fetch` makes one query of those that come at the same time, and keeps
// neither an error nor a user who was not found.
const ttl = Number(process.env.CACHE_SECONDS ?? 10) * 1000
const records = new LRUCache({ max: 10_000, ttl, fetchMethod: findRecord })

const app = Fastify({ logger: true })

// In TypeScript: declare module 'fastify' { interface FastifyRequest { record?: { id: number } } }
app.decorateRequest('record')

// A preHandler, so that the guard, which is an onRequest hook, has run before. GET /menu/main has this hook, too.
app.addHook('preHandler', async (request, reply) => {
  // A public route has no user.
  if (request.screenUser === null) return
  // When the database fails, this throws: a 500, which ends no session.
  request.record = await records.fetch(request.screenUser.username)
  if (request.record !== undefined) return
  // Removed since the login. 401 ends the session, as the guard does it: the client drops its token and shows the login.
  // With 403 it would keep a token that opens nothing.
  const challenge = 'Bearer realm="screen", error="invalid_token"'
  return reply.code(401).headers({ 'www-authenticate': challenge, 'cache-control': 'no-store' }).send()
})

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  // A login has no `request.record`: its user is known only since the password was right. What the menu needs of the
  // record is `await records.fetch(username)`.
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

app.get('/screen/orders', { schema: { response: { 200: ScreenContract } } }, async request => ({
  layout: 'Card',
  title: `Orders of customer ${request.record.id}`
}))

await app.listen({ port: 3000 })
