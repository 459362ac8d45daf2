// AWS Lambda, behind an HTTP API or a function URL. Each instance of the function is a server of its own: without a
// common secret it rejects the tokens of the others, and without a common store it counts failed logins alone. Give the
// function more seconds than `checks.timeout`: Lambda allows 3 by default, and a function that is cut off sends no
// AuthResponse. Leave `trustProxy` out: the adapter passes the address of the client. Behind an ALB, whose events have
// no address, set `trustProxy: '127.0.0.1'`.
import awsLambda from '@fastify/aws-lambda'
import Fastify from 'fastify'
import screenAuth, { optionsFromEnv, redisStore } from 'fastify-screen-auth'
import { createClient } from 'redis'

const { SVC_AUTH_SECRET, REDIS_URL } = process.env
if (!SVC_AUTH_SECRET || !REDIS_URL) throw new Error('Set SVC_AUTH_SECRET and REDIS_URL')

const app = Fastify({ logger: true })
const redis = createClient({ url: REDIS_URL })
redis.on('error', error => app.log.error(`Redis is down (${error.code ?? error.constructor.name})`))
// The first login waits for the connection, for at most 2 seconds. Without Redis, it counts in its instance alone.
redis.connect().catch(() => {})

await app.register(screenAuth, {
  ...optionsFromEnv(),
  throttle: { store: redisStore(redis, { prefix: 'screens:' }) },
  checks: { timeout: 5 },
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

// The open connection to Redis must not keep a request waiting. With serverless-http, write `serverless(app.server)`:
// `serverless(app)` gives all clients the address 127.0.0.1, so that a stranger can block everyone.
export const handler = awsLambda(app, { callbackWaitsForEmptyEventLoop: false })
await app.ready()
