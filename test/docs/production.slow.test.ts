// A client for production, as docs/several-servers.md shows it: behind a proxy whose connections die.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { FaultyProxy } from '../faulty-proxy.ts'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { RedisServer } from '../redis-server.ts'
import { readPage } from './page.ts'
import { logIn, startCode, statusOf, tokenOf } from './program.ts'

const PAGE = 'docs/several-servers.md'
const { samples, code: inlineCode } = readPage(PAGE)
const program = `${samples.find(({ code }) => code.includes('throttle: { store }'))?.code}`
const check = `${samples.find(({ testedBy }) => testedBy === 'test/docs/production.slow.test.ts')?.code}`
const ioredis = `${inlineCode.find(code => code.startsWith('new Redis('))}`

const client = /const redis = [\s\S]*await redis.connect\(\)/

const PROGRAMS = {
  'node-redis': program.replace(client, check),
  ioredis: program
    .replace(/^import \{ createClient.*$/m, "import { Redis } from 'ioredis'")
    .replace(client, `const redis = ${ioredis.replace('url', "'redis://127.0.0.1:6379'")}.on('error', () => {})`)
}

type Outage = (redis: RedisServer, proxy: FaultyProxy) => unknown

/** Milliseconds in which a client notices an outage, and tries to reconnect. */
const OUTAGE = 6_000

const OUTAGES: Record<string, Outage> = {
  'a connection dies without being closed'(_, proxy) {
    proxy.cut('silent')
    proxy.restore()
  },
  async 'nothing arrives, even on new connections'(_, proxy) {
    proxy.cut('silent')
    await sleep(OUTAGE)
    proxy.restore()
  },
  async 'Redis is frozen'(redis) {
    redis.freeze()
    await sleep(OUTAGE)
    redis.thaw()
  },
  async 'Redis is killed'(redis) {
    await redis.stop()
    await sleep(OUTAGE)
    await redis.start()
  },
  'nobody sends a request': () => sleep(OUTAGE)
}

for (const [kind, code] of needs(t, 'redis-server') ? Object.entries(PROGRAMS) : [])
  for (const [what, outage] of Object.entries(OUTAGES))
    t.test(`${PAGE}: ${kind} recovers while requests arrive, after ${what}`, async t => {
      const redis = await RedisServer.start(t)
      const proxy = await FaultyProxy.start(t, redis.port)
      const user = `({ username, password }) =>
        password === 'correct horse' ? { username, displayName: username } : null`
      const server = startCode(t, code.replace('() => null', user).replaceAll('6379', String(proxy.port)))
      const url = await server.listening()
      await until(async () => (await logIn(url)).status === 200)
      const token = await tokenOf(url)
      // Requests that arrive all the time must not hide a dead connection.
      let isOver = what === 'nobody sends a request'
      const statuses = new Set<number>()
      const requests = (async () => {
        while (!isOver) statuses.add(await statusOf(`${url}/menu/main`, token))
      })()
      await outage(redis, proxy)
      await until(async () => (await statusOf(`${url}/menu/main`, token)) === 200)
      await until(async () => (await logIn(url)).status === 200)
      isOver = true
      await requests
      t.ok([...statuses].every(status => status === 200 || status === 503))
    })
