// Sessions in a real Redis that reports its changes, through redisStore. The reference server with it: test/examples/redis.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createKeyv } from '@keyv/redis'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { type OpaqueTokensOptions, redisStore } from '../../../../lib/index.ts'
import { ADA, outsideTap } from '../../../helpers.ts'
import { needs } from '../../../needs.ts'
import { RedisServer } from '../../../redis-server.ts'
import { Wire } from '../../../wire.ts'
import { EVE, processWith } from '../opaque/session-store.ts'

const CLIENTS = {
  emitInvalidate: { emitInvalidate: true },
  'a clientSideCache': { clientSideCache: {} }
} as const

type Kind = keyof typeof CLIENTS

/** So many seconds a silent connection is believed: the heartbeat does not disturb what is counted. */
const LONG = 600

if (needs(t, 'redis-server')) {
  t.test('a Keyv shares its sessions with redisStore, and deletes nothing that it reads', async t => {
    const redis = await RedisServer.start(t)
    const times = { lifetime: 2, maxLifetime: 60 }
    const keyv = createKeyv(redis.url)
    t.teardown(() => keyv.disconnect())
    const old = processWith(keyv, times)
    const next = await processOn(t, redis.url, 'emitInvalidate', times)
    const tokens = [await old.issue(), await next.issue()]
    for (const token of tokens) for (const { userOf } of [old, next]) t.strictSame(await userOf(token), ADA)
    await old.tokens.revokeAll('ada')
    for (const token of tokens) {
      await untilRefused(next, token)
      t.equal(await old.userOf(token), null)
    }
  })

  for (const kind of Object.keys(CLIENTS) as Kind[]) {
    t.test(`with ${kind} and a prefix, a session that was read costs no command until its end`, async t => {
      const redis = await RedisServer.start(t)
      const [one, two] = [
        await processOn(t, redis.url, kind, {}, 'shop:'),
        await processOn(t, redis.url, kind, {}, 'shop:')
      ]
      const [token, other, kept] = [await one.issue(), await two.issue(), await one.issue(EVE)]
      for (const session of [token, other, kept]) await untilRemembered(two, session)
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

    t.test(`with ${kind}, nothing outlives FLUSHALL`, async t => {
      const redis = await RedisServer.start(t)
      const { issue, ...process } = await processOn(t, redis.url, kind)
      const token = await issue()
      await untilRemembered(process, token)
      await (await administrator(t, redis)).flushAll()
      await t.resolves(untilRefused(process, token))
    })

    t.test(`with ${kind}, an end that a lost connection did not hear of holds all the same`, async t => {
      const redis = await RedisServer.start(t)
      const one = await processOn(t, redis.url, kind)
      const two = await processOn(t, redis.url, kind)
      const [ended, kept] = [await one.issue(), await one.issue()]
      for (const token of [ended, kept]) await untilRemembered(two, token)
      const admin = await administrator(t, redis)
      const lost = new Promise(resolve => two.client.once('reconnecting', resolve))
      await admin.sendCommand(['CLIENT', 'KILL', 'ID', String(await two.client.clientId())])
      await lost
      await one.tokens.revoke(ended)
      t.equal(await whenBack(two, ended), null)
      t.strictSame(await whenBack(two, kept), ADA)
      await t.resolves(untilRemembered(two, kept))
    })

    t.test(`with ${kind}, Redis keeps nothing of forged tokens, and nothing of what was read`, async t => {
      const redis = await RedisServer.start(t)
      const { issue, ...process } = await processOn(t, redis.url, kind)
      await untilRemembered(process, await issue())
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
      await untilRemembered(process, token)
      const admin = await administrator(t, redis)
      for (const key of await admin.keys('*session:*')) await admin.pExpire(key, 500)
      await t.resolves(untilRefused(process, token))
    })

    t.test(`with ${kind}, what comes late brings nothing back`, async t => {
      const redis = await RedisServer.start(t)
      const wire = await Wire.lay(t, redis.port)
      const one = await processOn(t, redis.url, kind)
      const two = await processOn(t, wire.url, kind, { cache: 1 })
      const [ended, kept] = [await one.issue(), await one.issue(EVE)]
      for (const token of [ended, kept]) await untilRemembered(two, token)
      wire.cut('frozen')
      // Asked for before the end, and told after it.
      const early = two.tokens.revoke(await one.issue())
      await one.tokens.revoke(ended)
      while (two.remembers(ended)) await sleep(50)
      const late = [two.userOf(ended), two.userOf(kept)]
      wire.mend()
      t.strictSame(await Promise.all(late), [null, EVE])
      await early
      await untilRemembered(two, kept)
      t.equal(await two.userOf(ended), null)
    })

    for (const close of ['client.close()', 'client.destroy()']) {
      t.test(`with ${kind}, nothing keeps a process alive after ${close}`, async t => {
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

/** A process with a connection of its own. */
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

/** How many commands Redis has executed, but for the one that asks for that. */
async function commands(admin: Awaited<ReturnType<typeof administrator>>): Promise<number> {
  const stats = await admin.info('commandstats')
  const calls = [...stats.matchAll(/^cmdstat_(?!info)\S+:calls=(\d+)/gm)]
  return calls.reduce((sum, [, count]) => sum + Number(count), 0)
}

type Process = Pick<Awaited<ReturnType<typeof processOn>>, 'tokens'>

/** Asks until Redis is no longer asked: then there is no promise. */
async function untilRemembered({ tokens }: Process, token: string): Promise<void> {
  for (let found = tokens.verify(token); found instanceof Promise; found = tokens.verify(token)) {
    if ((await found) === null) throw new Error('there is no such session')
  }
}

/** Asks until the session is refused, as soon as the report is there. */
async function untilRefused({ tokens }: Process, token: string): Promise<void> {
  while ((await tokens.verify(token)) !== null) await sleep(1)
}

/** The user of a token, asked until Redis can be asked. */
async function whenBack({ tokens }: Process, token: string) {
  for (;;) {
    try {
      return await tokens.verify(token)
    } catch {
      await sleep(20)
    }
  }
}
