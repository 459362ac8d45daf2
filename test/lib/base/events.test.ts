// The events on the channels of node:diagnostics_channel, and the lines of the audit log.

import { type Channel, channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type FastifyRequest, LogController } from 'fastify'
import t from 'tap'
import { opaqueTokens } from '../../../lib/index.ts'
import { MemoryStore } from '../../../lib/stores/memory-store.ts'
import { stopClock } from '../../clock.ts'
import {
  ADA,
  bearer,
  collectLog,
  forge,
  host,
  listen,
  logIn,
  PASSWORD,
  portOf,
  throwing,
  until
} from '../../helpers.ts'
import { never } from '../limits/checkers.ts'
import { storeThat } from '../tokens/sessions.ts'

const fail = throwing('the store is down')

const eventsOf = ({ lines }: ReturnType<typeof collectLog>) =>
  lines.filter(({ event }) => event === 'login' || event === 'refusal')

const right = { fields: { username: 'ada', password: PASSWORD } }
const fieldsOf = (username: unknown, password: unknown) => ({ fields: { username, password } })

type Outcome = { outcome: string; username: string | null; user?: object }
const rejected = { outcome: 'rejected', username: 'ada' }

const logins: [what: string, overrides: object, payload: object | string, expected: Outcome][] = [
  ['that is accepted', {}, right, { outcome: 'accepted', username: 'ada', user: ADA }],
  [
    'that is accepted under another spelling',
    { checkCredentials: () => ADA },
    fieldsOf(' ADA ', 'x'),
    { outcome: 'accepted', username: 'ada', user: ADA }
  ],
  ['that is rejected', {}, fieldsOf('eve', 'x'), { outcome: 'rejected', username: 'eve' }],
  ['with an error of the host', { checkCredentials: () => ({ error: 'no' }) }, right, rejected],
  ['whose checker throws a 401', { checkCredentials: throwing('no', { status: 401 }) }, right, rejected],
  ['without a password', {}, fieldsOf('ada', ''), { outcome: 'incomplete', username: 'ada' }],
  ['without a username', {}, fieldsOf(undefined, 'x'), { outcome: 'incomplete', username: null }],
  ['whose body is not JSON', {}, '{', { outcome: 'malformed', username: null }],
  ['whose body is null', {}, 'null', { outcome: 'malformed', username: null }],
  ['that is too large', {}, fieldsOf('ada', 'x'.repeat(20_000)), { outcome: 'malformed', username: null }],
  ['whose username is a number', {}, fieldsOf(1, 'x'), { outcome: 'malformed', username: null }],
  ['whose password is a number', {}, fieldsOf('ada', 1), { outcome: 'malformed', username: 'ada' }]
]
for (const [what, overrides, payload, expected] of logins)
  t.test(`a login ${what} is published, and logged, with its outcome, name and address`, async t => {
    const log = collectLog()
    const app = await host(t, overrides, log)
    const events = listen(t, 'login')
    const headers = { 'content-type': 'application/json' }
    await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
    const published = events.map(event => ({ ...event }))
    t.strictSame(published, [{ address: '127.0.0.1', ...expected }])
    t.equal(events[0]?.request.url, '/auth/login')
    t.equal(events[0]?.cause, undefined)
    const { user: _, ...logged } = { event: 'login', address: '127.0.0.1', ...expected }
    const msg = `screen-auth: login ${expected.outcome}`
    t.match(eventsOf(log), [{ level: 30, msg, method: 'POST', route: '/auth/login', ...logged }])
  })

