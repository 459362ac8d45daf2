import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import type { preParsingHookHandler } from 'fastify'
import t, { type Test } from 'tap'
import screenAuth from '../../../lib/index.ts'
import { stopClock, timers, turns } from '../../clock.ts'
import {
  ADA,
  collectLog,
  collectWarnings,
  deferred,
  emptyHost,
  host,
  logIn,
  MENU,
  options,
  portOf,
  until
} from '../../helpers.ts'
import { talk } from '../../hosts/closed.ts'
import { attempt, clientsOf, countingHost, loginOf, RIGHT, repeat, storeWith, together } from '../limits/attempts.ts'
import { type Fields, heldChecks, never, userOf } from '../limits/checkers.ts'

function menuRequestOf(token: string): string {
  return `GET /menu/main HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

const HTTP2 = { http2: true } as object

function http2Client(t: Test, port: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  t.teardown(() => session.destroy())
  return session
}

t.test('a login whose client disconnects during a slow hook of the host is not checked, and ends at once', async t => {
  const log = collectLog()
  const app = await host(t, { checkCredentials: () => t.fail('checked'), checks: { timeout: 300 } }, log)
  app.addHook('preHandler', async ({ raw }) => void (await once(raw.socket, 'close')))
  const { send } = await clientsOf(app)
  const socket = await send(loginOf('gone'))
  socket.destroy()
  const ends = () => log.lines.filter(({ event }) => event === 'login')
  await until(() => ends().length > 0)
  t.match(ends(), [{ msg: 'screen-auth: login abandoned', username: 'gone' }])
})

t.test('pipelined logins of a client that has disconnected are not checked and get no token', async t => {
  let issued = 0
  const tokens = { issue: () => `token-${++issued}`, verify: () => null }
  const warnings = collectWarnings(t)
  const log = collectLog()
  const { checkCredentials, release } = heldChecks()
  const { app, checks } = await countingHost(t, { checkCredentials, tokens }, log)
  const { send, hangUp } = await clientsOf(app)
  const socket = await send(loginOf('ada').repeat(20), 20)
  await until(() => checks() === 3)
  await hangUp(socket)
  release()
  await turns()
  t.strictSame([checks(), issued, warnings], [3, 0, []])
  t.strictSame(log.warnings(), [])
})

type Note = (_: object, __: object, signal: AbortSignal) => Promise<unknown>

const cases: [string, (note: Note) => object, (token: string) => string][] = [
  ['the checker', note => ({ checkCredentials: note }), () => loginOf('ada')],
  ['the menu factory at the login', note => ({ checkCredentials: () => ADA, mainMenu: note }), () => loginOf('ada')],
  ['the menu factory after the login', note => ({ mainMenu: note }), menuRequestOf]
]
for (const [name, overridesOf, requestOf] of cases)
  t.test(`the signal of ${name} aborts when the client disconnects`, async t => {
    const given: AbortSignal[] = []
    const note: Note = async (_, __, signal) => given.push(signal) && once(signal, 'abort')
    const app = await host(t, overridesOf(note))
    const { send, hangUp } = await clientsOf(app)
    const socket = await send(requestOf(await app.screenAuth.issueToken(ADA)))
    await until(() => given.length > 0)
    await hangUp(socket)
    t.match(given, [{ aborted: true, reason: { code: 'FST_SCREEN_AUTH_CLIENT_GONE' } }])
  })

t.test('each HTTP/2 stream has its own signal for the menu factory', async t => {
  const signals = new Map<string, AbortSignal>()
  const mainMenu = (_: unknown, request: { headers: Record<string, string> }, signal: AbortSignal) => {
    signals.set(request.headers['x-name'] as string, signal)
    return never()
  }
  const app = await host(t, { mainMenu }, HTTP2)
  const session = http2Client(t, await portOf(app))
  const authorization = `Bearer ${await app.screenAuth.issueToken(ADA)}`
  const [gone, stays] = ['gone', 'stays'].map(name =>
    session.request({ ':path': '/menu/main', authorization, 'x-name': name }).on('error', () => {})
  )
  await until(() => signals.size === 2)
  gone?.close(8)
  await until(() => signals.get('gone')?.aborted === true)
  await turns()
  t.equal(signals.get('stays')?.aborted, false)
  stays?.destroy()
})

t.test('each request of a connection has its own signal, which does not abort after the response', async t => {
  const signals = new Set<AbortSignal>()
  const mainMenu = (_: unknown, __: unknown, signal: AbortSignal) => signals.add(signal) && MENU
  const app = await host(t, { mainMenu })
  const { send, hangUp } = await clientsOf(app)
  const request = menuRequestOf(await app.screenAuth.issueToken(ADA))
  const socket = await send(request)
  // Data that has already arrived is buffered until a listener is added.
  await once(socket, 'data')
  socket.write(request)
  await once(socket, 'data')
  await hangUp(socket)
  const aborted = [...signals].map(({ aborted }) => aborted)
  t.strictSame(aborted, [false, false])
})

// What the limits do when a client leaves.

t.test('a check without end, whose client has left, does not keep the process alive', async t => {
  const app = await host(t, { checkCredentials: never })
  const { sendLogin, hangUp } = await clientsOf(app)
  const before = timers()
  await hangUp(await sendLogin('gone'))
  t.equal(timers(), before)
})

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

// The timeout of a login.

for (const seconds of [9.999, 10])
  t.test(`the signal of a check that takes ${seconds} s ${seconds < 10 ? 'does not abort' : 'aborts'}`, async t => {
    const clock = stopClock(t)
    const { checkCredentials, open, release } = heldChecks()
    let signal: AbortSignal | undefined
    const app = await host(t, {
      checkCredentials: (fields: Fields, _: object, given: AbortSignal) => {
        signal = given
        return checkCredentials(fields)
      }
    })
    const login = attempt(app, RIGHT)
    await until(() => open.length === 1)
    clock.tick(seconds)
    release()
    t.equal((await login).success, seconds < 10)
    clock.tick(10)
    t.equal(signal?.reason?.code, seconds < 10 ? undefined : 'FST_SCREEN_AUTH_LOGIN_TIMED_OUT')
  })

for (const [late, steps] of [
  ['checker', ['check']],
  ['menu factory', ['check', 'menu']],
  ['token service', ['check', 'menu', 'token']]
] as const)
  t.test(`a login whose ${late} takes too long gets 503, and stops there`, async t => {
    const clock = stopClock(t)
    const log = collectLog()
    const done: string[] = []
    const step = async <T>(name: string, value: T) => {
      if (name === steps.at(-1)) await clock.sleep(1.2)
      done.push(name)
      return value
    }
    const overrides = {
      checkCredentials: () => step('check', ADA),
      mainMenu: () => step('menu', MENU),
      tokens: { issue: () => step('token', 'x'), verify: () => null },
      checks: { timeout: 1 }
    }
    const response = await clock.during(logIn(await host(t, overrides, log)))
    t.equal(response.statusCode, 503)
    t.match(response.headers, { 'retry-after': '5' })
    t.match(response.json(), { success: false, token: null, error: /Try again later/, screen: null })
    const [failure] = log.lines.filter(({ level }) => level === 50)
    t.match(failure, { err: { message: /took too long; see what checkCredentials, mainMenu, tokens.issue, / } })
    await clock.during(clock.sleep(0.4))
    t.strictSame(done, steps)
    t.notOk(log.lines.some(({ msg }) => msg === 'screen-auth: login accepted'))
  })

t.test('the timeout starts when the login arrives, and includes its waiting', async t => {
  const clock = stopClock(t)
  const checkCredentials = () => clock.sleep(0.7).then(() => ADA)
  const { app, checks } = await countingHost(t, { checkCredentials, checks: { concurrency: 1, timeout: 1 } })
  const logins = await clock.during(together(3, i => attempt(app, { username: `user-${i}` })))
  const statuses = logins.map(({ statusCode }) => statusCode)
  t.strictSame(statuses, [200, 503, 503])
  await clock.during(clock.sleep(0.5))
  t.equal(checks(), 2)
})

for (const hook of ['onRequest', 'preHandler', 'onSend'] as const)
  t.test(`a ${hook} hook takes no time from the check`, async t => {
    const clock = stopClock(t)
    const log = collectLog()
    const checkCredentials = () => clock.sleep(0.9).then(() => ADA)
    const app = emptyHost(t, log)
    app.addHook(hook as 'onRequest', () => clock.sleep(0.9))
    await app.register(screenAuth, options({ checkCredentials, checks: { timeout: 1 } }))
    const login = await clock.during(logIn(app))
    t.match([login.statusCode, login.json()], [200, { success: true }])
    t.strictSame(log.warnings(), [])
  })

for (const hook of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const)
  for (const isAsync of [true, false])
    t.test(`a login that waits in a ${hook} hook, async: ${isAsync}, gets a 503 and is not checked later`, async t => {
      const { promise, resolve } = deferred()
      const log = collectLog()
      const app = emptyHost(t, log)
      const wait = (...args: unknown[]) => (isAsync ? promise : void promise.then(args.at(-1) as () => void))
      app.addHook(hook as 'preHandler', wait as never)
      const checkCredentials = () => t.fail('checked')
      await app.register(screenAuth, options({ checkCredentials, checks: { timeout: 1 } }))
      const login = loginOf('ada').replace('Host: x', 'Host: x\r\nConnection: close')
      t.match(await talk(app, login), /^HTTP\/1.1 503 .*{"success":false,"token":null,/s)
      resolve()
      await turns()
      t.strictSame(log.warnings(), ['screen-auth: login failed'])
    })

t.test('an HTTP/2 login whose body does not arrive gets a 408 without a Connection header', async t => {
  const clock = stopClock(t)
  const warnings = collectWarnings(t)
  const app = await host(t, {}, HTTP2)
  const session = http2Client(t, await portOf(app))
  const login = session.request({ ':method': 'POST', ':path': '/auth/login', 'content-type': 'application/json' })
  const [headers] = await clock.during(once(login, 'response'), 100)
  t.strictSame([headers[':status'], headers.connection, warnings], [408, undefined, []])
  login.destroy()
  await until(() => login.closed)
  // The server closes its side later.
  await turns()
})

t.test('a malformed login whose response waits for that to an earlier request gets no second response', async t => {
  const clock = stopClock(t)
  const log = collectLog()
  const { promise, resolve } = deferred()
  const app = await host(t, {}, log)
  app.get('/slow', { config: { screenAuth: false } }, () => promise)
  const { send } = await clientsOf(app)
  await send(`GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${loginOf('ada').replace('application/json', 'text/plain')}`)
  await until(() => log.lines.some(({ outcome }) => outcome === 'malformed'))
  clock.tick(11)
  resolve()
  t.strictSame(log.warnings(), [])
})

t.test('a login leaves no timer behind: accepted, malformed, or answered by a preParsing hook of the host', async t => {
  let during = 0
  const checkCredentials = () => {
    during = timers()
    return ADA
  }
  const app = emptyHost(t)
  app.addHook('onRoute', route => {
    const close: preParsingHookHandler = (request, reply, body, done) =>
      request.headers['x-closed'] ? reply.send('closed') : done(null, body)
    route.preParsing = [route.preParsing ?? [], close].flat()
  })
  await app.register(screenAuth, options({ checkCredentials, throttle: { store: storeWith() } }))
  await app.ready()
  const before = timers()
  t.equal((await logIn(app)).statusCode, 200)
  for (const payload of ['x', {}]) await app.inject({ method: 'POST', url: '/auth/login', payload })
  await app.inject({ method: 'POST', url: '/auth/login', payload: {}, headers: { 'x-closed': '1' } })
  await turns()
  t.ok(during > before)
  t.equal(timers(), before)
})
