// Compares the commands and round trips in docs/several-servers.md with those between a token service and a real Redis.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { opaqueTokens, redisStore } from '../../lib/index.ts'
import { until } from '../helpers.ts'
import { needs } from '../needs.ts'
import { RedisServer } from '../redis-server.ts'

const page = readFileSync(new URL('../../docs/several-servers.md', import.meta.url), 'utf8')
const [, table = ''] = page.split('| action |')

/** Returns the commands and the round trips in the row of an action. */
function row(action: string): number[] {
  const line = table.split('\n').find(line => line.startsWith(`| ${action}`)) ?? ''
  return line
    .split(' | ')
    .slice(-2)
    .map(cell => Number.parseInt(cell, 10))
}

const USER = { username: 'ada', displayName: 'Ada Lovelace' }

/** Starts a token service whose connection to Redis is counted. */
async function service(t: Test) {
  const redis = await RedisServer.start(t)
  const sent = { commands: 0, trips: 0, isWaiting: false }
  const counter = createServer(near => {
    const far = connect(redis.port, '127.0.0.1')
    near.on('data', chunk => {
      sent.commands += String(chunk).match(/^\*\d+\r$/gm)?.length ?? 0
      if (!sent.isWaiting) sent.trips++
      sent.isWaiting = true
    })
    far.on('data', () => {
      sent.isWaiting = false
    })
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  t.teardown(() => counter.close())
  await once(counter, 'listening')
  const client = createClient({ url: `redis://127.0.0.1:${(counter.address() as AddressInfo).port}` })
  await client.on('error', () => {}).connect()
  t.teardown(() => client.destroy())
  const tokens = opaqueTokens({ store: redisStore(client), lifetime: 3600, maxLifetime: 7200 })

  /** Returns the commands and the round trips of an action. */
  async function count(action: () => unknown): Promise<number[]> {
    Object.assign(sent, { commands: 0, trips: 0 })
    await action()
    return [sent.commands, sent.trips]
  }
  return { tokens, sent, count }
}

if (needs(t, 'redis-server'))
  t.test('docs/several-servers.md has the commands and round trips of each action', async t => {
    const { tokens, sent, count } = await service(t)
    let token = ''
    const login = async () => {
      token = await tokens.issue(USER)
    }
    t.strictSame(await count(login), row('a login'))
    // The first use of a session that a use renews: the renewal is sent with no one waiting for it.
    const [commands = 0] = row('a request')
    await count(() => tokens.verify(token))
    await until(() => sent.commands === commands + 1 && !sent.isWaiting)
    t.strictSame(await count(() => tokens.verify(token)), row('a request'), 'further uses are not written at once')
    t.strictSame(await count(() => tokens.revoke(token)), row('a logout'))
    t.strictSame(await count(() => tokens.revokeAll(USER.username)), row('`revokeAll`'))
  })
