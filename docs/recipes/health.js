// An open health check for a load balancer: it responds 503 while the server is under pressure, and then other
// servers get the requests. Do not use it to restart servers (a liveness probe): that makes the pressure worse.
import underPressure from '@fastify/under-pressure'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const app = Fastify({ logger: true })

// Before the login: a server under pressure responds 503 and checks no token. A client keeps its token then.
await app.register(underPressure, {
  maxEventLoopDelay: 1000,
  maxRssBytes: Number(process.env.MAX_RSS_BYTES ?? 1_000_000_000),
  exposeStatusRoute: {
    url: '/healthz',
    // Public, and without two lines in the log for each check.
    routeOpts: { config: { screenAuth: false }, logLevel: 'warn' }
  }
})

const users = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
