import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { LogController } from 'fastify'
import t from 'tap'
import { bearer, collectLog, deferred, forge, host, listen, logIn, PASSWORD, until } from '../../helpers.ts'

const eventsOf = ({ lines }: ReturnType<typeof collectLog>) =>
  lines.filter(({ event }) => event === 'login' || event === 'refusal')

t.test('a login, a rejection and a 401 are logged with username, address, method and route', async t => {
  const log = collectLog()
  const app = await host(t, {}, log)
  const where = { remoteAddress: '192.0.2.7' }
  const post = (username: string, password: string) =>
    app.inject({ method: 'POST', url: '/auth/login', payload: { fields: { username, password } }, ...where })
  await post('ada', PASSWORD)
  await post('eve', 'wrong-password')
  await app.inject({ url: '/screen?key=in-the-query', headers: bearer('bad-token'), ...where })
  await app.inject({ url: '/nowhere', ...where })

  const login = { level: 30, event: 'login', address: '192.0.2.7', method: 'POST', route: '/auth/login' }
  const refusal = { level: 30, event: 'refusal', address: '192.0.2.7', method: 'GET', username: null }
  t.match(eventsOf(log), [
    { ...login, msg: 'screen-auth: login accepted', outcome: 'accepted', username: 'ada' },
    { ...login, msg: 'screen-auth: login rejected', outcome: 'rejected', username: 'eve' },
    { ...refusal, msg: 'screen-auth: request refused, token invalid', reason: 'invalid', route: '/screen' },
    { ...refusal, msg: 'screen-auth: request refused, token missing', reason: 'missing', route: null }
  ])
  t.notMatch(JSON.stringify(eventsOf(log)), /in-the-query/)
})

t.test('a blocked login is logged with the seconds to wait', async t => {
  const log = collectLog()
  const app = await host(t, { throttle: { usernameAndAddress: { failures: 1, seconds: 60 } } }, log)
  await logIn(app, { username: 'ada', password: 'x' })
  await logIn(app)
  const blocked = { msg: 'screen-auth: login blocked', outcome: 'blocked', retryAfter: 60 }
  t.match(eventsOf(log), [{ outcome: 'rejected' }, { ...blocked, username: 'ada', address: '127.0.0.1' }])
  t.notOk('retryAfter' in (eventsOf(log)[0] as object))
})

t.test('a failure of the checker or of the token service is logged with the error', async t => {
  const log = collectLog()
  const fail = () => Promise.reject(new Error('down'))
  const app = await host(t, { checkCredentials: () => 1, tokens: { issue: fail, verify: fail } }, log)
  await logIn(app)
  await app.inject({ url: '/screen', headers: bearer('x') })
  const failure = { level: 50, address: '127.0.0.1' }
  t.match(eventsOf(log), [
    {
      ...failure,
      msg: 'screen-auth: login failed',
      outcome: 'failed',
      username: 'ada',
      err: { code: /FAILED/ }
    },
    {
      ...failure,
      msg: 'screen-auth: the token service failed',
      reason: 'unavailable',
      err: { code: 'FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED' }
    }
  ])
})

t.test('the log contains no password and no token', async t => {
  const log = collectLog()
  const app = await host(t, {}, { ...log, logger: { ...log.logger, level: 'trace' } } as object)
  const { token } = (await logIn(app)).json()
  await logIn(app, { username: 'ada', password: 'wrong-password' })
  for (const sent of [token, forge({}), 'bad-token']) await app.inject({ url: '/screen', headers: bearer(sent) })
  for (const secret of [PASSWORD, 'wrong-password', token, token.split('.')[2], forge({}), 'bad-token'])
    t.notOk(log.text().includes(secret), secret)
})

t.test('the address of a refused request is logged even if the client has disconnected', async t => {
  const log = collectLog()
  const [started, gone] = [deferred(), deferred<null>()]
  const verify = () => {
    started.resolve()
    return gone.promise
  }
  // Fastify's own log is off: it reads the address early, and Node then caches it.
  const logController = new LogController({ disableRequestLogging: true })
  const app = await host(t, { tokens: { issue: () => 'x', verify } }, { ...log, logController })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const connection = once(app.server, 'connection')
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET /screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n')
  await started.promise
  const [accepted] = await connection
  socket.destroy()
  await once(accepted, 'close')
  gone.resolve(null)
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
