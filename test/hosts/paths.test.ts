import type { FastifyServerOptions } from 'fastify'
import t, { type Test } from 'tap'
import screenAuth from '../../lib/index.ts'
import { bearer, forge, options } from '../helpers.ts'
import { closed, FORGED, loginWorks, newHost, talk } from './closed.ts'

const ROUTERS: Record<string, object> = {
  default: {},
  lenient: {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    useSemicolonDelimiter: true,
    allowUnsafeRegex: true
  }
}

/** Paths that a router may match with the login. */
const LOGIN_SPELLINGS = [
  '/auth/login /Auth/Login //auth/login /auth//login /auth/login/ /auth/login// /auth/login;x',
  '/auth/login;/screen /auth/%6cogin /%61uth/login /auth%2flogin /auth/login?next=/screen',
  '/auth/login%3f/screen /auth/login#/screen /auth/login%00 /auth/login%20 /auth/login.json',
  '/auth/login/screen /./auth/login /auth/./login'
].flatMap(line => line.split(' '))

/** Paths that a router may match with a guarded route. */
const SCREEN_SPELLINGS = [
  '/screen /Screen //screen /screen/ /screen;x /%73creen /screen?url=/auth/login /screen#/auth/login',
  '/auth/login/../../screen /auth/login/..%2f..%2fscreen /auth/login%2f..%2f..%2fscreen',
  '/auth/login/%2e%2e/%2e%2e/screen /auth/login\\..\\..\\screen /auth/login;/../../screen',
  '/screen/../auth/login /screen%2f..%2fauth/login /screen;/auth/login /files/auth/login',
  '/files/../auth/login /files//auth/login /user/..%2fauth%2flogin /user/auth%2flogin',
  '/number/1;auth/login /a/b-c /'
].flatMap(line => line.split(' '))

function routed(t: Test, serverOptions: FastifyServerOptions) {
  const host = newHost(t, serverOptions)
  const handler = async () => 'guarded'
  for (const url of ['/screen', '/files/*', '/user/:id', '/number/:n(^\\d+$)', '/:x/:y-:z', '/opt/:maybe?'])
    host.app.all(url, handler)
  host.app.register(screenAuth, options())
  host.app.setNotFoundHandler(host.note('not found'))
  return host
}

for (const [name, routerOptions] of Object.entries(ROUTERS)) {
  t.test(`no spelling of a path runs a guarded handler without a token: router ${name}`, async t => {
    const { app, ran } = routed(t, { routerOptions })
    const wrong: object[] = []
    for (const url of [...LOGIN_SPELLINGS, ...SCREEN_SPELLINGS]) {
      for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS'] as const) {
        for (const headers of [{}, bearer(FORGED)]) {
          const response = await app.inject({ method, url, headers })
          const isForm = response.headers['content-type']?.toString().startsWith('application/json')
          const expected = isForm ? { status: 200 } : { status: 401, body: '' }
          const { statusCode: status, body } = response
          if (status !== expected.status || (expected.body ?? body) !== body) wrong.push({ method, url, status })
        }
      }
    }
    t.strictSame(wrong, [])
    t.strictSame(ran, [])
  })

  t.test(`the login works and routes of every kind are served with a token: router ${name}`, async t => {
    const host = routed(t, { routerOptions })
    await closed(t, host, ['/screen', '/files/a/b', '/user/x', '/number/12', '/a/b-c', '/opt', '/opt/x'])
    await loginWorks(t, host.app)
  })
}

t.test('a router serves the login under every spelling that it treats as equivalent', async t => {
  const exact = ['/auth/%6cogin', '/auth/login?x', '/auth/login#x']
  const lenient = [...exact, '/Auth/Login', '/AUTH/LOGIN', '//auth//login', '/auth/login/', '/auth/login;x']
  for (const [name, urls] of Object.entries({ default: exact, lenient })) {
    const { app } = routed(t, { routerOptions: ROUTERS[name] ?? {} })
    for (const url of urls) t.match((await app.inject(url)).body, '"auth_action":"/auth/login"', url)
  }
})

t.test('no valid or invalid request target bypasses the guard', async t => {
  const { app, ran } = routed(t, { forceCloseConnections: true })
  const guarded = [...SCREEN_SPELLINGS, ...'; %00 %2f %20 ;/screen'.split(' ').map(end => `/auth/login${end}`)]
  const targets = {
    ...Object.fromEntries([...guarded, '/auth//login', '/./auth/login'].map(url => [url, 401])),
    'http://any.example/screen': 401,
    'https://any.example/screen?/auth/login': 401,
    'http://any.example/auth/login/../../screen': 401,
    'http://any.example/auth/login': 200,
    'http:///auth/login': 200,
    'ftp://any.example/auth/login': 401,
    '*': 401,
    screen: 401,
    'auth/login': 401,
    '?/auth/login': 401,
    '//auth/login': 401,
    '///screen': 401
  }
  for (const [target, status] of Object.entries(targets)) {
    const response = await talk(app, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    t.match(response, new RegExp(`^HTTP/1.1 (${status}|400) `), target)
  }
  t.strictSame(ran, [])
  const served = await talk(
    app,
    `GET http://any.example/screen HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${forge()}\r\nconnection: close\r\n\r\n`
  )
  t.match(served, /^HTTP\/1.1 200 /)
})

/** Requests that Node or Fastify refuses before the guard, and the status of their responses. */
const REFUSALS: Record<string, [head: string, status: number]> = {
  'a URL that cannot be decoded': ['GET /%zz HTTP/1.1\r\nhost: x\r\nconnection: close', 400],
  'a parameter that is too long': [`GET /user/${'x'.repeat(101)} HTTP/1.1\r\nhost: x\r\nconnection: close`, 414],
  'headers that are too large': [`GET /screen HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}`, 431],
  'an unknown expectation': ['GET /screen HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\nconnection: close', 417],
  'text that is not HTTP': ['SSH-2.0-client', 400],
  'a missing Host header': ['GET /screen HTTP/1.1\r\nconnection: close', 400],
  'two Content-Length headers': ['POST /screen HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2', 400],
  'an unknown method': ['BREW /screen HTTP/1.1\r\nhost: x', 400]
}

t.test('no handler runs for a request that is refused before the guard, with or without a token', async t => {
  const { app, ran } = routed(t, { forceCloseConnections: true })
  for (const [name, [head, status]] of Object.entries(REFUSALS))
    for (const token of ['', `\r\nauthorization: Bearer ${forge()}`])
      t.match(await talk(app, `${head}${token}\r\n\r\n`), new RegExp(`^HTTP/1.1 ${status} `), name)
  t.strictSame(ran, [])
})
