// What node-redis tells, through a Keyv. With a real Redis: redis.slow.test.ts.
import { EventEmitter } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { TokenStore } from '../../../../lib/index.ts'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { FAILED } from './keyv.ts'
import { processWith, startListening, TestStore, UNKNOWN } from './session-store.ts'

/** A client of node-redis, and the Keyv on it, with a namespace. */
function redis({ hasCache = false } = {}) {
  const entries = new TestStore()
  const client = new EventEmitter()
  const kept = new Map<string, unknown>()
  const cache = Object.assign(new EventEmitter(), {
    set(key: string, value: unknown) {
      kept.set(key, value)
    }
  })
  const change = (key: string) => (hasCache ? cache : client).emit('invalidate', Buffer.from(`shop::${key}`))
  const options = hasCache ? { clientSideCache: cache } : { options: { emitInvalidate: true } }
  const keyv = {
    store: { client: Object.assign(client, { isOpen: true }, options) },
    async get(key: string) {
      if (kept.has(key)) return kept.get(key)
      const value = await entries.get(key)
      if (hasCache) cache.set(key, value)
      return value
    },
    async set(key: string, value: unknown, ttl: number) {
      await entries.set(key, value, ttl)
      change(key)
    },
    async delete(key: string) {
      await entries.delete(key)
      change(key)
    }
  }
  return { client, cache, kept, entries, keyv: keyv as TokenStore }
}

for (const hasCache of [false, true]) {
  const kind = hasCache ? 'a client with a clientSideCache' : 'a client with emitInvalidate'

  t.test(`${kind} tells which sessions have changed`, async t => {
    const { entries, keyv } = redis({ hasCache })
    const [one, two] = [processWith(keyv, { cache: 600 }), processWith(keyv, { cache: 600 })]
    await startListening(two.tokens)
    const token = await one.issue()
    await two.userOf(token)
    const asked = entries.calls.length
    t.strictSame(await two.userOf(token), ADA)
    t.equal(entries.calls.length, asked)
    await one.tokens.revoke(token)
    t.equal(await two.userOf(token), null)
  })

  for (const event of ['error', 'reconnecting', 'end', 'topology-change', 'invalidate']) {
    t.test(`${kind} that emits '${event}' for all is believed no longer`, async t => {
      const { client, cache, entries, keyv } = redis({ hasCache })
      const { issue, tokens, userOf } = processWith(keyv, { cache: 600 })
      await startListening(tokens)
      const token = await issue()
      await userOf(token)
      const asked = entries.calls.length
      const emitter = event === 'invalidate' && hasCache ? cache : client
      emitter.emit(event, null)
      await userOf(token)
      t.not(entries.calls.length, asked)
    })
  }
}

t.test('a clientSideCache keeps nothing', async t => {
  const { kept, entries, keyv } = redis({ hasCache: true })
  const { issue, userOf } = processWith(keyv, { cache: 0 })
  const token = await issue()
  await userOf(token)
  t.equal(kept.size, 0)
  entries.entries.clear()
  t.equal(await userOf(token), null)
})

t.test('a Sentinel that was closed, which it does not say, is not opened again by the heartbeat', async t => {
  const { client, entries, keyv } = redis({ hasCache: true })
  const { tokens } = processWith(keyv, { cache: 1 })
  await startListening(tokens)
  Object.assign(client, { isOpen: false })
  const asked = entries.calls.length
  t.ok(entries.calls.includes('get heartbeat'))
  // Longer than a heartbeat takes.
  await setTimeout(1000)
  t.equal(entries.calls.length, asked)
})

t.test('a Cluster is asked with every request, whatever its cache keeps', async t => {
  const { client, entries, keyv } = redis({ hasCache: true })
  Object.assign(client, { nodeClient() {} })
  const { issue, userOf } = processWith(keyv)
  const token = await issue()
  await userOf(token)
  entries.entries.clear()
  t.equal(await userOf(token), null)
})

t.test('a client that was not told to report changes is asked with every request', async t => {
  const { client, entries, keyv } = redis()
  Object.assign(client, { options: {} })
  const { issue, userOf } = processWith(keyv)
  const token = await issue()
  for (let i = 0; i < 3; i++) {
    const asked = entries.calls.length
    await userOf(token)
    t.not(entries.calls.length, asked)
  }
  t.equal(client.eventNames().length, 0)
})

for (const what of ['login', 'use'] as const) {
  t.test(`the second step of a ${what} does not open a connection again that was closed`, async t => {
    const clock = stopClock(t)
    const { client, entries, keyv } = redis()
    const { issue, userOf } = processWith(keyv, { cache: 0, lifetime: 10, maxLifetime: 100 })
    const token = await issue()
    clock.advance(5)
    keyv.get = async key => {
      Object.assign(client, { isOpen: false })
      return entries.get(key)
    }
    entries.calls.splice(0)
    if (what === 'login') await t.rejects(issue(), { code: FAILED })
    else t.strictSame(await userOf(token), ADA, 'but it is not renewed')
    await setImmediate()
    t.notOk(entries.calls.some(call => call.startsWith('set')))
  })
}

t.test('a request that failed because the connection was closed does not open it again', async t => {
  const { client, keyv } = redis()
  const { userOf } = processWith(Object.assign(keyv, { on: client.on.bind(client) }), { cache: 0 })
  const asked: string[] = []
  keyv.get = async key => {
    asked.push(key)
    Object.assign(client, { isOpen: false })
    client.emit('error', new Error('closed'))
  }
  await t.rejects(userOf(UNKNOWN), { code: FAILED, cause: { message: 'closed' } })
  t.equal(asked.length, 2, 'the session and the generation, each once')
})
