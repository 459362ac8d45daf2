// Other plugins in the order that they need. Hooks run in the order of registration, and the guard ends a request
// without a token. So what a 401 needs, too, is registered before the login.
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const app = Fastify({ logger: true })

// Before the login, so that a 401 has the headers, too.
await app.register(helmet)

// Before the login: a browser sends no token with a preflight, and hides a 401 without these headers from the client.
await app.register(cors, { origin: ['https://app.example.com'], exposedHeaders: ['Retry-After'] })

// Before the login, so that its three routes are in the document, too. It sees only routes that are added after it.
await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Screens', version: '1.0.0' } } })

const users = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

// In a scope whose routes are public, because a browser that opens a page sends no token. Then everybody can read the
// document: if that is not what you want, leave this scope out.
await app.register(async scope => {
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: false }
  })
  await scope.register(swaggerUi)
})

app.get('/screen/profile', async request => ({ layout: 'Card', title: request.screenUser.username }))

await app.listen({ port: 3000 })
