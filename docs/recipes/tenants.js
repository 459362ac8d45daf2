// Two tenants on one server: each has its own users, its own secret and its own login below its own prefix, so the token
// of one is a 401 at the other. What is outside of both scopes has no guard: put nothing there but what is public.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const tenants = [
  {
    prefix: '/north',
    appName: 'North Company',
    secret: process.env.NORTH_SECRET,
    users: new Map([['ada', { password: 'correct horse', displayName: 'Ada of the North' }]])
  },
  {
    prefix: '/south',
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

for (const { prefix, appName, secret, users } of tenants) {
  const tenant = async scope => {
    // Without it the root responds to unknown paths, with 404 instead of 401: a stranger learns which paths exist.
    scope.setNotFoundHandler((_request, reply) => reply.code(404).send())
    await scope.register(screenAuth, {
      appName,
      secret,
      checkCredentials: ({ username, password }) => {
        const user = users.get(username)
        return user?.password === password ? { username, displayName: user.displayName } : null
      },
      mainMenu: () => ({ layout: 'Menu', title: appName, menu: { panel_title: 'Main', tabs: [] } })
    })
    scope.get('/screen/profile', async request => ({
      layout: 'Card',
      title: request.screenUser.displayName
    }))
  }
  await app.register(tenant, { prefix })
}

await app.listen({ port: 3000 })
