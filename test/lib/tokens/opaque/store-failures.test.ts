import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ADA, bearer, collectLog, host, logIn } from '../../../helpers.ts'
import { FAILED, processWith, setUp, storeThat, TestStore, UNKNOWN } from './session-store.ts'

const DOWN = { code: FAILED, message: /store of the tokens failed$/ }

const reject = () => Promise.reject(new Error('down'))

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

t.test('a set that returns false is a failure of the store', async t => {
  const { store, issue } = setUp()
  Object.assign(store, { set: async () => false })
  await t.rejects(issue(), DOWN)
})

t.test('a handler whose revocation fails responds 503 with Retry-After', async t => {
  const { store, tokens } = setUp()
  const app = await host(t, { tokens })
  app.post('/revoke', { config: { screenAuth: false } }, async () => tokens.revoke(UNKNOWN))
  app.post('/revoke-all', { config: { screenAuth: false } }, async () => tokens.revokeAll('ada'))
  store.delete = store.set = () => Promise.reject(new Error('redis://user:hunter2@down'))
  for (const url of ['/revoke', '/revoke-all']) {
    const response = await app.inject({ method: 'POST', url })
    t.equal(response.statusCode, 503)
    t.match(response.headers['retry-after'], /^\d+$/)
    t.notMatch(response.body, /hunter2/)
  }
})

t.test('a session whose revocation fails stays valid', async t => {
  const { store, tokens, issue, userOf } = setUp({ cache: 60 })
  store.delete = reject
  const token = await issue()
  await userOf(token)
  await t.rejects(tokens.revoke(token), DOWN)
  t.strictSame(await userOf(token), ADA)
})

/** Stops `setTimeout` until the test ends. */
function stopTimers(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return { advance: (milliseconds: number) => mock.timers.tick(milliseconds) }
}

/** Calls each function of opaqueTokens once. */
const callAll = ({ tokens }: Pick<ReturnType<typeof processWith>, 'tokens'>): Promise<unknown>[] => [
  tokens.issue(ADA),
  Promise.resolve(tokens.verify(UNKNOWN)),
  tokens.revoke(UNKNOWN),
  tokens.revokeAll('ada')
]

for (const [timeout, seconds] of [
  [undefined, 2],
  [7, 7]
]) {
  t.test(`calls to a silent store time out after ${seconds} s with timeout ${timeout}`, async t => {
    const timers = stopTimers(t)
    const silent = storeThat(() => new Promise(() => {}))
    const calls = callAll(processWith(silent, { timeout }))
    let settled = 0
    for (const call of calls) call.finally(() => settled++).catch(() => {})
    timers.advance((seconds as number) * 1000 - 1)
    await setImmediate()
    t.equal(settled, 0)
    timers.advance(1)
    const message = new RegExp(`took longer than ${seconds} s$`)
    for (const call of calls) await t.rejects(call, { code: FAILED, message })
  })
}

t.test('a store that fails after its timeout causes no unhandled rejection', async t => {
  const timers = stopTimers(t)
  let fail!: (error: Error) => void
  const never = new Promise((_, reject) => (fail = reject))
  const store = storeThat(() => never)
  const { userOf } = processWith(store, { timeout: 1 })
  const verifying = userOf(UNKNOWN)
  timers.advance(1000)
  await t.rejects(verifying)
  fail(new Error('late'))
  await setImmediate()
})

/** A token that begins like all tokens of Ada. */
const ADAS = createHash('sha256').update(ADA.username).digest('base64url').slice(0, 24) + 'A'.repeat(43)
const session = { ...ADA, issued: Date.now(), expires: Date.now() + 9e5, generation: null }
const WRONG = {
  code: 'FST_SCREEN_AUTH_INVALID_ANSWER',
  message: /must return the values that were set; use a Keyv/
}

/** A process whose store returns these values, by a part of their keys. */
const processThatReads = (values: Record<string, unknown>) => {
  const get = (key: string) => Object.entries(values).find(([name]) => key.includes(name))?.[1]
  return processWith({ ...storeThat(() => {}), get }, { maxLifetime: 1e6 })
}

t.test('a malformed session in the store is an error', async t => {
  const wrong = [
    '[object Object]',
    0,
    false,
    {},
    { ...session, username: '' },
    { ...session, displayName: 1 },
    { ...session, issued: '1' },
    { ...session, expires: null },
    { ...session, generation: 1 },
    { ...session, generation: undefined }
  ]
  for (const value of wrong)
    await t.rejects(processThatReads({ session: value }).userOf(ADAS), WRONG, JSON.stringify(value))
})

t.test('a malformed last use or revocation mark in the store is an error', async t => {
  for (const value of [{ last_use: 'now' }, { generation: 7 }])
    await t.rejects(processThatReads({ session, ...value }).userOf(ADAS), WRONG, JSON.stringify(value))
  await t.rejects(processThatReads({ generation: 7 }).issue(), WRONG, 'of a login, too')
})

t.test('a session of another user from the store is an error', async t => {
  const { userOf } = processThatReads({ session })
  t.strictSame(await userOf(ADAS), ADA)
  await t.rejects(userOf(UNKNOWN), WRONG)
})

t.test('a malformed last use is ignored if the session has ended', async t => {
  const { userOf } = processThatReads({ session: null, last_use: 'now', generation: null })
  t.equal(await userOf(ADAS), null)
})

t.test('a store may return null for a missing value', async t => {
  const { userOf } = processThatReads({ session: null, last_use: null, generation: null })
  t.equal(await userOf(UNKNOWN), null)
})

for (const nothing of [undefined, null]) {
  t.test(`an emitted error and the result ${nothing} are a failure of the store`, async t => {
    const emitter = new EventEmitter()
    const call = async () => {
      emitter.emit('error', new Error('down'))
      return nothing
    }
    const process = processWith(Object.assign(emitter, storeThat(call)))
    for (const result of callAll(process)) await t.rejects(result, { ...DOWN, cause: { message: 'down' } })
  })
}

t.test('the cause of a set that returns false is the last error that the store has emitted', async t => {
  const emitter = new EventEmitter()
  const store = storeThat(() => false)
  const { tokens } = processWith(Object.assign(emitter, store))
  emitter.emit('error', new Error('down'))
  await t.rejects(tokens.revokeAll('ada'), { ...DOWN, cause: { message: 'down' } })
})
