import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'
import t from 'tap'
import screenAuth from '../../../lib/index.ts'
import {
  ADA,
  bearer,
  claims,
  collectLog,
  collectWarnings,
  emptyHost,
  forge,
  host,
  options,
  SECRET,
  throwing
} from '../../helpers.ts'
import { talk } from '../../hosts/closed.ts'

/** A thenable, like the promises of other libraries. */
function thenable(then: (resolve: (value: unknown) => void, reject: (error: Error) => void) => void) {
  return { then }
}

t.test('a route is public only if its config has screenAuth: false', async t => {
  const app = await host(t)
  for (const [url, screenAuth] of Object.entries({ '/false': false, '/true': true, '/none': undefined }))
    app.get(url, { config: { screenAuth } as object }, async () => 'x')
  t.equal((await app.inject('/false')).statusCode, 200)
  t.equal((await app.inject({ method: 'HEAD', url: '/false' })).statusCode, 200)
  t.equal((await app.inject({ method: 'POST', url: '/false' })).statusCode, 401)
  for (const url of ['/true', '/none']) t.equal((await app.inject(url)).statusCode, 401, url)
})

t.test('a public route ignores a stale or malformed Authorization header', async t => {
  const app = await host(t)
  app.get('/open', { config: { screenAuth: false } }, async request => ({ user: request.screenUser }))
  for (const authorization of ['Bearer stale', 'Basic x', 'nonsense', `Bearer ${forge()}`]) {
    const response = await app.inject({ url: '/open', headers: { authorization } })
    t.strictSame(response.json(), { user: null }, authorization)
    t.equal((await app.inject({ url: '/auth/login', headers: { authorization } })).statusCode, 200)
  }
})

t.test('guarded routes respond 503 with Retry-After, never 401, if the token service fails', async t => {
  const log = collectLog()
  const failing = {
    throws: throwing('store is down'),
    rejects: async () => throwing('store is down')(),
    'throws an error that cannot be logged': () => {
      throw Object.freeze(new Error('store is down'))
    },
    'rejects with an error that cannot be logged': async () => {
      throw Object.freeze(new Error('store is down'))
    },
    'rejects with nothing': () => Promise.reject(),
    'is a thenable that rejects': () => thenable((_resolve, reject) => reject(new Error()))
  }
  for (const [name, verify] of Object.entries(failing)) {
    const app = await host(t, { tokens: { issue: () => 'token', verify } }, log)
    const response = await app.inject({ url: '/screen', headers: bearer('token') })
    const headers = { 'retry-after': /^\d+$/, 'cache-control': 'no-store', 'www-authenticate': undefined }
    t.match(response, { statusCode: 503, body: '', headers }, name)
    t.equal((await app.inject('/screen')).statusCode, 401, 'no token is still no token')
    t.equal((await app.inject('/auth/login')).statusCode, 200, 'the login form needs no store')
  }
  t.match(log.text(), /store is down/)
})

t.test('a verify that returns no user means an invalid token, and is told once by types', async t => {
  const warnings = collectWarnings(t)
  const tokens = { issue: () => 'token', verify: async (token: string) => RETURNED[token as 'true'] }
  const RETURNED = { true: true, half: { username: 'hunter2' }, array: [ADA], undefined, null: null, ada: ADA }
  const app = await host(t, { tokens })
  for (const token of ['true', 'half', 'half', 'array', 'undefined', 'null'])
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 401, token)
  t.equal((await app.inject({ url: '/screen', headers: bearer('ada') })).statusCode, 200)
  const came = ['boolean', '{ username: string, displayName: undefined }', 'array', 'undefined']
  const rule = 'screen-auth: tokens.verify must return null or a user: { username, displayName }, both strings'
  t.strictSame(
    warnings,
    came.map(type => `${rule}; it returned ${type}`)
  )
})

t.test('an error with status 401, or one of @fastify/jwt for a bad token, means an invalid token', async t => {
  const issuer = Fastify()
  await issuer.register(fastifyJwt, { secret: SECRET })
  const unauthorized = (name: string) => throwing('no', { [name]: 401 })
  const withCode = (code: string) => async () => throwing('no', { code })()
  const ofHost = (token: string) => issuer.jwt.verify<typeof ADA>(token)
  const tokens = [forge(), issuer.jwt.sign({ ...ADA, exp: 1 }), forge(claims(), {}, { hash: 'sha512' }), 'a.b.c', 'x']
  for (const [verify, status] of [
    [unauthorized('statusCode'), 401],
    [unauthorized('status'), 401],
    [async () => unauthorized('status')(), 401],
    [async (token: string) => ofHost(`${token}x`), 401],
    [(token: string) => ofHost(`${token}x`), 401],
    [withCode('FST_JWT_BAD_REQUEST'), 401],
    [withCode('FAST_JWT_INVALID_KEY_TOO'), 401],
    [withCode('FAST_JWT_KEY_FETCHING_ERROR'), 503],
    [withCode('NOT_FAST_JWT_MALFORMED'), 503],
    [withCode('NOT_FST_JWT_BAD_REQUEST'), 503],
    [withCode('FST_JWT_BAD_REQUEST_TOO'), 503]
  ] as const) {
    const app = await host(t, { tokens: { issue: () => 'x', verify } })
    for (const token of tokens)
      t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, status, token)
    if (status === 401) t.equal(await app.screenAuth.verifyToken('x'), null)
  }
  const app = await host(t, { tokens: { issue: () => 'x', verify: ofHost } })
  t.strictSame((await app.inject({ url: '/screen', headers: bearer(issuer.jwt.sign({ ...ADA })) })).json(), ADA)
})