const failures: [what: string, overrides: object, code: string][] = [
  ['checker throws', { checkCredentials: fail }, 'FST_SCREEN_AUTH_LOGIN_FAILED'],
  ['menu factory throws', { mainMenu: fail }, 'FST_SCREEN_AUTH_SCREEN_FAILED'],
  ['token service throws', { tokens: { issue: fail, verify: fail } }, 'FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED'],
  ['checker times out', { checkCredentials: never, checks: { timeout: 1 } }, 'FST_SCREEN_AUTH_LOGIN_TIMED_OUT']
]
for (const [what, overrides, code] of failures)
  t.test(`a login whose ${what} is published and logged once as failed, with the cause`, async t => {
    const clock = stopClock(t)
    const log = collectLog()
    const app = await host(t, overrides, log)
    const events = listen(t, 'login')
    await clock.during(logIn(app), 50)
    t.match(events, [{ outcome: 'failed', username: 'ada', cause: { code } }])
    t.match(eventsOf(log), [{ level: 50, msg: 'screen-auth: login failed', outcome: 'failed', err: { code } }])
    t.strictSame([events.length, eventsOf(log).length], [1, 1])
  })

for (const [status, outcome] of [
  [429, 'blocked'],
  [403, 'malformed'],
  [503, 'failed']
] as const)
  t.test(`a login that a hook of the host refuses with ${status} is published as ${outcome}`, async t => {
    const app = await host(t)
    app.addHook('preHandler', async () => throwing('no', { statusCode: status })())
    const events = listen(t, 'login')
    await logIn(app)
    t.match(events, [{ outcome, username: 'ada' }])
    t.equal(events.length, 1)
  })

t.test('an accepted login whose onSend hook throws is published as accepted and then as failed', async t => {
  const app = await host(t)
  app.addHook('onSend', async () => fail())
  const events = listen(t, 'login')
  await logIn(app)
  t.match(events, [{ outcome: 'accepted' }, { outcome: 'failed', cause: { message: 'the store is down' } }])
})

t.test('a login is published before the message function is called', async t => {
  const app = await host(t, { message: () => `after ${events.length}` })
  const events = listen(t, 'login')
  const login = await logIn(app, { username: 'ada', password: 'x' })
  t.equal(login.json().error, 'after 1')
})

t.test('a blocked login is published, and logged, with the seconds to wait', async t => {
  const log = collectLog()
  const app = await host(t, { throttle: { usernameAndAddress: { failures: 1, seconds: 60 } } }, log)
  const events = listen(t, 'login')
  await logIn(app, { username: 'ada', password: 'x' })
  await logIn(app)
  for (const all of [events, eventsOf(log)]) {
    t.match(all, [{ outcome: 'rejected' }, { outcome: 'blocked', username: 'ada', retryAfter: 60 }])
    t.notOk('retryAfter' in (all[0] as object))
  }
})

t.test('a login whose client disconnects during the body is published as abandoned', async t => {
  const app = await host(t, { checks: { timeout: 1 } })
  const events = listen(t, 'login')
  const socket = connect(await portOf(app), '127.0.0.1')
  const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 100'
  socket.write(`POST /auth/login HTTP/1.1\r\n${head}\r\n\r\n{"fields":`)
  await once(app.server, 'request')
  socket.destroy()
  await until(() => events.length > 0)
  t.match(events, [{ outcome: 'abandoned', username: null, address: '127.0.0.1' }])
})

t.test('a refusal is published and logged with its reason, and without its query', async t => {
  const log = collectLog()
  const app = await host(t, {}, log)
  const events = listen(t, 'refusal')
  await app.inject('/screen?key=in-the-query')
  await app.inject({ url: '/screen', headers: { authorization: 'Basic bearer x' } })
  await app.inject({ url: '/screen', headers: bearer('bad') })
  await app.inject({ url: '/nowhere', headers: bearer(forge({})) })
  await app.inject({ url: '/screen', headers: bearer(forge()) })
  t.strictSame(
    events.map(({ reason, address, request }) => [reason, address, request.url]),
    [
      ['missing', '127.0.0.1', '/screen?key=in-the-query'],
      ['missing', '127.0.0.1', '/screen'],
      ['invalid', '127.0.0.1', '/screen'],
      ['invalid', '127.0.0.1', '/nowhere']
    ]
  )
  const refusal = { level: 30, event: 'refusal', address: '127.0.0.1', method: 'GET', username: null }
  const missing = { ...refusal, msg: /refused, token missing$/, reason: 'missing' }
  const invalid = { ...refusal, msg: /refused, token invalid$/, reason: 'invalid' }
  const other = { ...missing, msg: /refused, token missing: the Authorization header has no `Bearer` token$/ }
  t.match(eventsOf(log), [missing, other, { ...invalid, route: '/screen' }, { ...invalid, route: null }])
  t.notMatch(JSON.stringify(eventsOf(log)), /in-the-query|bearer x/)
})

