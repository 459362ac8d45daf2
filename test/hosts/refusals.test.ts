import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { FastifyServerOptions } from 'fastify'
import t, { type Test } from 'tap'
import { forge } from '../helpers.ts'
import { hostWith, talk } from './closed.ts'

const TOKEN = `authorization: Bearer ${forge()}`

/** A host with a handler for every request. */
async function hostOfAll(t: Test, options: FastifyServerOptions = {}) {
  const serverOptions = { ...options, forceCloseConnections: true }
  const host = await hostWith(t, undefined, { serverOptions })
  host.app.all('/user/:id', async () => 'x')
  host.app.setNotFoundHandler(host.note('not found'))
  await host.app.listen({ port: 0, host: '127.0.0.1' })
  return host
}

/** A request, and the expected status line and body. */
const REFUSALS: Record<string, [request: string, response: RegExp]> = {
  'a URL that cannot be decoded': [
    `GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    /^HTTP\/1.1 400 [\s\S]*\{"error":"Bad Request","code":"FST_ERR_BAD_URL","message":"'\/%zz' is not a valid url component","statusCode":400\}$/
  ],
  'a parameter that is too long': [
    `GET /user/${'x'.repeat(101)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    /^HTTP\/1.1 414 [\s\S]*"code":"FST_ERR_MAX_PARAM_LENGTH"/
  ],
  'headers that are too large': [
    `GET /screen HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`,
    /^HTTP\/1.1 431 [\s\S]*\{"error":"Request Header Fields Too Large"/
  ],
  'an unknown expectation': [
    'GET /screen HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n',
    /^HTTP\/1.1 417 Expectation Failed\r\n[\s\S]*\r\n\r\n(0\r\n\r\n)?$/
  ],
  'text that is not HTTP': ['SSH-2.0-client\r\n\r\n', /^HTTP\/1.1 400 [\s\S]*\{"error":"Bad Request"/],
  'a header without a colon': ['GET /screen HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n', /^HTTP\/1.1 400 /],
  'a missing Host header': ['GET /screen HTTP/1.1\r\nconnection: close\r\n\r\n', /^HTTP\/1.1 400 /],
  'two Content-Length headers': [
    'POST /screen HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx',
    /^HTTP\/1.1 400 /
  ],
  'Content-Length with chunks': [
    'POST /screen HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1.1 400 /
  ],
  'an unknown method': ['BREW /screen HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1.1 400 /],
  'a request line with an extra space': ['GET /scr een HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1.1 400 /],
  'a NUL in the path': ['GET /screen\0 HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1.1 400 /]
}

for (const [name, [request, expected]] of Object.entries(REFUSALS)) {
  t.test(`no handler runs for ${name}, with or without a token`, async t => {
    const { app, ran } = await hostOfAll(t)
    t.match(await talk(app, request), expected)
    t.match(await talk(app, request.replace('\r\n', `\r\n${TOKEN}\r\n`)), expected, 'with a token')
    t.strictSame(ran, [])
  })
}

t.test('CONNECT ends the connection and runs no handler', async t => {
  const { app, ran } = await hostOfAll(t)
  t.equal(await talk(app, `CONNECT x:443 HTTP/1.1\r\nhost: x\r\n${TOKEN}\r\n\r\n`), '')
  t.strictSame(ran, [])
})

t.test('a method that Node supports and Fastify does not gets the response of an unknown path', async t => {
  const { app, ran } = await hostOfAll(t)
  for (const method of ['PROPFIND', 'PURGE', 'M-SEARCH', 'SOURCE']) {
    const ask = (more = '') => talk(app, `${method} /screen HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}\r\n`)
    t.match(await ask(), /^HTTP\/1.1 401 /, method)
    t.strictSame(ran, [], method)
    t.match(await ask(`${TOKEN}\r\n`), /^HTTP\/1.1 200 [\s\S]*not found/, method)
    ran.length = 0
  }
})

t.test('Expect: 100-continue gets its response before the guard refuses the request', async t => {
  const { app, ran } = await hostOfAll(t)
  const response = await talk(
    app,
    'POST /screen HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{}'
  )
  t.match(response, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 401 /)
  t.strictSame(ran, [])
})

t.test('a request whose head does not end in time gets a 408 and runs no handler', async t => {
  const { app, ran } = await hostOfAll(t, {
    requestTimeout: 100,
    http: { headersTimeout: 100, connectionsCheckingInterval: 50 }
  } as object)
  t.match(await talk(app, 'GET /screen HTTP/1.1\r\nhost: x\r\n'), /^HTTP\/1.1 408 /)
  t.strictSame(ran, [])
})

t.test('a guarded upload is refused before the client sends the body', async t => {
  const { app, ran } = await hostOfAll(t)
  const head =
    'POST /screen HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\nconnection: close\r\n\r\n'
  t.match(await talk(app, head), /^HTTP\/1.1 401 /)
  t.strictSame(ran, [])
})

t.test('frameworkErrors responds to requests that Fastify refuses, and no handler runs', async t => {
  const { app, ran } = await hostOfAll(t, {
    frameworkErrors: (error, _request, reply) => {
      void reply.code(400 as never).send(error.code as never)
    }
  })
  for (const [url, code] of [
    ['/%zz', 'FST_ERR_BAD_URL'],
    [`/user/${'x'.repeat(101)}`, 'FST_ERR_MAX_PARAM_LENGTH']
  ]) {
    t.equal((await app.inject(url as string)).body, code)
  }
  t.strictSame(ran, [])
})

t.test('a method that Fastify does not support gets 404 or 405 over HTTP/2, and runs no handler', async t => {
  const { app, ran } = await hostWith(t, undefined, { serverOptions: { http2: true } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const session = connectHttp2(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  t.teardown(() => session.destroy())
  const ask = async (head: Record<string, string>) => {
    const stream = session.request({ authorization: `Bearer ${forge()}`, ...head }).end()
    const [headers] = await once(stream, 'response')
    stream.resume()
    return headers[':status']
  }
  t.equal(await ask({ ':method': 'BREW', ':path': '/screen' }), 404)
  t.equal(await ask({ ':method': 'CONNECT', ':authority': 'x' }), 405)
  t.strictSame(ran, [])
  t.equal(await ask({ ':method': 'GET', ':path': '/screen' }), 200)
})
