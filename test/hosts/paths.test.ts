import type { FastifyServerOptions } from 'fastify'
import t, { type Test } from 'tap'
import screenAuth from '../../lib/index.ts'
import { bearer, forge, options } from '../helpers.ts'
import { closed, FORGED, loginWorks, newHost, talk } from './closed.ts'

/** Routers that read a path more or less loosely. */
const ROUTERS: Record<string, object> = {
  default: {},
  caseless: { caseSensitive: false },
  'tolerant of slashes': { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
  'with semicolons': { useSemicolonDelimiter: true },
  'tolerant of everything': {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    useSemicolonDelimiter: true,
    allowUnsafeRegex: true
  }
}

/** What a router may take for the login. */
const LOGIN_SPELLINGS = [
  '/auth/login /Auth/Login //auth/login /auth//login /auth/login/ /auth/login// /auth/login;x',
  '/auth/login;/screen /auth/%6cogin /%61uth/login /auth%2flogin /auth/login?next=/screen',
  '/auth/login%3f/screen /auth/login#/screen /auth/login%00 /auth/login%20 /auth/login.json',
  '/auth/login/screen /./auth/login /auth/./login'
].flatMap(line => line.split(' '))

/** What a router may take for a guarded route. */
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
  const answer = async () => 'guarded'
  for (const url of ['/screen', '/files/*', '/user/:id', '/number/:n(^\\d+$)', '/:x/:y-:z', '/opt/:maybe?']) {
    host.app.all(url, answer)
  }
  host.app.register(screenAuth, options())
  host.app.setNotFoundHandler(host.note('not found'))
  return host
}

for (const [name, routerOptions] of Object.entries(ROUTERS)) {
  t.test(`however a path is spelled, no guarded handler runs without a token: router ${name}`, async t => {
    const { app, ran } = routed(t, { routerOptions })
    const wrong: object[] = []
    for (const url of [...LOGIN_SPELLINGS, ...SCREEN_SPELLINGS]) {
      for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS'] as const) {
        for (const headers of [{}, bearer(FORGED)]) {
          const answer = await app.inject({ method, url, headers })
          const isForm = answer.headers['content-type']?.toString().startsWith('application/json')
          const expected = isForm ? { status: 200 } : { status: 401, body: '' }
          const { statusCode: status, body } = answer
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

t.test('a tolerant router serves the login under every spelling that it takes for the same', async t => {
  const spellings: Record<string, string[]> = {
    default: ['/auth/%6cogin', '/auth/login?x', '/auth/login#x'],
    caseless: ['/Auth/Login', '/AUTH/LOGIN'],
    'tolerant of slashes': ['//auth//login', '/auth/login/'],
    'with semicolons': ['/auth/login;x']
  }
  for (const [name, urls] of Object.entries(spellings)) {
    const { app } = routed(t, { routerOptions: ROUTERS[name] ?? {} })
    for (const url of urls) {
      const { statusCode, body } = await app.inject(url)
      t.equal(statusCode, 200, url)
      t.match(body, /"auth_action":"\/auth\/login"/, url)
    }
  }
})

t.test('what counts is the route that rewriteUrl leads to, not the URL that was sent', async t => {
  const rewrites: Record<string, string> = {
    '/auth/login/x': '/screen',
    '/old/screen': '/screen',
    '/in': '/auth/login'
  }
  const host = routed(t, { rewriteUrl: ({ url = '' }) => rewrites[url] ?? url })
  await closed(t, host, ['/auth/login/x', '/old/screen'])
  t.equal((await host.app.inject('/in')).json().auth_action, '/auth/login')
  await loginWorks(t, host.app)
})

t.test('no request target that HTTP allows, and none that it does not, gets past the guard', async t => {
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
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await talk(app, `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      const expected = method === 'GET' ? status : 401
      t.match(answer, new RegExp(`^HTTP/1.1 (${expected}|400) `), `${method} ${target}`)
    }
  }
  t.strictSame(ran, [])
  const served = await talk(
    app,
    `GET http://any.example/screen HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${forge()}\r\nconnection: close\r\n\r\n`
  )
  t.match(served, /^HTTP\/1.1 200 /)
})

t.test('headers that speak of another path or method change nothing', async t => {
  const { app, ran } = routed(t, { trustProxy: true })
  for (const [name, value] of Object.entries({
    'x-original-url': '/auth/login',
    'x-rewrite-url': '/auth/login',
    'x-forwarded-prefix': '/auth/login',
    'x-forwarded-uri': '/auth/login',
    'x-http-method-override': 'GET',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'auth/login'
  })) {
    t.equal((await app.inject({ url: '/screen', headers: { [name]: value } })).statusCode, 401, name)
  }
  t.strictSame(ran, [])
})
