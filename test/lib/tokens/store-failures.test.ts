import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ADA, bearer, collectLog, host, logIn } from '../../helpers.ts'
import { together } from '../limits/attempts.ts'
import { FAILED, processWith, setUp, storeThat, TestStore, UNKNOWN } from './sessions.ts'

const DOWN = { code: FAILED, message: /store of the tokens failed$/ }

const reject = () => Promise.reject(new Error('redis://user:hunter2@down'))

for (const [failure, fail] of Object.entries({
  'rejects a call': reject,
  'throws an error': () => {
    throw new Error('down')
  }
})) {
  t.test(`guarded routes respond 503 with Retry-After while the store ${failure}`, async t => {
    const { store, tokens } = setUp()
    const log = collectLog()
    const app = await host(t, { tokens }, log)
    const { token } = (await logIn(app)).json()
    store.get = fail
    for (const sent of [token, UNKNOWN]) {
      const { statusCode, body, headers } = await app.inject({ url: '/screen', headers: bearer(sent) })
      t.strictSame([statusCode, body], [503, ''])
      t.match(headers['retry-after'], /^\d+$/)
    }
    store.get = TestStore.prototype.get
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 200, 'and then good again')
    t.match(log.text(), /the store of the tokens failed/)
    t.notMatch(log.text(), token)
  })
}

for (const call of ['get', 'set'] as const) {
  t.test(`a login gets a 503 AuthResponse while ${call} of the store fails`, async t => {
    const { store, tokens } = setUp()
    const app = await host(t, { tokens })
    store[call] = reject
    const response = await logIn(app)
    t.equal(response.statusCode, 503)
    t.equal(response.headers['retry-after'], '5')
    t.match(response.json(), { success: false, token: null, error: /Try again later/, screen: null })
  })
}

t.test('a handler whose revocation fails responds 503 with Retry-After', async t => {
  const { store, tokens } = setUp()
  const app = await host(t, { tokens })
  app.post('/revoke', { config: { screenAuth: false } }, async () => tokens.revoke(UNKNOWN))
  app.post('/revoke-all', { config: { screenAuth: false } }, async () => tokens.revokeAll('ada'))
  store.delete = store.set = reject
  for (const url of ['/revoke', '/revoke-all']) {
    const response = await app.inject({ method: 'POST', url })
    t.equal(response.statusCode, 503)
    t.match(response.headers['retry-after'], /^\d+$/)
    t.notMatch(response.body, /hunter2/)
  }
})

t.test('a session whose revocation fails stays valid', async t => {
  const { store, tokens, issue, userOf } = setUp()
  store.delete = reject
  const token = await issue()
  await t.rejects(tokens.revoke(token), DOWN)
  t.strictSame(await userOf(token), ADA)
})

t.test('a session whose values can no longer be read is revoked', async t => {
  const { store, tokens, issue, userOf } = setUp()
  const token = await issue()
  store.get = reject
  await tokens.revoke(token)
  store.get = TestStore.prototype.get
  t.equal(await userOf(token), null)
})

/** Stops `setTimeout` until the test ends. */
function stopTimers(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return {
    /** Waits for the turn in which time limits begin, and for the turn in which they end. */
    async advance(ms: number): Promise<void> {
      await setImmediate()
      mock.timers.tick(ms)
      await setImmediate()
    }
  }
}

for (const [timeout, seconds] of [
  [undefined, 2],
  [7, 7]
] as const) {
  t.test(`calls to a silent store time out after ${seconds} s with timeout ${timeout}`, async t => {
    const timers = stopTimers(t)
    const { tokens } = processWith(
      storeThat(() => new Promise(() => {})),
      { timeout }
    )
    const calls: Promise<unknown>[] = [
      tokens.issue(ADA),
      tokens.verify(UNKNOWN),
      tokens.revoke(UNKNOWN),
      tokens.revokeAll('ada')
    ]
    let settled = 0
    for (const call of calls) call.finally(() => settled++).catch(() => {})
    await timers.advance(seconds * 1000 - 1)
    t.equal(settled, 0)
    await timers.advance(1)
    const message = new RegExp(`took longer than ${seconds} s$`)
    for (const call of calls) await t.rejects(call, { code: FAILED, message })
  })
}

t.test('a store that fails after its timeout causes no unhandled rejection', async t => {
  const timers = stopTimers(t)
  let fail!: (error: Error) => void
  const never = new Promise((_, reject) => (fail = reject))
  const { userOf } = processWith(
    storeThat(() => never),
    { timeout: 1 }
  )
  const verifying = userOf(UNKNOWN)
  const rejected = t.rejects(verifying)
  await timers.advance(1000)
  await rejected
  fail(new Error('late'))
  await setImmediate()
})

t.test('at most 1,000 tokens wait for the store, and then further ones again', async t => {
  const { store, issue, userOf } = setUp()
  const token = await issue()
  const release = store.hold(/^get/)
  const waiting = together(1_000, () => userOf(token))
  const calls = await store.callsDuring(() => t.rejects(userOf(token), { code: FAILED, message: /1000 reads/ }))
  t.strictSame(calls, [])
  release()
  t.strictSame(await waiting, Array(1_000).fill(ADA))
  t.strictSame(await userOf(token), ADA)
})

t.test('a store may return undefined for no value', async t => {
  const { issue, userOf } = processWith(storeThat(() => undefined))
  t.equal(await userOf(await issue()), null)
})

t.test('a value that is not the session of the token is an error', async t => {
  const { store, issue, userOf } = setUp()
  const [token, other] = [await issue(), await issue()]
  const [key = ''] = [...store.entries.keys()]
  const [value, another] = [...store.entries.values()].map(({ value }) => value as object)
  const wrong = ['[object Object]', 0, false, {}, another, { ...value, username: '' }, { ...value, displayName: 1 }]
  for (const value of wrong) {
    store.entries.set(key, { value, ends: Infinity })
    await t.rejects(userOf(token), {
      code: 'FST_SCREEN_AUTH_INVALID_ANSWER',
      message: /the store of the tokens must return the values that were set/
    })
  }
  t.strictSame(await userOf(other), ADA)
})
