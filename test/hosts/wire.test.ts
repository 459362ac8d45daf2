import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import WebSocket from 'ws'
import { ADA, bearer, forge, MENU, PASSWORD, portOf, until } from '../helpers.ts'
import { closed, FORGED, hostWith, loginWorks } from './closed.ts'

const LOGIN = JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })

async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body = '') {
  const stream = session.request(headers, { endStream: body === '' })
  if (body !== '') stream.end(body)
  const [response] = await once(stream, 'response')
  let text = ''
  for await (const chunk of stream) text += chunk
  return { status: response[constants.HTTP2_HEADER_STATUS] as number, headers: response, text }
}

t.test('the guard and the login work over HTTP/2', async t => {
  const { app, ran } = await hostWith(t, undefined, { serverOptions: { http2: true } })
  const session = connect(`http://127.0.0.1:${await portOf(app)}`)
  t.teardown(() => session.destroy())
  for (const path of ['/screen', '/none', '/auth/login/../../screen']) {
    for (const headers of [{}, bearer(FORGED)]) {
      const { status, text } = await ask(session, { ':path': path, ...headers })
      t.strictSame({ status, text }, { status: 401, text: '' }, path)
    }
  }
  for (const method of ['PUT', 'OPTIONS', 'HEAD']) {
    t.equal((await ask(session, { ':path': '/screen', ':method': method })).status, 401, method)
  }
  t.strictSame(ran, [])
  t.equal((await ask(session, { ':path': '/screen', authorization: `Bearer ${forge()}` })).text, 'x')

  t.match(JSON.parse((await ask(session, { ':path': '/auth/login' })).text), { auth_action: '/auth/login' })
  const post = { ':path': '/auth/login', ':method': 'POST', 'content-type': 'application/json' }
  const response = JSON.parse((await ask(session, post, LOGIN)).text)
  t.match(response, { success: true, screen: MENU })
  const menu = await ask(session, { ':path': '/menu/main', authorization: `Bearer ${response.token}` })
  t.strictSame(JSON.parse(menu.text), response.screen)
})

/** Opens a websocket, and returns its first message, or the status of the refusal. */
async function dial(app: FastifyInstance, path: string, headers: object = {}): Promise<string | number> {
  const socket = new WebSocket(`ws://127.0.0.1:${await portOf(app)}${path}`, { headers: { ...headers } })
  return new Promise((resolve, reject) => {
    socket.once('message', data => {
      socket.close()
      resolve(String(data))
    })
    socket.once('unexpected-response', (request, response) => {
      request.destroy()
      resolve(response.statusCode ?? 0)
    })
    socket.once('error', reject)
  })
}

const openSockets = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  )

for (const isBefore of [true, false])
  t.test(`a websocket opens with a token only, @fastify/websocket before the plugin: ${isBefore}`, async t => {
    const host = await hostWith(t, app => app.register(websocket), { isBefore })
    const { app, ran } = host
    let connections = 0
    app.get('/socket', { websocket: true }, (socket, request) => {
      connections++
      socket.send(request.screenUser?.username ?? 'nobody')
    })
    for (const headers of [{}, bearer(FORGED)]) {
      for (const path of ['/socket', '/screen', '/none', '/socket?token=x']) {
        t.equal(await dial(app, path, headers), 401, path)
      }
    }
    t.strictSame([ran, connections], [[], 0])
    // Each refusal has closed its socket.
    await until(async () => (await openSockets(app)) === 0)

    t.equal(await dial(app, '/socket', bearer(forge())), 'ada')
    t.equal(connections, 1)
    t.equal(await dial(app, '/none', bearer(forge())), 404)
    await closed(t, host, ['/screen', { url: '/socket', status: 404 }])
    await loginWorks(t, app)
  })
