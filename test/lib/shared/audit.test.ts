import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { LogController } from 'fastify'
import t, { type Test } from 'tap'
import { bearer, collectLog, deferred, forge, host, logIn, PASSWORD, until } from '../../helpers.ts'

const events = (lines: Record<string, unknown>[]) =>
  lines.filter(({ msg }) => /^screen-auth: (login|request refused)/.test(String(msg)))

t.test('a login, a rejection and a 401 are logged with username, address, method and route', async t => {
  const log = collectLog()
  const app = await host(t, {}, log)
  const where = { remoteAddress: '192.0.2.7' }
  const post = (fields: object) =>
    app.inject({ method: 'POST', url: '/auth/login', payload: { fields }, ...where })
  await post({ username: 'ada', password: PASSWORD })
  await post({ username: 'eve', password: 'wrong-password' })
  await app.inject({ url: '/screen?key=in-the-query', headers: bearer('bad-token'), ...where })
  await app.inject({ url: '/nowhere', ...where })

  const address = '192.0.2.7'
  t.match(events(log.lines), [
    {
      level: 30,
      msg: 'screen-auth: login accepted',
      event: 'login',
      outcome: 'accepted',
      username: 'ada',
      address,
      method: 'POST',
      route: '/auth/login'
    },
    {
      level: 30,
      msg: 'screen-auth: login rejected',
      event: 'login',
      outcome: 'rejected',
      username: 'eve',
      address,
      method: 'POST',
      route: '/auth/login'
    },
    {
      level: 30,
      msg: 'screen-auth: request refused, token invalid',
      event: 'refusal',
      reason: 'invalid',
      username: null,
      address,
      method: 'GET',
      route: '/screen'
    },
    {
      level: 30,
      msg: 'screen-auth: request refused, token missing',
      event: 'refusal',
      reason: 'missing',
      username: null,
      address,
      method: 'GET',
      route: null
    }
  ])
  t.notMatch(JSON.stringify(events(log.lines)), /in-the-query/)
})

t.test('no password and no token is ever logged', async t => {
  const log = collectLog()
  const app = await host(t, {}, { ...log, logger: { ...log.logger, level: 'trace' } } as object)
  const { token } = (await logIn(app)).json()
  await logIn(app, { username: 'ada', password: 'wrong-password' })
  await app.inject({ url: '/screen', headers: bearer(token) })
  await app.inject({ url: '/screen', headers: bearer(forge({})) })
  await app.inject({ url: '/screen', headers: bearer('bad-token') })
  for (const secret of [PASSWORD, 'wrong-password', token, token.split('.')[2], forge({}), 'bad-token']) {
    t.notOk(log.text().includes(secret), secret)
  }
})

t.test('a long username is cut in the log', async t => {
  const log = collectLog()
  await logIn(await host(t, {}, log), { username: 'x'.repeat(10_000), password: 'y' })
  t.equal(events(log.lines)[0]?.username, 'x'.repeat(128))
})

t.test('a long address that a proxy has passed on is cut in the log', async t => {
  const log = collectLog()
  const app = await host(t, {}, { ...log, trustProxy: true })
  await app.inject({ url: '/screen', headers: { 'x-forwarded-for': 'x'.repeat(10_000) } })
  t.equal(events(log.lines)[0]?.address, 'x'.repeat(128))
})

/** Sends a request that the host works on, hangs up, and lets the host go on. Returns what it then logs. */
async function hangUpDuring(t: Test, requestLine: string) {
  const log = collectLog()
  const started = deferred()
  const gone = deferred<null>()
  const work = () => {
    started.resolve()
    return gone.promise
  }
  // Without Fastify's own log, which asks for the address early, and Node then remembers it.
  const logController = new LogController({ disableRequestLogging: true })
  const overrides = { checkCredentials: work, tokens: { issue: () => 'x', verify: work } }
  const app = await host(t, overrides, { ...log, logController })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const connection = once(app.server, 'connection')
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const body = JSON.stringify({ fields: { username: 'eve', password: 'x' } })
  const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nAuthorization: Bearer x`
  socket.write(`${requestLine} HTTP/1.1\r\n${head}\r\n\r\n${body}`)
  await started.promise
  const [accepted] = await connection
  socket.destroy()
  await once(accepted, 'close')
  gone.resolve(null)
  await until(() => events(log.lines).length > 0)
  return events(log.lines)
}

t.test('the address of a login is logged even if the client hangs up before the response', async t => {
  t.match(await hangUpDuring(t, 'POST /auth/login'), [
    { msg: /login abandoned/, username: 'eve', address: '127.0.0.1' }
  ])
})

t.test('the address of a refused request is logged even if the client hangs up before', async t => {
  t.match(await hangUpDuring(t, 'POST /screen'), [{ msg: /request refused/, address: '127.0.0.1' }])
})

t.test('control characters in a username or an address are escaped in the log', async t => {
  const log = collectLog()
  const app = await host(t, {}, { ...log, trustProxy: true })
  const username = `a\u001b[31m\r\n\u0007\u007f\u009b2J\u202eb\u2066\u200f\u2028\u{e0001}${'é'.repeat(200)}`
  await app.inject({
    method: 'POST',
    url: '/auth/login',
    headers: { 'x-forwarded-for': '\u009b1m' },
    payload: { fields: { username, password: 'x' } }
  })
  const [line] = events(log.lines) as [{ username: string; address: string }]
  t.match(
    line.username,
    'a\\u{1b}[31m\\u{d}\\u{a}\\u{7}\\u{7f}\\u{9b}2J\\u{202e}b\\u{2066}\\u{200f}\\u{2028}\\u{e0001}éé'
  )
  t.ok(line.username.length < 250)
  t.notMatch(line.address, /[^ -~]/)
})
