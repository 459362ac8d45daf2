// Two tenants on one server, told apart by the host: each has its own users, its own secret and its own login, so the token
// of one is a 401 at the other. The trap: an unknown path belongs to no scope, so its 404 would tell a stranger which paths
// exist. Hence a last route for each tenant, behind its guard. By path instead: `app.register(tenant, { prefix: '/north' })`
// without the hook; `scope.setNotFoundHandler((_request, reply) => reply.code(404).send())` takes the place of that route.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

const tenants = [
  {
    host: 'north.example.com',
    appName: 'North Company',
    secret: process.env.NORTH_SECRET,
    users: new Map([['ada', { password: 'correct horse', displayName: 'Ada of the North' }]])
  },
  {
    host: 'south.example.com',
    appName: 'South Company',
    secret: process.env.SOUTH_SECRET,
    users: new Map([['ada', { password: 'battery staple', displayName: 'Ada of the South' }]])
  }
]

const secrets = tenants.map(({ secret }) => secret)
// With a secret that two tenants share, the token of one would be good for the other.
if (secrets.some(secret => !secret) || new Set(secrets).size < secrets.length) {
  throw new Error('Set NORTH_SECRET and SOUTH_SECRET to two different secrets of at least 32 bytes')
}

const app = Fastify({ logger: true })
const schema = { response: { 200: ScreenContract } }

// What belongs to no tenant: 421 is "misdirected request". Outside of the tenants there is no guard, so put nothing there
// but what is public.
app.setNotFoundHandler((_request, reply) => reply.code(421).send())

for (const { host, appName, secret, users } of tenants) {
  // A client writes the host in any case, and with the port when it is not the usual one. A proxy must pass it on.
  const constraint = new RegExp(`^${host.replaceAll('.', '\\.')}(:[0-9]+)?$`, 'i')

  const tenant = async scope => {
    // Before all routes of the tenant, those of the login, too.
    scope.addHook('onRoute', route => {
      route.constraints = { ...route.constraints, host: constraint }
    })
    await scope.register(screenAuth, {
      appName,
      secret,
      // Each tenant counts failures in a memory of its own. In a store that they share, a name needs its tenant.
      throttle: { nameOf: name => `${host} ${name.trim().toLowerCase()}` },
      checkCredentials: ({ username, password }) => {
        const user = users.get(username)
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
