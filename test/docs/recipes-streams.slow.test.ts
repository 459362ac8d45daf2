// Connections that stay open: websocket.js and the event stream of docs/tokens.md, with the logout route of that page.
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { bearer, until } from '../helpers.ts'
import { readPage } from './page.ts'
import { sourceOf, startCode } from './program.ts'
import { type Row, Visitor } from './table.ts'

const [logout, events] = readPage('docs/tokens.md').samples.map(({ code }) => code)
/** Starts websocket.js with the two samples. */
const start = (t: Test, env = {}) =>
  startCode(t, sourceOf('websocket.js').replace('await app.listen', `${logout}\n${events}\n$&`), env)

const logOut = (as: string): Row => ['POST /auth/logout', { as }, 204]

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
    const server = start(t, { IDLE_SECONDS: '4', CHECK_SECONDS: '0.1' })
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
  const { url, tokenOf, take } = await Visitor.visit(t, start(t))
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

t.test('tokens.md: an event stream needs a token, and ends with the session', async t => {
  const { url, tokenOf, take } = await Visitor.visit(t, start(t))
  const streams = ['ada', 'ada 2'].map(async as => fetch(`${url}/events`, { headers: bearer(await tokenOf(as)) }))
  const [ended, other] = (await Promise.all(streams)).map(({ body }) => body?.pipeThrough(new TextDecoderStream()))
  const reader = ended?.getReader()
  t.match((await reader?.read())?.value, /^data: .*\n\n$/)
  await take(['GET /events', {}, 401], logOut('ada'))
  // An event that was on its way may come first.
  await until(async () => (await reader?.read())?.done === true)
  t.match((await other?.getReader().read())?.value, /^data: /)
  await take(['GET /events', { as: 'ada' }, 401])
})