t.test('a refusal because the token service throws is published and logged as unavailable', async t => {
  const log = collectLog()
  const app = await host(t, { tokens: { issue: fail, verify: fail } }, log)
  const events = listen(t, 'refusal')
  await app.inject({ url: '/screen', headers: bearer('x') })
  t.match(events, [{ reason: 'unavailable' }])
  const err = { code: 'FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED' }
  t.match(eventsOf(log), [{ level: 50, msg: 'screen-auth: the token service failed', reason: 'unavailable', err }])
})

t.test('a listener that subscribes right after a garbage collection receives all events', async t => {
  setFlagsFromString('--expose-gc')
  const app = await host(t)
  await logIn(app)
  await sleep(0)
  runInNewContext('gc')()
  const events = listen(t, 'login')
  // Gives Node time for its clean-up after the garbage collection.
  await sleep(50)
  await logIn(app)
  t.equal(events.length, 1)
})

t.test('opaque tokens publish the start and the end of sessions in each process', async t => {
  stopClock(t)
  const store = new MemoryStore()
  const app = await host(t, { tokens: opaqueTokens({ store }) })
  const events = listen(t, 'session')
  const { token } = (await logIn(app)).json()
  await app.inject({ url: '/screen', headers: bearer(token) })
  const another = opaqueTokens({ store, lifetime: 60 })
  await another.revoke(token)
  await another.revokeAll(`\u001b${'x'.repeat(1000)}`)
  const session = { username: 'ada', id: another.idOf(token), expires: Date.now() + 86_400_000 }
  t.strictSame(events, [
    { outcome: 'started', ...session },
    { outcome: 'ended', ...session },
    { outcome: 'all-ended', username: `\\u{1b}${'x'.repeat(127)}` }
  ])
  const names = events.map(({ user }) => user.username)
  t.strictSame(names, ['ada', 'ada', `\u001b${'x'.repeat(1000)}`])
  t.match(events[0], { request: { url: '/auth/login' } })
  t.notMatch(inspect(events), token)
})

t.test("a revocation without a session, or without the store's confirmation, publishes no end", async t => {
  const events = listen(t, 'session')
  const tokens = opaqueTokens()
  const token = await tokens.issue(ADA)
  await tokens.revoke(token)
  await tokens.revoke(token)
  await tokens.revoke('x'.repeat(67))
  const broken = opaqueTokens({ store: storeThat(fail) })
  await t.rejects(broken.revoke('x'.repeat(67)))
  await t.rejects(broken.revokeAll('ada'))
  t.match(events, [{ outcome: 'started', request: null }, { outcome: 'ended' }])
  t.equal(events.length, 2)
})

