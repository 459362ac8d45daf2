import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect as connectTls } from 'node:tls'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import { ADA, bearer, forge, MENU, PASSWORD, until } from '../helpers.ts'
import { closed, FORGED, hostWith, loginWorks, talk } from './closed.ts'

const LOGIN = JSON.stringify({ fields: { username: ADA.username, password: PASSWORD } })

async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as { port: number }).port
}

/** Sends a request over HTTP/2. */
async function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body = '') {
  const stream = session.request(headers, { endStream: body === '' })
  if (body !== '') stream.end(body)
  const [response] = await once(stream, 'response')
  let text = ''
  for await (const chunk of stream) text += chunk
  return { status: response[constants.HTTP2_HEADER_STATUS] as number, headers: response, text }
}

/** Asserts what `closed` and `loginWorks` do, over HTTP/2. */
async function worksOverHttp2(t: Test, session: ClientHttp2Session, ran: string[]) {
  const token = { authorization: `Bearer ${forge()}` }
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
  t.equal((await ask(session, { ':path': '/screen', ...token })).text, 'x')

  t.match(JSON.parse((await ask(session, { ':path': '/auth/login' })).text), { auth_action: '/auth/login' })
  const post = { ':path': '/auth/login', ':method': 'POST', 'content-type': 'application/json' }
  const response = JSON.parse((await ask(session, post, LOGIN)).text)
  t.match(response, { success: true, screen: MENU })
  t.match(JSON.parse((await ask(session, post, LOGIN.replace('ada', 'eve'))).text), { success: false })
  const menu = await ask(session, { ':path': '/menu/main', authorization: `Bearer ${response.token}` })
  t.strictSame(JSON.parse(menu.text), response.screen)
}

t.test('the guard and the login work over HTTP/2 without TLS', async t => {
  const { app, ran } = await hostWith(t, undefined, { serverOptions: { http2: true } })
  const session = connect(`http://127.0.0.1:${await listen(app)}`)
  t.teardown(() => session.destroy())
  await worksOverHttp2(t, session, ran)
})

// A shared key, because a certificate would expire.
const psk = Buffer.alloc(32, 1)
const TLS = { ciphers: 'PSK-AES128-GCM-SHA256', maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' } as const
const SERVER_TLS = { ...TLS, pskCallback: () => psk }
const CLIENT_TLS = {
  ...TLS,
  pskCallback: () => ({ psk, identity: 'client' }),
  checkServerIdentity: () => undefined
}

t.test('the guard and the login work over TLS with HTTP/2 and HTTP/1.1', async t => {
  const https = { ...SERVER_TLS, allowHTTP1: true }
  const { app, ran } = await hostWith(t, undefined, { serverOptions: { http2: true, https } })
  const port = await listen(app)
  const session = connect(`https://127.0.0.1:${port}`, {
    createConnection: () => connectTls({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], ...CLIENT_TLS })
  })
  t.teardown(() => session.destroy())
  await worksOverHttp2(t, session, ran)

  ran.length = 0
  const get = async (headers: object) => {
    const request = httpsRequest({
      port,
      host: '127.0.0.1',
      path: '/screen',
      headers: { ...headers },
      ...CLIENT_TLS
    } as object)
    const [response] = await once(request.end(), 'response')
    response.resume()
    return response.statusCode
  }
  t.equal(await get({}), 401)
  t.strictSame(ran, [])
  t.equal(await get(bearer(forge())), 200)
})

/** Opens a websocket, and returns its first message, or the status of the refusal. */
async function dial(app: FastifyInstance, path: string, headers: object = {}): Promise<string | number> {
  if (!app.server.listening) await listen(app)
  const socket = new WebSocket(`ws://127.0.0.1:${(app.server.address() as { port: number }).port}${path}`, {
    headers: { ...headers }
  })
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

/** A host with a websocket; @fastify/websocket is registered before or after the plugin. */
async function websocketHost(t: Test, isBefore: boolean, overrides: object = {}) {
  let connections = 0
  const host = await hostWith(t, app => app.register(websocket), { isBefore, ...overrides })
  host.app.get('/socket', { websocket: true }, (socket, request) => {
    connections++
    socket.send(request.screenUser?.username ?? 'nobody')
  })
  return { ...host, connections: () => connections }
}

const openSockets = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  )

for (const isBefore of [true, false]) {
  const when = isBefore ? 'before' : 'after'

  t.test(`@fastify/websocket registered ${when}: a websocket opens with a token only`, async t => {
    const host = await websocketHost(t, isBefore)
    const { app, ran, connections } = host
    for (const headers of [{}, bearer(FORGED)]) {
      for (const path of ['/socket', '/screen', '/none', '/socket?token=x']) {
        t.equal(await dial(app, path, headers), 401, path)
      }
    }
    t.strictSame([ran, connections()], [[], 0])

    t.equal(await dial(app, '/socket', bearer(forge())), 'ada')
    t.equal(connections(), 1)
    t.equal(await dial(app, '/none', bearer(forge())), 404)
    await closed(t, host, ['/screen', { url: '/socket', status: 404 }])
    await loginWorks(t, app)
  })

  t.test(`@fastify/websocket registered ${when}: a refused upgrade leaves no socket open`, async t => {
    const down = () => {
      throw new Error('the token store is down')
    }
    for (const [overrides, status] of [
      [{}, 401],
      [{ tokens: { issue: () => 'x', verify: down } }, 503]
    ] as const) {
      const { app } = await websocketHost(t, isBefore, overrides)
      t.equal(await dial(app, '/socket', bearer(FORGED)), status)
      await until(async () => (await openSockets(app)) === 0)
    }
  })
}

t.test('an upgrade without @fastify/websocket is a normal guarded request', async t => {
  const { app, ran } = await hostWith(t)
  for (const [path, status] of Object.entries({ '/screen': 401, '/none': 401, '/auth/login': 200 })) {
    const head = `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n`
    const websocket = 'sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n'
    t.match(await talk(app, head + websocket), new RegExp(`^HTTP/1.1 ${status} `), path)
  }
  t.strictSame(ran, [])
})

t.test('h2c upgrades and the preface of HTTP/2 run no handler on a server of HTTP/1.1', async t => {
  const { app, ran } = await hostWith(t)
  const h2c =
    'GET /screen HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n'
  t.match(await talk(app, h2c), /^HTTP\/1.1 401 /)
  t.match(await talk(app, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), /^HTTP\/1.1 (400|505) /)
  t.strictSame(ran, [])
})
