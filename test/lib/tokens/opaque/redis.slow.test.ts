// Sessions in a real Redis that reports its changes, through a Keyv. The reference server with it: test/cluster.
import { execFile } from 'node:child_process'
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import KeyvRedis, { createClient, createKeyv, Keyv } from '@keyv/redis'
import t, { type Test } from 'tap'
import { RoundTripCounter } from '../../../../bench/round-trips.ts'
import type { OpaqueTokensOptions, TokenStore } from '../../../../lib/index.ts'
import { ADA, outsideTap } from '../../../helpers.ts'
import { needs } from '../../../needs.ts'
import { RedisServer } from '../../../redis-server.ts'
import { Wire } from '../../../wire.ts'
import { FAILED } from './keyv.ts'
import { EVE, processWith } from './session-store.ts'

const CLIENTS = {
  emitInvalidate: { emitInvalidate: true },
  'a clientSideCache': { clientSideCache: { ttl: 0, maxEntries: 1_000, evictPolicy: 'LRU' } }
} as const

type Kind = keyof typeof CLIENTS

/** The types of Keyv know RESP 2 only. */
const STORES: Record<string, (client: never) => TokenStore> = {
  createKeyv: client => createKeyv(client),
  'createKeyv and a namespace': client => createKeyv(client, { namespace: 'shop' }),
  'a Keyv': client => new Keyv({ store: new KeyvRedis(client) }),
  'a Keyv and a namespace': client => new Keyv({ store: new KeyvRedis(client), namespace: 'shop' })
}

/** So many seconds a silent connection is believed: the heartbeat does not disturb what is counted. */
const LONG = 600

if (needs(t, 'redis-server')) {
  for (const kind of Object.keys(CLIENTS) as Kind[]) {
    for (const [name, makeStore] of Object.entries(STORES)) {
      t.test(`with ${kind}, ${name}: a session that was read costs no command until it is ended`, async t => {
        const redis = await RedisServer.start(t)
        const one = await processOn(t, redis.url, kind, {}, makeStore)
        const two = await processOn(t, redis.url, kind, {}, makeStore)
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
    }

    t.test(`with ${kind}, a login is two round trips, the first request one, and others none`, async t => {
      const redis = await RedisServer.start(t)
      const wire = await RoundTripCounter.start(redis.url)
      t.teardown(() => wire.stop())
      const { tokens, issue, userOf } = await processOn(t, wire.url, kind)
      await untilRemembered({ tokens }, await issue(EVE))
      const roundTrips = async <T>(act: () => Promise<T>): Promise<[number, T]> => {
        const before = wire.count
        const result = await act()
        return [wire.count - before, result]
      }
      const [login, token] = await roundTrips(issue)
      t.equal(login, 2)
      t.strictSame(await roundTrips(() => userOf(token)), [1, ADA])
      t.strictSame(await roundTrips(() => userOf(token)), [0, ADA])
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

    t.test(`with ${kind}, more sessions than Redis keeps track of are slower and never wrong`, async t => {
      const redis = await RedisServer.start(t, '--tracking-table-max-keys', '10')
      const one = await processOn(t, redis.url, kind)
      const two = await processOn(t, redis.url, kind)
      const tokens = await Promise.all(Array.from({ length: 100 }, () => one.issue()))
      for (let round = 0; round < 3; round++)
        for (const token of tokens) t.strictSame(await two.userOf(token), ADA)
      const [kept, ...ended] = tokens as [string, ...string[]]
      for (const token of ended) await one.tokens.revoke(token)
      for (const token of ended) await untilRefused(two, token)
      t.strictSame(await two.userOf(kept), ADA)
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

    for (const [what, spoil, revoked] of [
      ['full', ['CONFIG', 'SET', 'maxmemory', '1'], true],
      ['a replica', ['REPLICAOF', '127.0.0.1', '1'], false]
    ] as const) {
      t.test(`with ${kind}, when Redis is ${what} it is asked about each request`, async t => {
        const redis = await RedisServer.start(t)
        const one = await processOn(t, redis.url, kind)
        const two = await processOn(t, redis.url, kind, { cache: 1 })
        const [token, kept] = [await one.issue(), await one.issue()]
        for (const session of [token, kept]) await untilRemembered(two, session)
        await (await administrator(t, redis)).sendCommand([...spoil])
        while (!(two.tokens.verify(kept) instanceof Promise)) await sleep(50)
        for (let i = 0; i < 100; i++) {
          const found = two.tokens.verify(kept)
          t.type(found, Promise)
          t.strictSame(await found, ADA)
        }
        if (revoked) await one.tokens.revoke(token)
        else await t.rejects(one.tokens.revoke(token), { code: FAILED })
        t.strictSame(await two.userOf(token), revoked ? null : ADA)
        t.strictSame(await two.userOf(kept), ADA)
      })
    }

    for (const appendonly of ['yes', 'no']) {
      const fate = appendonly === 'yes' ? 'go on' : 'are gone'
      t.test(`with ${kind}, sessions ${fate} when Redis restarts with appendonly ${appendonly}`, async t => {
        const redis = await RedisServer.start(t, '--appendonly', appendonly)
        const one = await processOn(t, redis.url, kind)
        const two = await processOn(t, redis.url, kind)
        const [token, ended] = [await one.issue(), await one.issue()]
        for (const session of [token, ended]) await untilRemembered(two, session)
        const lost = new Promise(resolve => two.client.once('reconnecting', resolve))
        await one.tokens.revoke(ended)
        await redis.stop()
        await lost
        await t.rejects(two.userOf(token), { code: FAILED }, 'meanwhile nobody can tell')
        await redis.start()
        t.strictSame(await whenBack(two, token), appendonly === 'yes' ? ADA : null)
        t.equal(await whenBack(two, ended), null)
      })
    }

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
      while (!(two.tokens.verify(ended) instanceof Promise)) await sleep(50)
      const late = [two.userOf(ended), two.userOf(kept)]
      wire.mend()
      t.strictSame(await Promise.all(late), [null, EVE])
      await early
      await untilRemembered(two, kept)
      t.equal(await two.userOf(ended), null)
    })

    for (const close of ['client.close()', 'client.destroy()', 'keyv.disconnect()']) {
      t.test(`with ${kind}, nothing keeps a process alive after ${close}`, async t => {
        const redis = await RedisServer.start(t)
        const program = `
          import { createClient, createKeyv } from '@keyv/redis'
          import { opaqueTokens } from './lib/index.ts'
          const client = createClient({ url: '${redis.url}', RESP: 3, ...${JSON.stringify(CLIENTS[kind])} })
          await client.connect()
          const keyv = createKeyv(client)
          const tokens = opaqueTokens({ store: keyv, cache: 1 })
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
async function processOn(
  t: Test,
  url: string,
  kind: Kind,
  options: Partial<OpaqueTokensOptions> = {},
  makeStore = STORES.createKeyv as (client: never) => TokenStore
) {
  const client = createClient({
    url,
    RESP: 3,
    ...CLIENTS[kind],
    disableOfflineQueue: true,
    socket: { reconnectStrategy: () => 20 }
  })
  client.on('error', () => {})
  t.teardown(() => client.isOpen && client.destroy())
  await client.connect()
  return { client, ...processWith(makeStore(client as never), { cache: LONG, ...options }) }
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
    // The response may come from a clientSideCache: then the word of Redis is still to be read.
    await nextLoop()
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
