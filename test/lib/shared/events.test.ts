// What a host learns on the channels of node:diagnostics_channel.

import { type Channel, channel, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { inspect } from 'node:util'
import { Keyv } from 'keyv'
import t, { type Test } from 'tap'
import { type LoginEvent, opaqueTokens, type RefusalEvent, type SessionEvent } from '../../../lib/index.ts'
import { ADA, bearer, collectLog, forge, host, logIn, PASSWORD, until } from '../../helpers.ts'
import { heldChecks, never } from '../limits/attempts.ts'
import { clientsOf } from '../limits/clients.ts'
import { stopClock } from '../limits/clock.ts'

/** Collects what is published on a channel during a test. */
function listen<Event>(t: Test, name: 'login' | 'refusal' | 'session'): Event[] {
  const events: Event[] = []
  const listener = (event: unknown) => void events.push(event as Event)
  subscribe(`fastify-screen-auth.${name}`, listener)
  t.teardown(() => unsubscribe(`fastify-screen-auth.${name}`, listener))
  return events
}

const fail = () => {
  throw new Error('the store is down')
}

t.test('an accepted login is published with its user, address and request', async t => {
  const app = await host(t)
  const events = listen<LoginEvent>(t, 'login')
  await logIn(app)
  const [event] = events as [LoginEvent]
  t.strictSame({ ...event }, { outcome: 'accepted', username: 'ada', address: '127.0.0.1', user: ADA })
  t.equal(event.request.url, '/auth/login')
  t.equal(events.length, 1)
})

t.test('an accepted login has the name of the user, and not as it was typed', async t => {
  const app = await host(t, { checkCredentials: () => ADA })
  const events = listen<LoginEvent>(t, 'login')
  await logIn(app, { username: ' ADA ', password: 'x' })
  t.equal(events[0]?.username, 'ada')
})

t.test('a rejected login is published with the name that was tried', async t => {
  const app = await host(t)
  const events = listen<LoginEvent>(t, 'login')
  await logIn(app, { username: 'eve', password: 'x' })
  t.strictSame(
    events.map(event => ({ ...event })),
    [{ outcome: 'rejected', username: 'eve', address: '127.0.0.1' }]
  )
})

t.test('a blocked login is published with the seconds to wait', async t => {
  const app = await host(t, { throttle: { usernameAndAddress: { failures: 1, seconds: 60 } } })
  const events = listen<LoginEvent>(t, 'login')
  await logIn(app, { username: 'ada', password: 'x' })
  await logIn(app)
  t.match(events, [{ outcome: 'rejected' }, { outcome: 'blocked', username: 'ada', retryAfter: 60 }])
})

t.test('a login without a username or a password is published as incomplete', async t => {
  const app = await host(t)
  const events = listen<LoginEvent>(t, 'login')
  await logIn(app, { username: 'ada', password: '' })
  await logIn(app, { password: 'x' })
  t.match(events, [
    { outcome: 'incomplete', username: 'ada' },
    { outcome: 'incomplete', username: null }
  ])
})

for (const [what, payload, username] of [
  ['no JSON', '{', null],
  ['too large', { fields: { username: 'ada', password: 'x'.repeat(20_000) } }, null],
  ['null', 'null', null],
  ['a username that is a number', { fields: { username: 1, password: 'x' } }, null],
  ['a password that is a number', { fields: { username: 'ada', password: 1 } }, 'ada']
] as const)
  t.test(`a login whose body is ${what} is published as malformed, without a cause`, async t => {
    const app = await host(t)
    const events = listen<LoginEvent>(t, 'login')
    const headers = { 'content-type': 'application/json' }
    await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
    t.strictSame(
      events.map(event => ({ ...event })),
      [{ outcome: 'malformed', username, address: '127.0.0.1' }]
    )
  })

for (const [status, outcome] of [
  [429, 'blocked'],
  [403, 'malformed'],
  [503, 'failed']
] as const)
  t.test(`a login that a hook of the host refuses with ${status} is published as ${outcome}`, async t => {
    const app = await host(t)
    app.addHook('preHandler', async () => {
      throw Object.assign(new Error('no'), { statusCode: status })
    })
    const events = listen<LoginEvent>(t, 'login')
    await logIn(app)
    t.match(events, [{ outcome, username: 'ada' }])
    t.equal(events.length, 1)
  })

t.test('a login is published as overloaded when too many wait', async t => {
  const checks = heldChecks()
  const limits = { concurrency: 1, waiting: 0, timeout: 300 }
  const app = await host(t, { checkCredentials: checks.checkCredentials, checks: limits })
  const events = listen<LoginEvent>(t, 'login')
  const first = logIn(app)
  await until(() => checks.open.length === 1)
  await logIn(app, { username: 'eve', password: 'x' })
  t.match(events, [{ outcome: 'overloaded', username: 'eve', cause: { code: 'FST_SCREEN_AUTH_OVERLOADED' } }])
  checks.letGo()
  await first
})

t.test('a login whose client has gone is published as abandoned', async t => {
  const app = await host(t, { checkCredentials: never })
  const events = listen<LoginEvent>(t, 'login')
  const clients = await clientsOf(app)
  await clients.hangUp(await clients.sendLogin('ada'))
  await until(() => events.length > 0)
  t.match(events, [{ outcome: 'abandoned', username: 'ada', address: '127.0.0.1' }])
})

t.test('a login whose client goes in the middle of its body is published as abandoned', async t => {
  const app = await host(t)
  const events = listen<LoginEvent>(t, 'login')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 100'
  socket.write(`POST /auth/login HTTP/1.1\r\n${head}\r\n\r\n{"fields":`)
  await once(app.server, 'request')
  socket.destroy()
  await until(() => events.length > 0)
  t.match(events, [{ outcome: 'abandoned', username: null, address: '127.0.0.1' }])
})

t.test(
  'a login that a hook of the host spoils after it was accepted is published as failed, too',
  async t => {
    const app = await host(t)
    app.addHook('onSend', async () => fail())
    const events = listen<LoginEvent>(t, 'login')
    await logIn(app)
    t.match(events, [{ outcome: 'accepted' }, { outcome: 'failed', cause: { message: 'the store is down' } }])
  }
)

for (const [what, overrides, code] of [
  ['checker throws', { checkCredentials: fail }, 'FST_SCREEN_AUTH_LOGIN_FAILED'],
  ['menu cannot be made', { mainMenu: fail }, 'FST_SCREEN_AUTH_SCREEN_FAILED'],
  [
    'token service is down',
    { tokens: { issue: fail, verify: fail } },
    'FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED'
  ],
  ['store of the throttle is down', { throttle: { store: brokenStore } }, 'FST_SCREEN_AUTH_THROTTLE_FAILED']
] as const)
  t.test(`a login whose ${what} is published as failed, with the cause`, async t => {
    const app = await host(t, overrides)
    const events = listen<LoginEvent>(t, 'login')
    await logIn(app)
    t.match(events, [{ outcome: 'failed', username: 'ada', cause: { code } }])
    t.equal(events.length, 1)
  })

function brokenStore() {
  return { get: fail, penalty: fail, reward: fail, block: fail, delete: fail }
}

t.test('a login that takes too long is published as failed, once', async t => {
  const clock = stopClock(t)
  const app = await host(t, { checkCredentials: never, checks: { timeout: 1 } })
  const events = listen<LoginEvent>(t, 'login')
  await clock.during(logIn(app))
  t.match(events, [{ outcome: 'failed', cause: { code: 'FST_SCREEN_AUTH_LOGIN_TIMED_OUT' } }])
  t.equal(events.length, 1)
})

t.test('a refusal is published with its reason and request', async t => {
  const app = await host(t)
  const events = listen<RefusalEvent>(t, 'refusal')
  await app.inject('/screen')
  await app.inject({ url: '/screen', headers: { authorization: 'Basic YTpi' } })
  await app.inject({ url: '/screen', headers: bearer('bad') })
  await app.inject({ url: '/nowhere', headers: bearer(forge({})) })
  t.strictSame(
    events.map(({ reason, address, request }) => ({ reason, address, url: request.url })),
    [
      { reason: 'missing', address: '127.0.0.1', url: '/screen' },
      { reason: 'missing', address: '127.0.0.1', url: '/screen' },
      { reason: 'invalid', address: '127.0.0.1', url: '/screen' },
      { reason: 'invalid', address: '127.0.0.1', url: '/nowhere' }
    ]
  )
})

t.test('a refusal because the store of the tokens is down is published as unavailable', async t => {
  const app = await host(t, { tokens: { issue: fail, verify: fail } })
  const events = listen<RefusalEvent>(t, 'refusal')
  await app.inject({ url: '/screen', headers: bearer('x') })
  t.match(events, [{ reason: 'unavailable' }])
})

t.test('nothing is published for a request that passes', async t => {
  const app = await host(t)
  const { token } = (await logIn(app)).json()
  const logins = listen(t, 'login')
  const refusals = listen(t, 'refusal')
  await app.inject({ url: '/screen', headers: bearer(token) })
  await app.inject('/auth/login')
  t.strictSame([logins, refusals], [[], []])
})

t.test('opaque tokens publish the start and the end of sessions', async t => {
  const tokens = opaqueTokens({ store: new Keyv() })
  const app = await host(t, { tokens })
  const events = listen<SessionEvent>(t, 'session')
  const { token } = (await logIn(app)).json()
  await app.inject({ url: '/screen', headers: bearer(token) })
  await tokens.revoke(token)
  await tokens.revokeAll('ada')
  t.strictSame(events, [
    { outcome: 'started', username: 'ada' },
    { outcome: 'ended', username: 'ada' },
    { outcome: 'all-ended', username: 'ada' }
  ])
})

t.test('the end of a session has its username in another process, too', async t => {
  const store = new Keyv()
  const token = await opaqueTokens({ store }).issue(ADA)
  const events = listen<SessionEvent>(t, 'session')
  await opaqueTokens({ store }).revoke(token)
  t.strictSame(events, [{ outcome: 'ended', username: 'ada' }])
})

t.test('to end a session that is not there publishes nothing', async t => {
  const tokens = opaqueTokens({ store: new Keyv() })
  const token = await tokens.issue(ADA)
  await tokens.revoke(token)
  const events = listen<SessionEvent>(t, 'session')
  await tokens.revoke(token)
  await tokens.revoke('x'.repeat(67))
  t.strictSame(events, [])
})

t.test('an end that the store has not confirmed is not published', async t => {
  const tokens = opaqueTokens({ store: { get: fail, set: fail, delete: fail } })
  const events = listen<SessionEvent>(t, 'session')
  await t.rejects(tokens.revoke('x'.repeat(67)))
  await t.rejects(tokens.revokeAll('ada'))
  t.strictSame(events, [])
})

t.test('who stores or prints an event gets no password and no token', async t => {
  const app = await host(t, { tokens: opaqueTokens({ store: new Keyv() }) })
  const events = ['login', 'refusal', 'session'].map(name => listen<object>(t, name as 'login'))
  const { token } = (await logIn(app)).json()
  await logIn(app, { username: 'ada', password: 'wrong-password' })
  await app.inject({ url: '/screen', headers: bearer('bad-token') })
  t.strictSame(
    events.map(({ length }) => length),
    [2, 1, 1]
  )
  const text = JSON.stringify(events) + inspect(events, { depth: null })
  for (const secret of [PASSWORD, 'wrong-password', token, 'bad-token'])
    t.notOk(text.includes(secret), secret)
})

t.test('username and address of an event are cut and printable, as in the log', async t => {
  const log = collectLog()
  const app = await host(t, {}, { ...log, trustProxy: true })
  const events = listen<LoginEvent>(t, 'login')
  await app.inject({
    method: 'POST',
    url: '/auth/login',
    headers: { 'x-forwarded-for': '\u009b1m' },
    payload: { fields: { username: `\u001b${'x'.repeat(1000)}`, password: 'x' } }
  })
  const [{ username, address }] = events as [LoginEvent]
  t.equal(username, `\\u{1b}${'x'.repeat(127)}`)
  t.equal(address, '\\u{9b}1m')
  t.match(
    log.lines.find(({ event }) => event === 'login'),
    { username, address }
  )
})

t.test('a listener that throws changes no response, and Node reports its error', async t => {
  const app = await host(t)
  const uncaught: unknown[] = []
  // tap has a listener of its own, for which the error would be a failure.
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', error => uncaught.push(error))
  t.teardown(() => {
    process.removeAllListeners('uncaughtException')
    for (const other of others) process.on('uncaughtException', other)
  })
  for (const name of ['login', 'refusal']) {
    subscribe(`fastify-screen-auth.${name}`, fail)
    t.teardown(() => unsubscribe(`fastify-screen-auth.${name}`, fail))
  }
  t.equal((await logIn(app)).json().success, true)
  t.equal((await app.inject('/screen')).statusCode, 401)
  await until(() => uncaught.length === 2)
})

t.test(
  'who stores or prints an event of a failure gets nothing that the error of the host holds',
  async t => {
    const checkCredentials = ({ password }: { password: string }) => {
      throw Object.assign(new Error('query failed'), { parameters: [password] })
    }
    const app = await host(t, { checkCredentials })
    const events = listen<LoginEvent>(t, 'login')
    await logIn(app)
    t.match(events[0]?.cause, { cause: { parameters: [PASSWORD] } })
    t.notOk((JSON.stringify(events) + inspect(events, { depth: null })).includes(PASSWORD))
  }
)

t.test('the username of a session is cut and printable, too', async t => {
  const events = listen<SessionEvent>(t, 'session')
  await opaqueTokens({ store: new Keyv() }).revokeAll(`\u001b${'x'.repeat(1000)}`)
  t.strictSame(events, [{ outcome: 'all-ended', username: `\\u{1b}${'x'.repeat(127)}` }])
})

t.test('without a listener nothing is published', async t => {
  const app = await host(t)
  const login: Channel = channel('fastify-screen-auth.login')
  t.equal(login.hasSubscribers, false)
  login.publish = () => t.fail('published')
  t.teardown(() => Reflect.deleteProperty(login, 'publish'))
  t.equal((await logIn(app)).json().success, true)
})
