import { once } from 'node:events'
import t from 'tap'
import { turns } from '../../clock.ts'
import { ADA, deferred, host, until } from '../../helpers.ts'
import {
  attempt,
  clientsOf,
  countingHost,
  type Fields,
  heldChecks,
  loginOf,
  never,
  RIGHT,
  repeat,
  storeWith,
  userOf
} from './attempts.ts'

t.test('a check whose client disconnects keeps its turn until it ends', async t => {
  const { checkCredentials, open, release } = heldChecks()
  const app = await host(t, { checkCredentials, checks: { concurrency: 1, timeout: 300 } })
  const { sendLogin, hangUp } = await clientsOf(app)
  await hangUp(await sendLogin('gone'))
  const next = attempt(app, { ...RIGHT, username: 'next' })
  await turns()
  t.equal(open.length, 1)
  release()
  t.equal((await next).success, true)
})

for (const outcome of ['a right password', 'a wrong password', 'an error', 'an error with 503', 'a check without end'])
  t.test(`${outcome} counts as a failure if the client has left before`, async t => {
    const { promise, resolve } = deferred()
    const checkCredentials = async (fields: Fields) => {
      if (userOf(fields) === null) return null
      await (outcome === 'a check without end' ? never() : promise)
      if (/error/.test(outcome)) throw Object.assign(new Error('no'), { statusCode: Number(outcome.slice(-3)) })
      return outcome === 'a right password' ? ADA : null
    }
    const throttle = { address: { failures: 2, seconds: 60 } }
    const app = await host(t, { checkCredentials, throttle, checks: { timeout: 1 } })
    const { send, hangUp } = await clientsOf(app)
    await hangUp(await send(loginOf('ada', RIGHT.password)))
    resolve()
    await turns()
    for (const isBlocked of [false, true])
      t.match(await attempt(app, { address: '127.0.0.1', username: 'eve' }), { statusCode: 200, isBlocked })
  })

t.test('clients that always disconnect get ten checks, although the checker rejects with the signal', async t => {
  // As with `fetch`: the password has been checked somewhere else by then.
  const checkCredentials = async (...[, , signal]: [Fields, object?, AbortSignal?]) => {
    await once(signal as AbortSignal, 'abort')
    throw signal?.reason
  }
  const { app, checks } = await countingHost(t, { checkCredentials })
  app.get('/again', async request => app.screenAuth.reauthenticate(request, 'x'))
  const { sendLogin, send, hangUp } = await clientsOf(app)
  const token = await app.screenAuth.issueToken(ADA)
  const again = `GET /again HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  await repeat(8, async () => hangUp(await sendLogin('ada')))
  await repeat(8, async () => hangUp(await send(again)))
  t.equal(checks(), 10)
})

t.test('a login whose client disconnects while the store is asked is not checked, and does not count', async t => {
  const { promise, resolve } = deferred()
  let asked = 0
  const store = storeWith(async (call, name) => {
    if (name === 'take' && asked++ === 0) await promise
    return call()
  })
  const { app, checks } = await countingHost(t, { throttle: { store, address: { failures: 1, seconds: 60 } } })
  const { sendLogin, hangUp } = await clientsOf(app)
  await hangUp(await sendLogin('gone'))
  resolve()
  await turns()
  t.equal(checks(), 0)
  t.equal((await attempt(app, { ...RIGHT, address: '127.0.0.1' })).success, true)
})

t.test('a waiting login whose client disconnects is not checked, and frees its place at once', async t => {
  const { checkCredentials, open, release } = heldChecks()
  const checked: unknown[] = []
  const note = (fields: Fields) => checked.push(fields.username) && checkCredentials(fields)
  const app = await host(t, { checkCredentials: note, checks: { concurrency: 1, waiting: 2, timeout: 300 } })
  const { sendLogin, hangUp } = await clientsOf(app)
  // Different addresses, because one network gets at most half of the places.
  const logInFrom = (address: string) => attempt(app, { ...RIGHT, username: address, address })
  const first = logInFrom('192.0.2.1')
  await until(() => open.length === 1)
  const second = logInFrom('192.0.2.2')
  await turns()
  const socket = await sendLogin('gone')
  t.equal((await logInFrom('192.0.2.3')).statusCode, 503, 'it has the last place')
  await hangUp(socket)
  const third = logInFrom('192.0.2.4')
  await turns()
  release()
  for (const login of [first, second, third]) t.equal((await login).success, true)
  t.strictSame(checked, ['192.0.2.1', '192.0.2.2', '192.0.2.4'])
})

t.test('a login that waits for the check of another ends its turn when its client disconnects', async t => {
  const { checkCredentials, open, release } = heldChecks(({ username }) => username === 'held')
  const throttle = { address: { failures: 1, seconds: 60 } }
  const app = await host(t, { checkCredentials, throttle, checks: { concurrency: 2, timeout: 300 } })
  const { sendLogin, hangUp } = await clientsOf(app)
  const held = attempt(app, { ...RIGHT, username: 'held', address: '127.0.0.1' })
  await until(() => open.length === 1)
  await hangUp(await sendLogin('gone'))
  t.equal((await attempt(app, { ...RIGHT, username: 'next' })).success, true)
  release()
  t.equal((await held).success, true)
})
