import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ADA, bearer, collectLog, host, logIn } from '../../../helpers.ts'
import { processWith, setUp, storeThat, TestStore, UNKNOWN } from './session-store.ts'

const DOWN = { code: 'FST_SCREEN_AUTH_TOKEN_STORE_FAILED', message: /store of the tokens failed$/ }

const reject = () => Promise.reject(new Error('down'))

const failures: Record<string, () => Promise<never>> = {
  'rejects a call': reject,
  'throws an error': () => {
    throw new Error('down')
  }
}

for (const [failure, fail] of Object.entries(failures)) {
  t.test(`while the store ${failure}, guarded routes respond 503 with Retry-After`, async t => {
    const { store, tokens } = setUp()
    const log = collectLog()
    const app = await host(t, { tokens }, log)
    const { token } = (await logIn(app)).json()
    store.get = fail
    for (const sent of [token, UNKNOWN]) {
      const answer = await app.inject({ url: '/screen', headers: bearer(sent) })
      t.equal(answer.statusCode, 503)
      t.equal(answer.body, '')
      t.match(answer.headers['retry-after'], /^\d+$/)
    }
    t.match(log.text(), /the store of the tokens failed/)
    t.notMatch(log.text(), token)
  })
}

t.test('a token is valid again when the store works again', async t => {
  const { store, tokens } = setUp()
  const app = await host(t, { tokens })
  const { token } = (await logIn(app)).json()
  const statusOf = async () => (await app.inject({ url: '/screen', headers: bearer(token) })).statusCode
  store.get = reject
  t.equal(await statusOf(), 503)
  store.get = TestStore.prototype.get
  t.equal(await statusOf(), 200)
})

for (const call of ['get', 'set'] as const) {
  t.test(`while ${call} of the store fails, a login responds 503 with an AuthResponse`, async t => {
    const { store, tokens } = setUp()
    const app = await host(t, { tokens })
    store[call] = reject
    const answer = await logIn(app)
    t.equal(answer.statusCode, 503)
    t.equal(answer.headers['retry-after'], '5')
    t.match(answer.json(), { success: false, token: null, error: /try again later/, screen: null })
  })
}

t.test('a store whose set returns false has failed', async t => {
  const { store, issue } = setUp()
  Object.assign(store, { set: async () => false })
  await t.rejects(issue(), DOWN)
})

t.test('in a handler a revocation that fails responds 503 with Retry-After', async t => {
  const { store, tokens } = setUp()
  const app = await host(t, { tokens })
  app.post('/revoke', { config: { screenAuth: false } }, async () => tokens.revoke(UNKNOWN))
  app.post('/revoke-all', { config: { screenAuth: false } }, async () => tokens.revokeAll('ada'))
  store.delete = store.set = () => Promise.reject(new Error('redis://user:hunter2@down'))
  for (const url of ['/revoke', '/revoke-all']) {
    const answer = await app.inject({ method: 'POST', url })
    t.equal(answer.statusCode, 503)
    t.match(answer.headers['retry-after'], /^\d+$/)
    t.notMatch(answer.body, /hunter2/)
  }
})

t.test('a session whose revocation fails goes on', async t => {
  const { store, tokens, issue, userOf } = setUp({ cache: 60 })
  store.delete = reject
  const token = await issue()
  await userOf(token)
  await t.rejects(tokens.revoke(token), DOWN)
  t.strictSame(await userOf(token), ADA)
})

/** Stops `setTimeout` until the test is over. */
function stopTimers(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return { advance: (milliseconds: number) => mock.timers.tick(milliseconds) }
}

for (const timeout of [undefined, 7]) {
  const seconds = timeout ?? 2
  t.test(
    `with the timeout ${timeout} a store that does not respond has failed after ${seconds} s`,
    async t => {
      const timers = stopTimers(t)
      const { tokens, issue, userOf } = processWith(
        storeThat(() => new Promise(() => {})),
        { timeout }
      )
      const calls: Promise<unknown>[] = [
        issue(),
        userOf(UNKNOWN),
        tokens.revoke(UNKNOWN),
        tokens.revokeAll('ada')
      ]
      let settled = 0
      for (const call of calls) call.finally(() => settled++).catch(() => {})
      timers.advance(seconds * 1000 - 1)
      await setImmediate()
      t.equal(settled, 0)
      timers.advance(1)
      const message = new RegExp(`took longer than ${seconds} s$`)
      for (const call of calls) await t.rejects(call, { code: DOWN.code, message })
    }
  )
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
  timers.advance(1000)
  await t.rejects(verifying)
  fail(new Error('late'))
  await setImmediate()
})

/** What a token of Ada begins with. */
const ADAS = createHash('sha256').update(ADA.username).digest('base64url').slice(0, 24) + 'A'.repeat(43)
const session = { ...ADA, issued: Date.now(), expires: Date.now() + 9e5, generation: null }
const WRONG = {
  code: 'FST_SCREEN_AUTH_INVALID_ANSWER',
  message: /must return what was set; give it a Keyv/
}

t.test('a store that returns a malformed session is an error', async t => {
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
  for (const value of wrong) {
    const get = (key: string) => (key.includes('session') ? value : undefined)
    const { userOf } = processWith({ ...storeThat(() => {}), get })
    await t.rejects(userOf(ADAS), WRONG, JSON.stringify(value))
  }
})

t.test('a store that returns a malformed last use or revocation mark is an error', async t => {
  for (const [name, value] of Object.entries({ last_use: 'now', generation: 7 })) {
    const get = (key: string) => (key.includes(name) ? value : key.includes('session') ? session : undefined)
    const { userOf } = processWith({ ...storeThat(() => {}), get }, { maxLifetime: 1e6 })
    await t.rejects(userOf(ADAS), WRONG, name)
  }
})

t.test('a store that returns the session of somebody else is an error', async t => {
  const get = (key: string) => (key.includes('session') ? session : undefined)
  const { userOf } = processWith({ ...storeThat(() => {}), get })
  t.strictSame(await userOf(ADAS), ADA)
  await t.rejects(userOf(UNKNOWN), WRONG)
})

t.test('a store may return null for a missing value', async t => {
  const { userOf } = processWith(
    storeThat(() => null),
    { maxLifetime: 1e6 }
  )
  t.equal(await userOf(UNKNOWN), null)
})

for (const nothing of [undefined, null]) {
  t.test(`a store that emits an error and returns ${nothing} has failed`, async t => {
    const emitter = new EventEmitter()
    const call = async () => {
      emitter.emit('error', new Error('down'))
      return nothing
    }
    const { tokens, userOf, issue } = processWith(Object.assign(emitter, storeThat(call)))
    const expected = { ...DOWN, cause: { message: 'down' } }
    await t.rejects(userOf(UNKNOWN), expected)
    await t.rejects(tokens.revoke(UNKNOWN), expected)
    await t.rejects(tokens.revokeAll('ada'), expected)
    await t.rejects(issue(), expected)
  })
}

t.test('when set returns false, the cause is the last error that the store has emitted', async t => {
  const emitter = new EventEmitter()
  const store = Object.assign(
    emitter,
    storeThat(() => false)
  )
  const { tokens } = processWith(store)
  emitter.emit('error', new Error('down'))
  await t.rejects(tokens.revokeAll('ada'), { ...DOWN, cause: { message: 'down' } })
})
