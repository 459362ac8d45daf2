// The recipes whose connections stay open: websocket.js and sse.js.
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { bearer, until } from '../helpers.ts'
import { recipe } from './program.ts'
import { type Row, Visitor } from './table.ts'

const logOut = (as: string): Row => ['POST /auth/logout', { as }, 204]

/** Opens a WebSocket that collects its messages. */
function connect(t: Test, url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers })
  t.teardown(() => socket.terminate())
  const messages: string[] = []
  socket.on('message', data => messages.push(String(data)))
  // A refused upgrade also emits an error; the tests check its status instead.
  socket.on('error', () => {})
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  return { socket, messages, closed, receives: (count: number) => until(() => messages.length === count) }
}

/** Opens a socket as a browser does, with messages instead of headers. */
function ofBrowser(t: Test, url: string, ...messages: string[]) {
  const connection = connect(t, `${url}/browser-socket`)
  connection.socket.on('open', () => {
    for (const message of messages) connection.socket.send(message)
  })
  return connection
}

for (const [name, open] of Object.entries({
  'the token in a header': (t: Test, url: string, token: string) => connect(t, `${url}/socket`, bearer(token)),
  'the token as first message': ofBrowser
}))
  t.test(`websocket.js: with ${name}, a socket has its user, and ends with the session`, async t => {
    const server = recipe(t, 'websocket.js', { IDLE_SECONDS: '4', CHECK_SECONDS: '0.1' })
    const { url, tokenOf, take } = await Visitor.visit(t, server)
    const [used, idle, ended] = await Promise.all([1, 2, 3].map(async i => open(t, url, await tokenOf(`ada ${i}`))))
    await ended?.receives(1)
    ended?.socket.send('hello')
    await ended?.receives(2)
    t.strictSame(ended?.messages, ['Welcome, Ada Lovelace', 'Ada Lovelace said hello'])
    await take(logOut('ada 3'))
    t.equal(await ended?.closed, 4401)
    // Messages renew the session, and an open socket does not.
    await used?.receives(1)
    const timer = setInterval(() => used?.socket.send('still here'), 50)
    t.teardown(() => clearInterval(timer))
    t.equal(await idle?.closed, 4401)
    await take(['GET /menu/main', { as: 'ada 2' }, 401], ['GET /menu/main', { as: 'ada 1' }, 200])
    t.equal(used?.socket.readyState, WebSocket.OPEN)
  })

t.test('websocket.js: a socket without a valid token is refused or closed', async t => {
  const { url, tokenOf, take } = await Visitor.visit(t, recipe(t, 'websocket.js'))
  const token = await tokenOf('ada')
  for (const [path, headers] of [['/socket'], ['/socket', bearer(`${token}x`)], [`/socket?token=${token}`]] as const) {
    const [, response] = await once(connect(t, url + path, headers).socket, 'unexpected-response')
    t.equal(response.statusCode, 401)
  }
  // The right token as a second message must not help, or a client could guess tokens on one connection.
  const sockets = ['', 'hello', `${token}x`].map(first => ofBrowser(t, url, first, token))
  const [silent, right] = [ofBrowser(t, url), ofBrowser(t, url, token)]
  for (const { closed, messages } of [...sockets, silent]) {
    t.equal(await closed, 4401)
    t.strictSame(messages, [])
  }
  t.equal(right.socket.readyState, WebSocket.OPEN, 'the time for the login is over')
  right.socket.send('x'.repeat(65_537))
  t.not(await right.closed, 1000)
  await take(['GET /socket', {}, 401], ['GET /socket', { as: 'ada' }, 404])
})

async function startStream(t: Test, env = {}) {
  const server = recipe(t, 'sse.js', { CHECK_SECONDS: '0.05', ...env })
  const visitor = await Visitor.visit(t, server)

  /** Opens a stream, and collects its text. */
  async function open(session: string) {
    const controller = new AbortController()
    t.teardown(() => controller.abort())
    const { signal } = controller
    const headers = bearer(await visitor.tokenOf(session))
    const response = await fetch(`${visitor.url}/events`, { headers, signal })
    const stream = { text: '', ended: Promise.resolve() }
    const read = async () => {
      for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) stream.text += text
    }
    stream.ended = read().catch(() => {})
    await until(() => stream.text.includes('event: welcome'))
    return stream
  }
  return { ...visitor, server, open }
}

t.test('sse.js: a stream needs a token, receives the events, and ends with its session', async t => {
  const { take, open } = await startStream(t)
  const [ended, other] = [await open('ada 1'), await open('ada 2')]
  await take(['GET /events', {}, 401], ['POST /notes', { as: 'ada 1', json: { text: 'one\n\ndata: two' } }, 204])
  const note = 'event: note\ndata: {"from":"Ada Lovelace","text":"one\\n\\ndata: two"}\n\n'
  await until(() => [ended, other].every(({ text }) => text.includes(note)))
  await take(logOut('ada 1'))
  await ended.ended
  t.ok(ended.text.endsWith('event: logged-out\ndata: {}\n\n'))
  const { length } = other.text
  await until(() => other.text.length > length)
})

t.test('sse.js: an open stream does not renew an idle session', async t => {
  const { open } = await startStream(t, { IDLE_SECONDS: '2' })
  const stream = await open('ada')
  await stream.ended
  t.match(stream.text, 'event: logged-out')
})

t.test('sse.js: a stream closes without a logged-out event if the server closes', async t => {
  const { server, open } = await startStream(t)
  const stream = await open('ada')
  t.equal(await server.stop('SIGTERM'), 0)
  await stream.ended
  t.notMatch(stream.text, 'logged-out')
})
