// Sessions and failed logins in one Redis that several servers share. Pitfall: the start. This server starts while Redis
// is down, and uses Redis once it is up. The server exits only after an error that a retry cannot fix, such as a wrong
// password. The settings are REDIS_URL and REDIS_PREFIX.
// ../several-servers.md has further settings of the client, under "A client for production".
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens, redisStore } from 'fastify-screen-auth'
import { createClient } from 'redis'

// Services that share a Redis database need different prefixes, or they accept each other's tokens.
const { REDIS_URL: url = 'redis://127.0.0.1:6379', REDIS_PREFIX: prefix = '' } = process.env

function endTheStart(reason) {
  // Prints neither the URL nor the error message: both may contain the password.
  console.error(`REDIS_URL: ${reason}; it needs redis://user:password@host:6379/0 of Redis 6.2 or later, or Valkey`)
  process.exit(1)
}

let redis
try {
  redis = createClient({ url })
} catch {
  endTheStart('it is no such URL')
}

const app = Fastify({ logger: true })
// The client emits an error at each attempt to reconnect. Without a listener, an error would end the process.
redis.on('error', error => app.log.error(`Redis is down (${error.code ?? error.constructor.name})`))
redis.on('ready', () => app.log.info('Redis is up'))

const store = redisStore(redis, { prefix })
const tokens = opaqueTokens({ store, lifetime: 12 * 3600 })

await app.register(screenAuth, {
  tokens,
  throttle: { store },
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})
app.post('/auth/logout', async (request, reply) => {
  await tokens.revoke(bearerToken(request))
  return reply.code(204).send()
})
// Runs after the last response.
app.addHook('onClose', async () => redis.destroy())
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())

// Not `await redis.connect()`, which waits until Redis is up. This waits for the first attempt, and at most 2 seconds.
redis.connect().catch(() => {})
// Without a password in the URL, Redis accepts the connection, and rejects the first command.
const attempt = once(redis, 'ready').then(() => store.get('screen_auth_start'))
const { message = '' } = (await Promise.race([attempt, sleep(2_000)]).catch(error => error)) ?? {}
const [refusal] = /^(WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients))/.exec(message) ?? []
if (refusal !== undefined) endTheStart(`Redis refuses the connection (${refusal.trim()})`)
await app.listen({ port: 3000 })
