import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { bearer, until } from '../../helpers.ts'
import { post, startRecipe, statusOf, tokenOf } from '../program.ts'

const url = await startRecipe(t, 'websocket.js')
/** A server whose idle sessions end soon. */
const idleUrl = await startRecipe(t, 'websocket.js', { IDLE_SECONDS: '4', CHECK_SECONDS: '0.1' })
const token = await tokenOf(url)

/** Opens a WebSocket that collects its messages. */
function connect(t: Test, path: string, headers: Record<string, string> = {}, base = url) {
  const socket = new WebSocket(base.replace('http', 'ws') + path, { headers })
  t.teardown(() => socket.terminate())
  const messages: string[] = []
  socket.on('message', data => messages.push(String(data)))
  // A refused upgrade also emits an error; the tests check its status instead.
  socket.on('error', () => {})
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  return { socket, messages, closed, receives: (count: number) => until(() => messages.length === count) }
}

/** Opens a socket with the token in the header, which browsers cannot do. */
const withHeader = (t: Test, token: string, base = url) => connect(t, '/socket', bearer(token), base)

/** Opens a socket as a browser does, with the token as the first message. */
function ofBrowser(t: Test, first?: string | Buffer, base = url) {
  const connection = connect(t, '/browser-socket', {}, base)
  if (first !== undefined) connection.socket.on('open', () => connection.socket.send(first))
  return connection
}

for (const [name, open] of Object.entries({
  'a client that sends the header': withHeader,
  'a browser that sends its token as the first message': ofBrowser
})) {
  t.test(`${name} is identified as its user`, async t => {
    const { socket, messages, receives } = open(t, token)
    await receives(1)
    socket.send('hello')
    await receives(2)
    t.same(messages, ['Welcome, Ada Lovelace', 'Ada Lovelace said hello'])
  })

  t.test(`the socket of ${name} is closed when the session ends`, async t => {
    const token = await tokenOf(idleUrl)
    const { receives, closed } = open(t, token, idleUrl)
    await receives(1)
    t.equal((await post(`${idleUrl}/auth/logout`, {}, token)).status, 204)
    t.equal(await closed, 4401)
  })

  t.test(`a message from ${name} renews the session, and an idle socket does not`, async t => {
    const [idle, used] = [await tokenOf(idleUrl), await tokenOf(idleUrl)]
    const active = open(t, used, idleUrl)
    await active.receives(1)
    const timer = setInterval(() => active.socket.send('still here'), 50)
    t.teardown(() => clearInterval(timer))
    t.equal(await open(t, idle, idleUrl).closed, 4401)
    t.equal(await statusOf(`${idleUrl}/menu/main`, idle), 401)
    t.equal(await statusOf(`${idleUrl}/menu/main`, used), 200)
    t.equal(active.socket.readyState, WebSocket.OPEN)
  })
}

t.test('an upgrade without a valid token in the header returns 401', async t => {
  for (const [path, headers] of [['/socket'], ['/socket', bearer(`${token}x`)], [`/socket?token=${token}`]] as const) {
    const [, response] = await once(connect(t, path, headers).socket, 'unexpected-response')
    t.equal(response.statusCode, 401)
  }
})

t.test('a first message that is not a valid token closes the socket', async t => {
  for (const first of ['', 'hello', `${token}x`, `Bearer ${token}`, Buffer.from([0xff, 0xfe])]) {
    const { socket, messages, closed } = ofBrowser(t, first)
    // The right token as a second message must not help, or a client could guess tokens on one connection.
    socket.on('open', () => socket.send(token))
    t.equal(await closed, 4401)
    t.same(messages, [])
  }
})

t.test('a socket that sends no token is closed, and a logged-in socket stays open without messages', async t => {
  const browser = ofBrowser(t, token)
  await browser.receives(1)
  const silent = ofBrowser(t)
  await once(silent.socket, 'open')
  silent.socket.ping()
  t.equal(await silent.closed, 4401)
  t.same(silent.messages, [])
  // The time for the login is over for both sockets.
  browser.socket.send('still here')
  await browser.receives(2)
  t.equal(browser.socket.readyState, WebSocket.OPEN)
})

t.test('a message that is too large closes the socket, and the server keeps running', async t => {
  t.not(await ofBrowser(t, 'x'.repeat(65_537)).closed, 1000)
  t.equal(await statusOf(`${url}/auth/login`), 200)
})

t.test('a request without an upgrade returns 401, or 404 with a token', async t => {
  t.equal(await statusOf(`${url}/socket`), 401)
  t.equal(await statusOf(`${url}/socket`, token), 404)
})
