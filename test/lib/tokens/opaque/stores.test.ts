// The stores of other people: Keyv in its versions, which report a failure as a missing value, and a class of the host.
import { EventEmitter } from 'node:events'
import { createKeyv } from '@keyv/redis'
import { Keyv } from 'keyv'
import { Keyv as Keyv6 } from 'keyv-6'
import t from 'tap'
import type { TokenStore } from '../../../../lib/index.ts'
import { ADA } from '../../../helpers.ts'
import { stopClock } from '../../../stopped-clock.ts'
import { processWith, UNKNOWN } from './session-store.ts'

const FAILED = 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED'

/** An adapter that is down. */
const brokenAdapter = () => ({
  opts: {},
  namespace: undefined,
  get: async () => Promise.reject(new Error('down')),
  set: async () => Promise.reject(new Error('down')),
  delete: async () => Promise.reject(new Error('down')),
  clear: async () => {},
  has: async () => false
})

// biome-ignore lint/suspicious/noExplicitAny: an adapter that is good enough for both
const keyvs: Record<string, (adapter?: any) => TokenStore> = {
  'Keyv 5': adapter => new Keyv({ store: adapter ?? new Map() }),
  'Keyv 5 with throwOnErrors': adapter => new Keyv({ store: adapter ?? new Map(), throwOnErrors: true }),
  'Keyv 6': adapter => new Keyv6({ store: adapter ?? new Map() })
}

for (const [name, makeKeyv] of Object.entries(keyvs)) {
  t.test(`${name} stores sessions until they expire or are revoked`, async t => {
    const clock = stopClock(t)
    const { tokens, issue, userOf } = processWith(makeKeyv(), { lifetime: 10, maxLifetime: 100 })
    const [one, two] = [await issue(), await issue()]
    clock.advance(5)
    t.strictSame(await userOf(one), ADA)
    clock.advance(6)
    const three = await issue()
    t.strictSame(await Promise.all([one, two, three].map(userOf)), [ADA, null, ADA])
    await tokens.revoke(one)
    t.strictSame(await Promise.all([one, three].map(userOf)), [null, ADA])
    await tokens.revokeAll('ada')
    t.equal(await userOf(three), null)
  })

  t.test(`${name} with an adapter that is down has failed`, async t => {
    const { tokens, issue, userOf } = processWith(makeKeyv(brokenAdapter()))
    const expected = { code: FAILED, cause: { message: /down/ } }
    await t.rejects(userOf(UNKNOWN), expected)
    await t.rejects(issue(), expected)
    await t.rejects(tokens.revoke(UNKNOWN), expected)
    await t.rejects(tokens.revokeAll('ada'), expected)
  })
}

t.test('a Keyv with emitErrors: false and an adapter that is down has failed', async t => {
  const emitError = async () => {
    adapter.emit('error', new Error('down'))
    return undefined
  }
  const quiet = { get: emitError, set: emitError, delete: emitError }
  const adapter: EventEmitter = Object.assign(new EventEmitter(), brokenAdapter(), quiet)
  const { tokens, userOf, issue } = processWith(new Keyv({ store: adapter, emitErrors: false }))
  const expected = { code: FAILED, cause: { message: 'down' } }
  await t.rejects(userOf(UNKNOWN), expected)
  await t.rejects(issue(), expected)
  await t.rejects(tokens.revoke(UNKNOWN), expected)
  await t.rejects(tokens.revokeAll('ada'), expected)
})

t.test('the Keyv of the host still does not throw for the host', async t => {
  const keyv = new Keyv({ store: brokenAdapter() })
  keyv.on('error', () => {})
  await t.rejects(processWith(keyv).userOf(UNKNOWN))
  t.equal(keyv.throwOnErrors, false)
  t.equal(await keyv.get('mine'), undefined)
})

t.test('a value that a Keyv returns is used even if the Keyv emits an error meanwhile', async t => {
  const keyv = new Keyv()
  const { issue, userOf } = processWith(keyv)
  const token = await issue()
  const get = keyv.get.bind(keyv)
  t.intercept(keyv, 'get', {
    value: async (key: string) => {
      const value = await get(key)
      if (value !== undefined) keyv.emit('error', new Error('of somebody else'))
      return value ?? null
    }
  })
  t.strictSame(await userOf(token), ADA)
})

for (const options of [{}, { throwOnErrors: true }, { throwOnConnectError: false }]) {
  t.test(`@keyv/redis with ${JSON.stringify(options)} has failed when there is no Redis`, async t => {
    const url = 'redis://127.0.0.1:1'
    const store = createKeyv({ url, socket: { reconnectStrategy: false } }, options)
    const { issue, userOf } = processWith(store)
    await t.rejects(userOf(UNKNOWN), { code: FAILED })
    await t.rejects(issue(), { code: FAILED })
  })
}

t.test('a frozen store of a class with private fields works', async t => {
  class PrivateStore {
    readonly #entries = new Map<string, unknown>()
    /** A property that Keyv has too. */
    throwOnErrors = true
    get = (key: string) => this.#entries.get(key)
    set = (key: string, value: unknown) => this.#entries.set(key, value)
    delete = (key: string) => this.#entries.delete(key)
  }
  const { issue, userOf } = processWith(Object.freeze(new PrivateStore()))
  t.strictSame(await userOf(await issue()), ADA)
})
