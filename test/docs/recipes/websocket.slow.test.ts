import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { bearer, claims, forge, now, SECRET, until } from '../../helpers.ts'
import { startRecipe, statusOf, tokenOf } from '../program.ts'

const url = await startRecipe(t, 'websocket.js', { SVC_AUTH_SECRET: SECRET })
const token = await tokenOf(url)

/** A WebSocket that notes all that it is sent. */
function connect(t: Test, path: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
  t.teardown(() => socket.terminate())
  const messages: string[] = []
  socket.on('message', data => messages.push(String(data)))
  // A refused upgrade is an error, too; the tests look at its status.
  socket.on('error', () => {})
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  return { socket, messages, closed, receives: (count: number) => until(() => messages.length === count) }
}

/** A socket that a client opens with its token in the header, as none of a browser can. */
const withHeader = (t: Test, token: string) => connect(t, '/socket', bearer(token))

/** A socket of a browser, which sends its token as the first message. */
function ofBrowser(t: Test, ...first: (string | Buffer)[]) {
  const connection = connect(t, '/browser-socket')
  connection.socket.on('open', () => {
    for (const message of first) connection.socket.send(message)
  })
  return connection
}

for (const [name, open] of Object.entries({
  'a client that sends the header': withHeader,
  'a browser that sends its token as the first message': ofBrowser
})) {
  t.test(`${name} is its user`, async t => {
    const { socket, messages, receives } = open(t, token)
    await receives(1)
    socket.send('hello')
    await receives(2)
    t.same(messages, ['Welcome, Ada Lovelace', 'Ada Lovelace said hello'])
  })

  t.test(`the socket of ${name} is closed when the token has expired`, async t => {
    // On a slow machine it may have expired before the welcome: then once more.
    for (;;) {
      const { messages, closed } = open(t, forge({ ...claims(), exp: now() + 3 }))
      t.equal(await closed, 4401)
      if (messages.length === 1) return
    }
  })
}

t.test('without a valid token in the header the upgrade is a 401', async t => {
  for (const [path, headers] of [['/socket'], ['/socket', bearer(`${token}x`)], [`/socket?token=${token}`]] as const) {
    const [, response] = await once(connect(t, path, headers).socket, 'unexpected-response')
    t.equal(response.statusCode, 401)
  }
})

t.test('a first message that is no valid token closes the socket', async t => {
  const expired = forge({ ...claims(), exp: now() - 1 })
  for (const first of ['', 'hello', `${token}x`, `Bearer ${token}`, expired, Buffer.from([0xff, 0xfe])]) {
    // A second chance would be one to guess.
    const { messages, closed } = ofBrowser(t, first, token)
    t.equal(await closed, 4401)
    t.same(messages, [])
  }
})

t.test('a socket that sends no token is closed, and one that is silent after it stays open', async t => {
  const browser = ofBrowser(t, token)
  await browser.receives(1)
  const silent = ofBrowser(t)
  await once(silent.socket, 'open')
  silent.socket.ping()
  t.equal(await silent.closed, 4401)
  t.same(silent.messages, [])
  // The time for a login is over for both.
  browser.socket.send('still here')
  await browser.receives(2)
  t.equal(browser.socket.readyState, WebSocket.OPEN)
})

t.test('a message that is too large closes the socket, and not the server', async t => {
  t.not(await ofBrowser(t, 'x'.repeat(65_537)).closed, 1000)
  t.equal(await statusOf(`${url}/auth/login`), 200)
})

t.test('a request that is no upgrade finds no socket', async t => {
  t.equal(await statusOf(`${url}/socket`), 401)
  t.equal(await statusOf(`${url}/socket`, token), 404)
})
