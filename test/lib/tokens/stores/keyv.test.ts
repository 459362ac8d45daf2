// Third-party stores: the versions of Keyv, which report a failure as a missing value, and a class of the host.
import { EventEmitter } from 'node:events'
import { createKeyv } from '@keyv/redis'
import { Keyv } from 'keyv'
import t, { type Test } from 'tap'
import { ADA } from '../../../helpers.ts'
import { FAILED, processWith, UNKNOWN } from '../opaque/session-store.ts'
import { brokenAdapter, hasFailed, testKeyv } from './keyv.ts'

for (const throwOnErrors of [false, true])
  testKeyv(
    t,
    `Keyv 5 with throwOnErrors: ${throwOnErrors}`,
    adapter => new Keyv({ store: adapter ?? new Map(), throwOnErrors })
  )

t.test('opaqueTokens detects the failure of a Keyv with emitErrors: false', async t => {
  const emitError = async () => {
    adapter.emit('error', new Error('down'))
    return undefined
  }
  const quiet = { get: emitError, set: emitError, delete: emitError }
  const adapter: EventEmitter = Object.assign(new EventEmitter(), brokenAdapter(), quiet)
  await hasFailed(t, new Keyv({ store: adapter, emitErrors: false }))
})

t.test('the plugin does not make the Keyv of the host throw', async t => {
  const keyv = new Keyv({ store: brokenAdapter() })
  keyv.on('error', () => {})
  await t.rejects(processWith(keyv).userOf(UNKNOWN))
  t.equal(keyv.throwOnErrors, false)
  t.equal(await keyv.get('mine'), undefined)
})

/** Makes a Keyv emit an error of another call after it has read a value that `isDue` selects. */
function disturb(t: Test, keyv: Keyv, isDue: (value: unknown, errors: number) => boolean): void {
  const get = keyv.get.bind(keyv)
  let errors = 0
  t.intercept(keyv, 'get', {
    value: async (key: string) => {
      const value = await get(key)
      if (isDue(value, errors)) {
        errors++
        keyv.emit('error', new Error('of another call'))
      }
      return value
    }
  })
}

for (const [what, isDue] of Object.entries<(value: unknown, errors: number) => boolean>({
  'a value that a Keyv returns is used although': value => value !== undefined,
  'a missing value is read again if': (value, errors) => value === undefined && errors === 0
})) {
  t.test(`${what} the Keyv emits an error of another call`, async t => {
    const keyv = new Keyv()
    const { issue, userOf } = processWith(keyv)
    const token = await issue()
    disturb(t, keyv, isDue)
    t.strictSame(await userOf(token), ADA)
  })
}

for (const options of [{}, { throwOnErrors: true }, { throwOnConnectError: false }]) {
  t.test(`@keyv/redis with ${JSON.stringify(options)} rejects calls without a Redis`, async t => {
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
    /** Properties that a store of `redisStore` has too. */
    client = {}
    prefix = 'shop:'
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
