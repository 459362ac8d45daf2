// Sessions in a Redis that sentinels watch, connected as docs/several-servers.md says: three servers, three sentinels,
// two processes.

import { once } from 'node:events'
import { createSentinel } from 'redis'
import t, { type Test } from 'tap'
import { redisStore } from '../../../../lib/index.ts'
import { ask, until } from '../../../examples/redis/fleet.ts'
import { ADA } from '../../../helpers.ts'
import { needs } from '../../../needs.ts'
import { RedisServer } from '../../../redis-server.ts'
import { processWith, startListening } from '../opaque/session-store.ts'
import { FAILED } from './keyv.ts'

const NAME = 'sessions'

if (needs(t, 'redis-server')) {
  t.test('a session is remembered, and ended in every process', async t => {
    const { sentinels } = await watchedRedis(t)
    const [one, two] = [await processOn(t, sentinels), await processOn(t, sentinels)]
    const tokens = [await one.issue(), await one.issue(), await two.issue()] as const
    for (const token of tokens) for (const process of [one, two]) await process.remember(token)
    await one.tokens.revoke(tokens[0])
    t.equal(await one.userOf(tokens[0]), null)
    await until(async () => (await two.userOf(tokens[0])) === null)
    for (const process of [one, two]) t.strictSame(await process.userOf(tokens[1]), ADA)
    await two.tokens.revokeAll('ada')
    for (const token of tokens) {
      t.equal(await two.userOf(token), null)
      await until(async () => (await one.userOf(token)) === null)
    }
  })

  for (const passthroughClientErrorEvents of [true, false]) {
    const when = passthroughClientErrorEvents ? 'with its errors' : 'without a word'
    t.test(
      `what was remembered dies with the master, ${when}, and sessions live on in the next one`,
      async t => {
        const { servers, sentinels } = await watchedRedis(t)
        const [one, two] = [
          await processOn(t, sentinels),
          await processOn(t, sentinels, { passthroughClientErrorEvents })
        ]
        const [good, ended] = [await one.issue(), await one.issue()]
        await two.remember(good)
        await two.remember(ended)
        await one.tokens.revoke(ended)
        // What the master has not passed on dies with it.
        await one.sentinel.sendCommand(false, ['WAIT', '2', '0'])
        const lost = once(two.sentinel, 'error')
        const killed = performance.now()
        await servers[0]?.stop()
        if (passthroughClientErrorEvents) await lost
        else await until(async () => !two.remembers(good))
        t.notOk(two.remembers(good))
        t.comment(`dropped ${sinceMs(killed)} ms after the kill`)

        // A session is refused or let in only as it should be; while there is no master, it cannot be told.
        await until(async () => {
          const user = await two.userOf(good).catch(({ code }) => code)
          t.equal(await two.userOf(ended).catch(failed), null)
          return user === FAILED ? false : t.strictSame(user, ADA)
        })
        t.comment(`readable again ${sinceMs(killed)} ms after the kill`)
        await two.remember(good)
        // The other process may not have found the new master yet.
        await until(async () => (await one.tokens.revoke(good).catch(failed)) !== null)
        await until(async () => (await two.userOf(good)) === null)
      }
    )
  }

  t.test('a process that still believes the old master learns of the new one', async t => {
    const { servers, sentinels } = await watchedRedis(t)
    const [one, two] = [await processOn(t, sentinels), await processOn(t, sentinels)]
    const token = await one.issue()
    await two.remember(token)
    await one.sentinel.sendCommand(false, ['WAIT', '2', '0'])
    await ask(sentinels[0] as RedisServer, ['SENTINEL', 'FAILOVER', NAME])
    // As a process does that was just started: it asks the sentinels for the master.
    let next = servers[0] as RedisServer
    await until(async () => {
      const [, port] = (await ask(sentinels[0] as RedisServer, [
        'SENTINEL',
        'GET-MASTER-ADDR-BY-NAME',
        NAME
      ])) as string[]
      next = servers.find(server => `${server.port}` === port) ?? next
      return next !== servers[0]
    })
    await ask(next, ['DEL', ...((await ask(next, ['KEYS', '*session:*'])) as string[])])
    const ended = performance.now()
    await until(async () => (await two.userOf(token).catch(failed)) === null)
    t.comment(`let in ${sinceMs(ended)} ms after its end at the new master`)
  })
}

/** A master, two replicas, and three sentinels that know all of them. */
async function watchedRedis(t: Test) {
  const master = await RedisServer.start(t)
  const servers = [master]
  for (let i = 0; i < 2; i++) {
    servers.push(await RedisServer.start(t, '--replicaof', `127.0.0.1 ${master.port}`))
  }
  const sentinels = []
  for (let i = 0; i < 3; i++) {
    const sentinel = await RedisServer.start(t, '--sentinel')
    await ask(sentinel, ['SENTINEL', 'MONITOR', NAME, '127.0.0.1', String(master.port), '2'])
    await ask(sentinel, [
      'SENTINEL',
      'SET',
      NAME,
      'down-after-milliseconds',
      '1000',
      'failover-timeout',
      '5000'
    ])
    sentinels.push(sentinel)
  }
  for (const sentinel of sentinels) {
    await until(async () => {
      const known = (await ask(sentinel, ['SENTINEL', 'MASTER', NAME])) as unknown as string[]
      const numberOf = (name: string) => known[known.indexOf(name) + 1]
      return numberOf('num-slaves') === '2' && numberOf('num-other-sentinels') === '2'
    })
  }
  return { servers, sentinels }
}

async function processOn(
  t: Test,
  sentinels: RedisServer[],
  options: object = { passthroughClientErrorEvents: true }
) {
  const sentinel = createSentinel({
    name: NAME,
    sentinelRootNodes: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    RESP: 3,
    clientSideCache: {},
    nodeClientOptions: { maintNotifications: 'disabled' },
    scanInterval: 500,
    ...options
  })
  const process = processWith(redisStore(sentinel), { timeout: 2 })
  await sentinel.connect()
  t.teardown(() => sentinel.destroy())
  await startListening(process.tokens)
  const remembers = (token: string) => {
    const user = process.tokens.verify(token)
    if (user instanceof Promise) user.catch(() => {})
    return !(user instanceof Promise)
  }
  return {
    ...process,
    sentinel,
    remembers,
    /** Asks until no more asking is needed. */
    remember: (token: string) =>
      until(async () => {
        await process.userOf(token).catch(failed)
        return remembers(token)
      })
  }
}

/** What cannot be told is no user. */
function failed({ code }: { code?: string }): null {
  if (code !== FAILED) throw new Error(`${code}`)
  return null
}

const sinceMs = (start: number) => Math.round(performance.now() - start)
