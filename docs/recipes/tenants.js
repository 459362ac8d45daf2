// Two tenants on one server, for example staff and customers, selected by the host name. Each has its own users, secret
// and login, so the token of one tenant gets a 401 at the other. Pitfall: an unknown path belongs to no scope, so its
// 404 would reveal which paths exist. So each tenant has a last route for all other paths, behind its guard. To select
// by path, use `app.register(tenant, { prefix: '/north' })` without the hook, and
// `scope.setNotFoundHandler((_request, reply) => reply.code(404).send())` instead of the last route.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

const { NORTH_SECRET, SOUTH_SECRET } = process.env
// With a shared secret, each tenant would accept the tokens of the other.
if (!NORTH_SECRET || !SOUTH_SECRET || NORTH_SECRET === SOUTH_SECRET) {
  throw new Error('Set NORTH_SECRET and SOUTH_SECRET to two different secrets of at least 32 bytes')
}
const north = new Map([['ada', { password: 'correct horse', displayName: 'Ada of the North' }]])
const south = new Map([['ada', { password: 'battery staple', displayName: 'Ada of the South' }]])
const tenants = [
  { host: 'north.example.com', appName: 'North Company', secret: NORTH_SECRET, users: north },
  { host: 'south.example.com', appName: 'South Company', secret: SOUTH_SECRET, users: south }
]

const findUser = async (users, username) => users.get(username) // Replace this with your query.
// The user store is down: the response is a 503, and the login does not count as a failure.
function unavailable(cause) {
  throw Object.assign(new Error('the user store is down', { cause }), { statusCode: 503 })
}

const app = Fastify({ logger: true })
const schema = { response: { 200: ScreenContract } }

// Requests to an unknown host: 421 is "misdirected request". No guard protects routes outside of the tenants, so add
// only public routes there.
app.setNotFoundHandler((_request, reply) => reply.code(421).send())

for (const { host, appName, secret, users } of tenants) {
  // Clients write the host in any case, and add a port that is not the default. A proxy must pass the host on.
  const constraint = new RegExp(`^${host.replaceAll('.', '\\.')}(:[0-9]+)?$`, 'i')
  const tenant = async scope => {
    // Added before all routes of the tenant, also those of the login.
    scope.addHook('onRoute', route => {
      route.constraints = { ...route.constraints, host: constraint }
    })
    await scope.register(screenAuth, {
      appName,
      secret,
      // Keeps equal names apart, even in a shared store. Not `request.hostname`: a client chooses its spelling.
      throttle: { nameOf: name => `${host}/${name}` },
      checkCredentials: async ({ username, password }) => {
        const user = await findUser(users, username).catch(unavailable)
        return user?.password === password ? { username, displayName: user.displayName } : null
      },
      mainMenu: () => ({ layout: 'Menu', title: appName, menu: { panel_title: 'Main', tabs: [] } })
    })
    scope.get('/screen/profile', { schema }, async () => ({ layout: 'Card', title: `Profile at ${appName}` }))
    scope.all('/*', (_request, reply) => reply.code(404).send())
  }
  await app.register(tenant)
}

await app.listen({ port: 3000 })
