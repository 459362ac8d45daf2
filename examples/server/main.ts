/** `npm start`: reads the environment, opens the stores, listens, and closes cleanly on SIGINT and SIGTERM. */
import closeWithGrace from 'close-with-grace'
import { type FastifyInstance, LogController } from 'fastify'
import { opaqueTokens, optionsFromEnv, redisStore } from 'fastify-screen-auth'
import { buildApp } from './app.ts'
import { readConfig, type ServerConfig } from './config.ts'
import { run, SetupError } from './errors.ts'
import { connect, PREFIX, redisClient } from './redis.ts'
import { addDemoData, openStores } from './stores.ts'
import { DEMO } from './user-store.ts'

const LEVELS: Record<number, string> = { 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' }

/** Prints each event of the log as one readable line. */
const readable = {
  write(line: string) {
    const { level, time, msg, pid, hostname, reqId, ...facts } = JSON.parse(line)
    const details = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : ''
    process.stdout.write(`[${new Date(time).toISOString()}] ${LEVELS[level] ?? level}: ${msg}${details}\n`)
  }
}

/** Milliseconds in which open requests may finish after SIGINT or SIGTERM. */
const GRACE = 3_000

// The reader of the log may end first, for example `npm start | head`. Without a listener, that would end the server.
process.stdout.on('error', () => {})

await run(async () => {
  const config = readConfig(process.env)
  const auth = optionsFromEnv()
  const stores = await openStores(config.databaseUrl)
  const { users } = stores
  if (config.demoUser) await addDemoData(stores)

  const { redisUrl, tokenLifetime } = config
  const redis = auth.enabled && redisUrl !== null ? redisClient(redisUrl) : null
  const store = redis && redisStore(redis, { prefix: PREFIX })
  const sessions = store
    ? { tokens: opaqueTokens({ store, lifetime: tokenLifetime }), throttle: { store } }
    : { tokenLifetime }
  const app = await buildApp(
    stores,
    { ...auth, ...sessions },
    {
      trustProxy: config.trustProxy,
      logger: { stream: readable },
      logController: new LogController({ disableRequestLogging: true })
    },
    config.brand
  )
  app.addHook('onClose', async () => {
    stores.close()
    redis?.destroy()
  })
  if (redis) await connect(redis, app.log)
  const hasDemoUser = auth.enabled && (await users.verify(DEMO.username, DEMO.password)) !== null
  const hasUsers = (await users.list()).length > 0

  // Before the server listens, because a supervisor may send a signal from then on.
  closeWithGrace({ delay: 2 * GRACE, logger: app.log }, async ({ err, signal }) => {
    if (err) app.log.error(err)
    else app.log.info(`${signal} received, closing`)
    // Browsers open connections without sending a request. These would keep the server open.
    setTimeout(() => app.server.closeAllConnections(), GRACE).unref()
    await app.close()
  })
  await listen(app, config)
  if (hasDemoUser && config.demoUser) {
    app.log.info(`Log in as ${DEMO.username} with the password ${DEMO.password} at ${app.listeningOrigin}/`)
  } else if (hasDemoUser) {
    app.log.warn(`the password of ${DEMO.username} is public; change it: npm run users -- passwd ${DEMO.username}`)
  } else if (auth.enabled && !hasUsers) {
    app.log.warn('there is no user; add one: npm run users -- add NAME')
  }
})

/** @throws SetupError when the server cannot listen on the address */
async function listen(app: FastifyInstance, { host, port }: ServerConfig): Promise<void> {
  const faults: Record<string, string> = {
    EADDRINUSE: `PORT ${port} is in use on ${host}; set PORT to a free one`,
    EACCES: `PORT ${port} needs privileges; set PORT to 1024 or more`
  }
  // Loads the plugins first, so that the error of a plugin is not reported as an error of the address.
  await app.ready()
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new SetupError(faults[code] ?? `HOST ${host}: cannot listen on it (${code}); set it to 127.0.0.1 or 0.0.0.0`)
  }
}
