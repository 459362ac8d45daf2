// Compares the numbers of commands and round trips in docs/several-servers.md with those of a process and a real Redis.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { type OpaqueTokens, opaqueTokens, redisStore } from '../../lib/index.ts'
import { ask } from '../examples/redis/fleet.ts'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { freePort, RedisServer } from '../redis-server.ts'

const page = readFileSync(new URL('../../docs/several-servers.md', import.meta.url), 'utf8')
const [, scale = ''] = page.split('## Sessions at scale')

/** Returns the numbers in the last two cells of a row: commands and round trips. */
function row(start: string): number[][] {
  const line = scale.split('\n').find(line => line.startsWith(`| ${start}`))
  const numbers = (cell = '') => [...cell.matchAll(/\d+/g)].map(Number)
  return (line?.split(' | ') ?? []).slice(-2).map(numbers)
}

const USER = { username: 'ada', displayName: 'Ada Lovelace' }
const REQUEST = {} as FastifyRequest

/** The lifetimes of the counted sessions. */
type Options = Pick<Parameters<typeof opaqueTokens>[0], 'lifetime' | 'maxLifetime'>

/** Starts two token services on one Redis. `count` returns the commands and round trips of an action of `first`. */
async function processes(t: Test, options: Options) {
  const redis = await RedisServer.start(t)
  let trips = 0
  let isSending = false
  const counter = createServer(near => {
    const far = connect(redis.port, '127.0.0.1')
    near.on('data', chunk => {
      // Ignores the heartbeat.
      if (!/\b(GET|SET|DEL)\b/.test(String(chunk))) return
      if (!isSending) trips++
      isSending = true
    })
    far.on('data', () => {
      isSending = false
    })
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
  }).listen(await freePort(), '127.0.0.1')
  await once(counter, 'listening')
  const { port } = counter.address() as { port: number }

  async function start(port: number): Promise<OpaqueTokens> {
    const reports = { RESP: 3, emitInvalidate: true, maintNotifications: 'disabled' } as const
    const client = createClient({ url: `redis://127.0.0.1:${port}`, ...reports })
    client.on('error', () => {})
    const tokens = opaqueTokens({ store: redisStore(client), ...options })
    await client.connect()
    t.teardown(() => client.destroy())
    return tokens
  }
  t.teardown(() => counter.close())

  const commands = async () => {
    const stats = String(await ask(redis, ['INFO', 'commandstats']))
    const found = [...stats.matchAll(/cmdstat_(?:get|set|del|mget|unlink|eval|evalsha):calls=(\d+)/g)]
    return found.reduce((sum, [, calls]) => sum + Number(calls), 0)
  }
  async function count(action: () => unknown): Promise<[number, number]> {
    const before = await commands()
    trips = 0
    await action()
    const tripsOfAction = trips
    // Waits for writes that run in the background.
    await sleep(100)
    return [(await commands()) - before, tripsOfAction]
  }
  return { first: await start(port), second: await start(redis.port), count }
}

if (needs(t, 'redis-server')) {
  t.test('docs/several-servers.md has the correct counts for sessions without maxLifetime', async t => {
    const { first, second, count } = await processes(t, { lifetime: 3600 })
    const [[login], [loginTrips]] = row('a login') as [[number], [number]]
    t.strictSame(await count(() => first.issue(USER, REQUEST)), [login, loginTrips])

    const token = await second.issue(USER, REQUEST)
    const [[read], [readTrips]] = row('the first request') as [[number], [number]]
    t.strictSame(await count(() => first.verify(token, REQUEST)), [read, readTrips])
    const [[cached], [cachedTrips]] = row('a request with a cached session') as [[number], [number]]
    await until(async () => (await count(() => first.verify(token, REQUEST)))[0] === cached)
    t.strictSame(await count(() => first.verify(token, REQUEST)), [cached, cachedTrips])

    const [[known, unknown], [logoutTrips]] = row('a logout') as [[number, number], [number]]
    t.strictSame(await count(() => first.revoke(token)), [known, logoutTrips])
    const other = await second.issue(USER, REQUEST)
    t.strictSame(await count(() => first.revoke(other)), [unknown, logoutTrips])
  })

  t.test('docs/several-servers.md has the correct counts for sessions with maxLifetime', async t => {
    const { first, second, count } = await processes(t, { lifetime: 10, maxLifetime: 3600 })
    const token = await second.issue(USER, REQUEST)
    const [[, read], [readTrips]] = row('the first request') as [[number, number], [number]]
    t.strictSame(await count(() => first.verify(token, REQUEST)), [read, readTrips])
    const again = row('with `maxLifetime`: each process')[0]?.[0] as number
    const written = row('with `maxLifetime`: then')[0]?.[0] as number
    await sleep(1_500)
    t.strictSame((await count(() => first.verify(token, REQUEST)))[0], again + written)
  })

  t.test('docs/several-servers.md has the correct counts for a session of more than 24 days', async t => {
    const { first, count } = await processes(t, { lifetime: 40 * 86_400 })
    const [[login], [trips]] = row('a login') as [[number], [number]]
    t.match(scale, 'two more of each for a session of more than 24 days')
    t.strictSame(await count(() => first.issue(USER, REQUEST)), [login + 2, trips + 2])
  })
}
