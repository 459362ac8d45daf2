// Sessions and failed logins in one Redis that several servers share. Pitfall: outages. This server starts while Redis
// is down, detects dead connections, and logs one line when Redis goes down and one when it is back. The server exits
// only after an error that a retry cannot fix, such as a wrong password. The settings are REDIS_URL and REDIS_PREFIX.
import { once } from 'node:events'
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
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

// `emitInvalidate`: Redis reports ended sessions, so most requests need no command. `maintNotifications`: a client
// that changes its connection would miss reports. `disableOfflineQueue`: while Redis is down, commands fail at once.
const reports = { RESP: 3, emitInvalidate: true, maintNotifications: 'disabled', disableOfflineQueue: true }
const socket = { connectTimeout: 2_000, socketTimeout: 4_000, reconnectStrategy: 1_000 }
let redis
try {
  redis = createClient({ url, socket, ...reports })
} catch {
  endTheStart('it is no such URL')
}

const app = Fastify({ logger: true })
let isUp = true
function report(result) {
  const wasUp = isUp
  isUp = result === 'PONG'
  if (wasUp && !isUp) app.log.error(`Redis is down (${result.code ?? result.constructor.name})`)
  if (!wasUp && isUp) app.log.info('Redis is back')
}
redis.on('error', report)

// `socketTimeout` does not detect a dead connection while commands are still sent.
const SILENCE = Object.assign(new Error(), { code: 'ETIMEDOUT' })
const watch = async () => {
  if (!redis.isReady) return
  // One more turn of the event loop: a reply may have arrived while this process was busy.
  const silence = sleep(2_000, null, { ref: false }).then(() => nextLoop(SILENCE))
  const result = await Promise.race([redis.ping(), silence]).catch(error => error)
  report(result)
  if (result !== SILENCE || !redis.isReady) return
  redis.destroy()
  redis.connect().catch(() => {})
}
setInterval(watch, 1_000).unref()

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
app.addHook('onClose', async () => redis.isOpen && redis.destroy())
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())

// Not `await redis.connect()`, which waits until Redis is up. This waits only for the first attempt.
redis.connect().catch(() => {})
const { message = '' } = await once(redis, 'ready').catch(error => error)
const [refusal] = /^(WRONGPASS|NOAUTH|NOPERM|ERR (?!max number of clients))/.exec(message) ?? []
if (refusal !== undefined) endTheStart(`Redis refuses the connection (${refusal.trim()})`)
await app.listen({ port: 3000 })
