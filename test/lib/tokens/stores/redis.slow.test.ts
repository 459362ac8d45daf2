// Sessions of redisStore in a real Redis that reports its changes. test/examples/redis tests the reference server.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { type OpaqueTokensOptions, redisStore } from '../../../../lib/index.ts'
import { FaultyProxy } from '../../../faulty-proxy.ts'
import { ADA, outsideTap } from '../../../helpers.ts'
import { needs } from '../../../needs.ts'
import { RedisServer } from '../../../redis-server.ts'
import { EVE, processWith } from '../opaque/session-store.ts'

const CLIENTS = {
  emitInvalidate: { emitInvalidate: true },
  'a clientSideCache': { clientSideCache: {} }
} as const

type Kind = keyof typeof CLIENTS

/** The option `cache` in seconds: so long that no heartbeat changes the number of commands. */
const LONG = 600

if (needs(t, 'redis-server')) {
  t.test('processes with node-redis and with ioredis share sessions', async t => {
    const redis = await RedisServer.start(t)
    const client = new Redis(redis.url)
    t.teardown(() => client.disconnect())
    await once(client, 'ready')
    const one = processWith(redisStore(client))
    const two = await processOn(t, redis.url, 'emitInvalidate')
    const tokens = [await one.issue(), await two.issue()]
    for (const token of tokens) for (const { userOf } of [one, two]) t.strictSame(await userOf(token), ADA)
    t.notOk(one.isCached(`${tokens[0]}`), 'ioredis reports no changes')
    await two.tokens.revoke(`${tokens[0]}`)
    t.equal(await one.userOf(`${tokens[0]}`), null)
    await one.tokens.revokeAll('ada')
    await untilRefused(two, `${tokens[1]}`)
  })

  for (const kind of Object.keys(CLIENTS) as Kind[]) {
    t.test(`with ${kind} and a prefix, a cached session needs no command until it is revoked`, async t => {
      const redis = await RedisServer.start(t)
      const [one, two] = [
        await processOn(t, redis.url, kind, {}, 'shop:'),
        await processOn(t, redis.url, kind, {}, 'shop:')
      ]
      const [token, other, kept] = [await one.issue(), await two.issue(), await one.issue(EVE)]
      for (const session of [token, other, kept]) await untilCached(two, session)
      const admin = await administrator(t, redis)
      const before = await commands(admin)
      for (let i = 0; i < 1_000; i++) t.strictSame(two.tokens.verify(token), ADA)
      t.equal((await commands(admin)) - before, 0)

      await one.tokens.revoke(token)
      await untilRefused(two, token)
      t.strictSame(two.tokens.verify(other), ADA, 'and no other session is asked for')
      await one.tokens.revokeAll('ada')
      await untilRefused(two, other)
      t.strictSame(two.tokens.verify(kept), EVE)
    })

    t.test(`with ${kind}, FLUSHALL ends all sessions`, async t => {
      const redis = await RedisServer.start(t)
      const { issue, ...process } = await processOn(t, redis.url, kind)
      const token = await issue()
      await untilCached(process, token)
      await (await administrator(t, redis)).flushAll()
      await t.resolves(untilRefused(process, token))
    })

    t.test(`with ${kind}, a revocation during a lost connection takes effect`, async t => {
      const redis = await RedisServer.start(t)
      const one = await processOn(t, redis.url, kind)
      const two = await processOn(t, redis.url, kind)
      const [ended, kept] = [await one.issue(), await one.issue()]
      for (const token of [ended, kept]) await untilCached(two, token)
      const admin = await administrator(t, redis)
      const lost = new Promise(resolve => two.client.once('reconnecting', resolve))
      await admin.sendCommand(['CLIENT', 'KILL', 'ID', String(await two.client.clientId())])
      await lost
      await one.tokens.revoke(ended)
      t.equal(await userWhenBack(two, ended), null)
      t.strictSame(await userWhenBack(two, kept), ADA)
      await t.resolves(untilCached(two, kept))
    })

    t.test(`with ${kind}, Redis tracks no keys for forged tokens or sessions that were read`, async t => {
      const redis = await RedisServer.start(t)
      const { issue, ...process } = await processOn(t, redis.url, kind)
      await untilCached(process, await issue())
      const admin = await administrator(t, redis)
      for (let i = 0; i < 1_000; i++) t.equal(await process.tokens.verify(String(i).padStart(67, 'A')), null)
      const stats = await admin.info('stats')
      t.match(stats, /tracking_total_keys:0\b/)
      t.match(stats, /tracking_total_items:0\b/)
      t.equal(await admin.dbSize(), 1)
    })

    t.test(`with ${kind}, a session that has expired in Redis is refused`, async t => {
      const redis = await RedisServer.start(t)
      const { issue, ...process } = await processOn(t, redis.url, kind)
      const token = await issue()
      await untilCached(process, token)
      const admin = await administrator(t, redis)
      for (const key of await admin.keys('*session:*')) await admin.pExpire(key, 500)
      await t.resolves(untilRefused(process, token))
    })

    t.test(`with ${kind}, late replies do not restore a revoked session`, async t => {
      const redis = await RedisServer.start(t)
      const proxy = await FaultyProxy.start(t, redis.port)
      const one = await processOn(t, redis.url, kind)
      const two = await processOn(t, proxy.url, kind, { cache: 1 })
      const [ended, kept] = [await one.issue(), await one.issue(EVE)]
      for (const token of [ended, kept]) await untilCached(two, token)
      proxy.cut('frozen')
      // Sent before the other revocation, with a reply after it.
      const early = two.tokens.revoke(await one.issue())
      await one.tokens.revoke(ended)
      while (two.isCached(ended)) await sleep(50)
      const late = [two.userOf(ended), two.userOf(kept)]
      proxy.restore()
      t.strictSame(await Promise.all(late), [null, EVE])
      await early
      await untilCached(two, kept)
      t.equal(await two.userOf(ended), null)
    })

    for (const close of ['client.close()', 'client.destroy()']) {
      t.test(`with ${kind}, a process exits after ${close}`, async t => {
        const redis = await RedisServer.start(t)
        const program = `
          import { createClient } from 'redis'
          import { opaqueTokens, redisStore } from './lib/index.ts'
          const options = { RESP: 3, maintNotifications: 'disabled', ...${JSON.stringify(CLIENTS[kind])} }
          const client = createClient({ url: '${redis.url}', ...options })
          const tokens = opaqueTokens({ store: redisStore(client), cache: 1 })
          await client.connect()
          const token = await tokens.issue({ username: 'ada', displayName: 'Ada' })
          while (tokens.verify(token) instanceof Promise) await tokens.verify(token)
          // Longer than between two heartbeats.
          setTimeout(async () => console.log(client.isOpen), 800)
          await ${close}`
        const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
        const { stdout } = await promisify(execFile)(...outsideTap(process.execPath, args))
        t.equal(stdout, 'false\n', 'and no connection is opened again')
      })
    }
  }
}

