import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { bearer, claims, forge, now, SECRET, until } from '../../helpers.ts'
import { startRecipe, tokenOf } from '../program.ts'

const url = await startRecipe(t, 'websocket.js', { SVC_AUTH_SECRET: SECRET })
const token = await tokenOf(url, 'ada', 'correct horse')

/** A WebSocket that notes all that it is sent. */
function connect(t: Test, path: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
  t.teardown(() => socket.terminate())
  const messages: string[] = []
  socket.on('message', data => messages.push(String(data)))
  // A refused upgrade is an error, too; the tests look at its status.
  socket.on('error', () => {})
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  return { socket, messages, closed }
}

/** The status of an upgrade: 101 when it was accepted. */
function statusOf({ socket }: { socket: WebSocket }): Promise<number> {
  return new Promise(resolve => {
    socket.on('upgrade', () => resolve(101))
    socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode))
  })
}

t.test('a client that sends the header is its user', async t => {
  const { socket, messages } = connect(t, '/socket', bearer(token))
  await until(() => messages.length === 1)
  socket.send('hello')
  await until(() => messages.length === 2)
  t.same(messages, ['Welcome, Ada Lovelace', 'Ada Lovelace said hello'])
})

t.test('without a valid token in the header the upgrade is a 401', async t => {
  t.equal(await statusOf(connect(t, '/socket')), 401)
  t.equal(await statusOf(connect(t, '/socket', bearer(`${token}x`))), 401)
  t.equal(await statusOf(connect(t, `/socket?token=${token}`)), 401)
})

t.test('a browser sends its token as the first message', async t => {
  const { socket, messages } = connect(t, '/browser-socket')
  await once(socket, 'open')
  socket.send(token)
  await until(() => messages.length === 1)
  socket.send('hello')
  await until(() => messages.length === 2)
  t.same(messages, ['Welcome, Ada Lovelace', 'Ada Lovelace said hello'])
})

t.test('a first message that is no valid token closes the socket', async t => {
  const expired = forge({ ...claims(), exp: now() - 1 })
  for (const first of ['', 'hello', `${token}x`, `Bearer ${token}`, expired, Buffer.from([0xff, 0xfe])]) {
    const { socket, messages, closed } = connect(t, '/browser-socket')
    await once(socket, 'open')
    socket.send(first)
    // A second chance would be one to guess.
    socket.send(token)
    t.equal(await closed, 4401)
    t.same(messages, [])
  }
})

t.test('a socket that sends no token is closed', async t => {
  const { socket, messages, closed } = connect(t, '/browser-socket')
  await once(socket, 'open')
  socket.ping()
  t.equal(await closed, 4401)
  t.same(messages, [])
})

t.test('a socket is closed when its token has expired', async t => {
  /** Opens a socket that is welcome with a token that expires soon, even if the machine is slow. */
  async function welcome(open: (token: string) => ReturnType<typeof connect>) {
    for (;;) {
      const opened = open(forge({ ...claims(), exp: now() + 3 }))
      let hasEnded = false
      opened.closed.then(() => {
        hasEnded = true
      })
      await until(() => hasEnded || opened.messages.length === 1)
      if (opened.messages.length === 1) return opened
    }
  }
  const [withHeader, browser] = await Promise.all([
    welcome(token => connect(t, '/socket', bearer(token))),
    welcome(token => {
      const opened = connect(t, '/browser-socket')
      opened.socket.on('open', () => opened.socket.send(token))
      return opened
    })
  ])
  t.equal(await withHeader.closed, 4401)
  t.equal(await browser.closed, 4401)
})

t.test('a socket that is silent after its login stays open, and so does one that talks', async t => {
  const browser = connect(t, '/browser-socket')
  await once(browser.socket, 'open')
  browser.socket.send(token)
  await until(() => browser.messages.length === 1)
  // Another one is closed after the same time, so that the time for a login is over then.
  const silent = connect(t, '/browser-socket')
  await silent.closed
  browser.socket.send('still here')
  await until(() => browser.messages.length === 2)
  t.equal(browser.socket.readyState, WebSocket.OPEN)
})

t.test('a message that is too large closes the socket, and not the server', async t => {
  const { socket, closed } = connect(t, '/browser-socket')
  await once(socket, 'open')
  socket.send('x'.repeat(65_537))
  t.not(await closed, 1000)
  t.equal((await fetch(`${url}/auth/login`)).status, 200)
})

t.test('a request that is no upgrade finds no socket', async t => {
  t.equal((await fetch(`${url}/socket`)).status, 401)
  t.equal((await fetch(`${url}/socket`, { headers: bearer(token) })).status, 404)
})