for (const [kind, tokens] of Object.entries({ JWT: undefined, opaque: opaqueTokens() }))
  t.test(
    `neither the log nor an event contains a password or a ${kind} token, even one in an error of the host`,
    async t => {
      const log = collectLog()
      const checkCredentials = ({ username, password }: Record<string, string>) => {
        if (username === 'eve') throw Object.assign(new Error('query failed'), { parameters: [password] })
        return password === PASSWORD ? ADA : null
      }
      const logger = { ...log.logger, level: 'trace' }
      const app = await host(t, { checkCredentials, tokens }, { ...log, logger } as object)
      const logins = listen(t, 'login')
      const events = [logins, listen(t, 'refusal'), listen(t, 'session')]
      const { token } = (await logIn(app)).json()
      for (const username of ['ada', 'eve']) await logIn(app, { username, password: 'wrong-password' })
      for (const sent of [token, forge({}), 'bad-token']) await app.inject({ url: '/screen', headers: bearer(sent) })
      const counts = events.map(({ length }) => length)
      t.strictSame(counts, [3, 2, kind === 'JWT' ? 0 : 1])
      t.match(logins[2]?.cause, { cause: { parameters: ['wrong-password'] } })
      const text = log.text() + JSON.stringify(events) + inspect(events, { depth: null })
      for (const secret of [PASSWORD, 'wrong-password', ...token.split('.').slice(-1), forge({}), 'bad-token'])
        t.notOk(text.includes(secret), secret)
    }
  )

t.test('a login without a listener publishes nothing', async t => {
  const app = await host(t)
  const login: Channel = channel('fastify-screen-auth.login')
  t.equal(login.hasSubscribers, false)
  login.publish = () => t.fail('published')
  t.teardown(() => Reflect.deleteProperty(login, 'publish'))
  t.equal((await logIn(app)).json().success, true)
})

t.test('a listener that throws changes no response, and Node reports its error', async t => {
  const app = await host(t)
  const uncaught: unknown[] = []
  process.setUncaughtExceptionCaptureCallback(error => uncaught.push(error))
  t.teardown(() => process.setUncaughtExceptionCaptureCallback(null))
  for (const name of ['login', 'refusal']) {
    subscribe(`fastify-screen-auth.${name}`, fail)
    t.teardown(() => unsubscribe(`fastify-screen-auth.${name}`, fail))
  }
  t.equal((await logIn(app)).json().success, true)
  t.equal((await app.inject('/screen')).statusCode, 401)
  await until(() => uncaught.length === 2)
})

t.test('the address of a refused request is logged even if the client has disconnected', async t => {
  const log = collectLog()
  const verify = (_: string, { raw }: FastifyRequest) => {
    socket.destroy()
    return once(raw.socket, 'close').then(() => null)
  }
  // Fastify's own log is off: it reads the address early, and Node then caches it.
  const logController = new LogController({ disableRequestLogging: true })
  const app = await host(t, { tokens: { issue: () => 'x', verify } }, { ...log, logController })
  const socket = connect(await portOf(app), '127.0.0.1')
  socket.write('GET /screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n')
  await until(() => eventsOf(log).length > 0)
  t.match(eventsOf(log), [{ msg: /request refused/, address: '127.0.0.1' }])
})

t.test('usernames and addresses are truncated and escaped, in the log and in events', async t => {
  const log = collectLog()
  const app = await host(t, {}, { ...log, trustProxy: true })
  const events = listen(t, 'login')
  const rest = 'é'.repeat(1_000)
  const username = `a\u001b[31m\r\n\u0007\u007f\u009b2J\u202eb\u2066\u200f\u2028\u{e0001}${rest}`
  await app.inject({
    method: 'POST',
    url: '/auth/login',
    headers: { 'x-forwarded-for': `\u009b1m${'x'.repeat(10_000)}` },
    payload: { fields: { username, password: 'x' } }
  })
  const escaped = 'a\\u{1b}[31m\\u{d}\\u{a}\\u{7}\\u{7f}\\u{9b}2J\\u{202e}b\\u{2066}\\u{200f}\\u{2028}\\u{e0001}'
  const expected = {
    username: `${escaped}${rest.slice(0, 108)}`,
    address: `\\u{9b}1m${'x'.repeat(125)}`
  }
  for (const { username, address } of [...events, ...eventsOf(log)]) t.strictSame({ username, address }, expected)
  t.equal(events.length + eventsOf(log).length, 2)
})
