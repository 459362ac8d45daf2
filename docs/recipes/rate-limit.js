// A limit for all requests of an address, with those that get a 401. The hooks that @fastify/rate-limit adds by itself
// belong to routes: they run after the guard, and would not count a 401.
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

// Behind a proxy, set `trustProxy` to its address: without it all clients have one address, and share one limit.
const app = Fastify({ logger: true })

// After helmet and cors, if you have them: then a 429 has their headers, too.
// No hooks of routes: the hook of the server sees every request, those to unknown URLs too.
await app.register(rateLimit, { global: false, max: 100, timeWindow: '1 minute' })
app.addHook('onRequest', app.rateLimit())

const users = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