t.test('verify of a token service may return its result or a promise', async t => {
  const check = (token: string) => (token === 'good!' ? ADA : null)
  const later = (token: string) => thenable(resolve => setImmediate(resolve, check(token)))
  for (const verify of [check, async (token: string) => check(token), later]) {
    const app = await host(t, { tokens: { issue: () => 'good!', verify } })
    t.strictSame((await app.inject({ url: '/screen', headers: bearer('good!') })).json(), ADA)
    t.equal((await app.inject({ url: '/screen', headers: bearer('bad') })).statusCode, 401)
  }
})

t.test('the guard handles a JWT synchronously', async t => {
  const app = emptyHost(t)
  const order: string[] = []
  app.addHook('onRequest', (_request, _reply, done) => {
    queueMicrotask(() => order.push('microtask'))
    done()
  })
  await app.register(screenAuth, options())
  app.addHook('onRequest', (_request, _reply, done) => {
    order.push('after the guard')
    done()
  })
  await app.inject({ url: '/menu/main', headers: bearer(forge()) })
  t.strictSame(order, ['after the guard', 'microtask'])
})

// The Authorization header.

t.test('Bearer may be written in any case, with one or more spaces before the token', async t => {
  const app = await host(t)
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'bEaReR ', 'Bearer    ']) {
    const response = await app.inject({ url: '/screen', headers: { authorization: scheme + forge() } })
    t.equal(response.statusCode, 200, scheme)
  }
})

t.test('any other header gets an empty 401 that no cache stores, and a challenge without the app name', async t => {
  const app = await host(t, { appName: 'Демо "☃"\r\n' })
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
    const { statusCode, body, headers } = await app.inject({ url: '/screen', headers: { authorization } })
    const name = authorization.slice(0, 20)
    t.strictSame([statusCode, body], [401, ''], name)
    const all = { 'www-authenticate': expected, 'cache-control': 'no-store', 'content-length': '0' }
    t.match(headers, all, name)
  }
})

t.test('a repeated Authorization header gets 401, even if both are valid', async t => {
  const app = await host(t)
  const send = (...headers: string[]) =>
    talk(app, ['GET /screen HTTP/1.1', 'Host: x', ...headers, 'Connection: close\r\n\r\n'].join('\r\n'))
  const authorization = `Authorization: Bearer ${forge()}`
  // Another header has a name of the same length.
  t.match(await send(authorization, 'If-None-Match: "x"'), /^HTTP\/1.1 200 /)
  for (const other of [authorization, authorization.toLowerCase(), 'Authorization: Basic x', 'Authorization:']) {
    t.match(await send(authorization, other), /^HTTP\/1.1 401 /)
    t.match(await send(other, authorization), /^HTTP\/1.1 401 /)
  }
})

t.test('each of several pipelined requests is authorized by its own header', async t => {
  const without = 'GET /screen HTTP/1.1\r\nHost: x\r\n\r\n'
  const withToken = `GET /screen HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${forge()}\r\n\r\n`
  const last = without.replace('Host: x', 'Host: x\r\nConnection: close')
  const response = await talk(await host(t), withToken + without + withToken + last)
  t.strictSame(response.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200', 'HTTP/1.1 401'])
})

t.test('a token service gets the request and the unchanged token, but no text that cannot be a token', async t => {
  const seen: unknown[] = []
  const verify = (token: string, request: { url: string }) => seen.push(token, request.url) && ADA
  const app = await host(t, { tokens: { issue: () => 'token', verify } })
  for (const token of ['t\u00f6ken', 'to\tken', 'token\u007f']) {
    t.equal((await app.inject({ url: '/screen', headers: bearer(token) })).statusCode, 401)
    t.equal(await app.screenAuth.verifyToken(token), null)
  }
  const token = 'any{string}:of="ASCII"!~'
  t.equal((await app.inject({ url: '/screen?a=1', headers: bearer(token) })).statusCode, 200)
  t.strictSame(seen, [token, '/screen?a=1'])
})