/** A process with its own connection. */
async function processOn(t: Test, url: string, kind: Kind, options: Partial<OpaqueTokensOptions> = {}, prefix = '') {
  const client = createClient({
    url,
    RESP: 3,
    maintNotifications: 'disabled',
    ...CLIENTS[kind],
    disableOfflineQueue: true,
    socket: { reconnectStrategy: () => 20 }
  })
  client.on('error', () => {})
  t.teardown(() => client.isOpen && client.destroy())
  const process = processWith(redisStore(client, { prefix }), { cache: LONG, ...options })
  await client.connect()
  return { client, ...process }
}

async function administrator(t: Test, { url }: RedisServer) {
  const client = createClient({ url })
  t.teardown(() => client.isOpen && client.destroy())
  return client.connect()
}

/** Returns the number of commands that Redis has executed, without INFO. */
async function commands(admin: Awaited<ReturnType<typeof administrator>>): Promise<number> {
  const stats = await admin.info('commandstats')
  const calls = [...stats.matchAll(/^cmdstat_(?!info)\S+:calls=(\d+)/gm)]
  return calls.reduce((sum, [, count]) => sum + Number(count), 0)
}

type Process = Pick<Awaited<ReturnType<typeof processOn>>, 'tokens'>

/** Verifies a token until it is cached: then `verify` returns no promise. */
async function untilCached({ tokens }: Process, token: string): Promise<void> {
  for (let found = tokens.verify(token); found instanceof Promise; found = tokens.verify(token)) {
    if ((await found) === null) throw new Error('there is no such session')
  }
}

/** Verifies a token until it is refused. */
async function untilRefused({ tokens }: Process, token: string): Promise<void> {
  while ((await tokens.verify(token)) !== null) await sleep(1)
}

/** Returns the user of a token as soon as Redis responds. */
async function userWhenBack({ tokens }: Process, token: string) {
  for (;;) {
    try {
      return await tokens.verify(token)
    } catch {
      await sleep(20)
    }
  }
}
