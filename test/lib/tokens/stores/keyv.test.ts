// The stores of other people: Keyv in its versions, which report a failure as a missing value, and a class of the host.
import { EventEmitter } from 'node:events'
import { createKeyv } from '@keyv/redis'
import { Keyv } from 'keyv'
import t from 'tap'
import { ADA } from '../../../helpers.ts'
import { processWith, UNKNOWN } from '../opaque/session-store.ts'
import { brokenAdapter, FAILED, testKeyv } from './keyv.ts'

testKeyv(t, 'Keyv 5', adapter => new Keyv({ store: adapter ?? new Map() }))
testKeyv(
  t,
  'Keyv 5 with throwOnErrors',
  adapter => new Keyv({ store: adapter ?? new Map(), throwOnErrors: true })
)

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
  const { tokens, issue, userOf } = processWith(keyv)
  // Gives the user a generation: of what is missing nobody can tell whether it has failed.
  await tokens.revokeAll('ada')
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

t.test('what is missing while the Keyv emits an error of another call is asked for again', async t => {
  const keyv = new Keyv()
  const { issue, userOf } = processWith(keyv)
  const token = await issue()
  const get = keyv.get.bind(keyv)
  let errors = 0
  t.intercept(keyv, 'get', {
    value: async (key: string) => {
      const value = await get(key)
      if (value === undefined && errors++ === 0) keyv.emit('error', new Error('cannot be written'))
      return value
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
    /** Properties that a Keyv has too. */
    throwOnErrors = true
    hooks = {}
    get(key: string) {
      return this.#entries.get(key)
    }
    set(key: string, value: unknown) {
      return this.#entries.set(key, value)
    }
    delete(key: string) {
      return this.#entries.delete(key)
    }
  }
  const { issue, userOf } = processWith(Object.freeze(new PrivateStore()))
  t.strictSame(await userOf(await issue()), ADA)
})
