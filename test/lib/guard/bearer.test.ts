import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import websocket from '@fastify/websocket'
import t, { type Test } from 'tap'
import { ADA, bearer, forge, host } from '../../helpers.ts'
import { talk } from '../../hosts/closed.ts'

t.test('Bearer may be written in any case, with one or more spaces before the token', async t => {
  const app = await host(t)
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'bEaReR ', 'Bearer    ']) {
    const response = await app.inject({ url: '/screen', headers: { authorization: scheme + forge() } })
    t.equal(response.statusCode, 200, scheme)
  }
})

t.test('any other Authorization header gets 401', async t => {
  const app = await host(t)
  const plain = 'Bearer realm="screen"'
  const withError = 'Bearer realm="screen", error="invalid_token"'
  const token = forge()
  const refused: [string, string][] = [
    ['', plain],
    ['Bearer', plain],
    ['Bearer ', plain],
    [token, plain],
    [`Basic ${token}`, plain],
    [`Token ${token}`, plain],
    [`Bearer${token}`, plain],
    [`XBearer ${token}`, plain],
    [`Bearer\t${token}`, plain],
    [`Bearer ${token} ${token}`, withError],
    [`Bearer   ${token} ${token}`, withError],
    [`Bearer ${token}, Bearer ${token}`, withError],
    [`Bearer ${token},`, withError],
    [`Bearer "${token}"`, withError],
    [`Bearer ${token} `, withError],
    [`Bearer ${token}\u00e9`, withError],
    [`Bearer ${'x'.repeat(8000)}`, withError]
  ]
  for (const [authorization, expected] of refused) {
    const response = await app.inject({ url: '/screen', headers: { authorization } })
    const name = authorization.slice(0, 20)
    t.equal(response.statusCode, 401, name)
    t.equal(response.headers['www-authenticate'], expected, name)
  }
})

t.test('a 401 has an empty body, a challenge without the app name, and is not stored', async t => {
  const app = await host(t, { appName: 'Демо "☃"\r\n' })
  const { statusCode, body, headers } = await app.inject('/screen')
  t.equal(statusCode, 401)
  t.equal(body, '')
  t.match(headers, {
    'www-authenticate': 'Bearer realm="screen"',
    'cache-control': 'no-store',
    'content-length': '0'
  })
})

t.test('a token in a query, a cookie or a body is ignored', async t => {
  const app = await host(t)
  const token = forge()
  t.equal((await app.inject(`/screen?token=${token}&access_token=${token}`)).statusCode, 401)
  t.equal((await app.inject({ url: '/screen', cookies: { token } })).statusCode, 401)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `access_token=${token}`
  t.equal((await app.inject({ method: 'POST', url: '/x', headers: form, payload })).statusCode, 401)
})

t.test('a repeated Authorization header gets 401, even if both are valid', async t => {
  const app = await host(t)
  const send = (...headers: string[]) =>
    talk(app, ['GET /screen HTTP/1.1', 'Host: x', ...headers, 'Connection: close\r\n\r\n'].join('\r\n'))
  const authorization = `Authorization: Bearer ${forge()}`
  t.match(await send(authorization), /^HTTP\/1.1 200 /)
  for (const other of [authorization, authorization.toLowerCase(), 'Authorization: Basic x', 'Authorization:']) {
    t.match(await send(authorization, other), /^HTTP\/1.1 401 /)
    t.match(await send(other, authorization), /^HTTP\/1.1 401 /)
  }
})

t.test('another header with a name as long as Authorization is not a repetition', async t => {
  const headers = { ...bearer(forge()), 'if-none-match': '"x"' }
  t.equal((await (await host(t)).inject({ url: '/screen', headers })).statusCode, 200)
})

t.test('each of several pipelined requests is authorized by its own header', async t => {
  const without = 'GET /screen HTTP/1.1\r\nHost: x\r\n\r\n'
  const withToken = `GET /screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${forge()}\r\n\r\n`
  const last = without.replace('Host: x', 'Host: x\r\nConnection: close')
  const response = await talk(await host(t), withToken + without + withToken + last)
  t.strictSame(response.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200', 'HTTP/1.1 401'])
})

/** Starts a host with websockets, and connects to it. */
async function connected(t: Test) {
  const app = await host(t)
  await app.register(websocket)
  await app.listen({ host: '127.0.0.1', port: 0 })
  // Otherwise, the server would not close before the connection ends.
  app.server.on('connection', accepted => t.teardown(() => accepted.destroy()))
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const ask = async (headers: string) => {
    socket.write(`GET /screen HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
    return String((await once(socket, 'data'))[0])
  }
  return { socket, ask }
}

t.test('a refused upgrade closes its connection', async t => {
  const { socket, ask } = await connected(t)
  t.match(await ask('Connection: upgrade\r\nUpgrade: websocket'), /^HTTP\/1.1 401 /)
  if (!socket.readableEnded) await once(socket, 'end')
})

t.test('a refused request keeps its connection open', async t => {
  const { ask } = await connected(t)
  for (let i = 0; i < 2; i++) t.match(await ask('Connection: keep-alive'), /^HTTP\/1.1 401 /)
})

t.test('the token service is not called with text that cannot be a token', async t => {
  const verified: string[] = []
  const tokens = {
    issue: () => 'token',
    verify(token: string) {
      verified.push(token)
      return ADA
    }
  }
  const app = await host(t, { tokens })
  for (const token of ['t\u00f6ken', 'to\tken', 'token\u007f']) {
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 401)
    t.equal(await app.screenAuth.verifyToken(token), null)
  }
  t.equal((await app.inject({ url: '/screen', headers: bearer('t!"~') })).statusCode, 200)
  t.strictSame(verified, ['t!"~'])
})
