// Servers with a door beside the guard: what frameworks and proxies open, and what a connection remembers.
import type { BrokenServer } from './broken-servers.ts'
import { type Form, type Incoming, json, type Outgoing, type Parts } from './minimal-server.ts'

const door = (
  name: string,
  clause: string,
  change: (parts: Parts) => Partial<Parts>,
  more: Partial<BrokenServer> = {}
): BrokenServer => ({ name: `a door: ${name}`, clause, form: 'opaque' as Form, break: change, ...more })

/** Lets every request pass for which the test holds. */
const opens =
  (test: (request: Incoming, parts: Parts) => unknown) =>
  (parts: Parts): Partial<Parts> => ({
    tokenOf: request => (test(request, parts) ? 'open' : parts.tokenOf(request)),
    isValid: (token, request) => token === 'open' || parts.isValid(token, request)
  })

/** Responds to some requests before the guard does. */
const before =
  (test: (request: Incoming, parts: Parts) => Outgoing | false | undefined) =>
  (parts: Parts): Partial<Parts> => ({
    raw(request, _, response) {
      const found = test(request, parts)
      if (!found) return false
      response.writeHead(found.status, found.headers).end(found.body && JSON.stringify(found.body))
      return true
    }
  })

const hasBody = ({ method, body }: Incoming) => method === 'POST' && body !== ''
const isGuarded = (request: Incoming, parts: Parts) => !parts.isPublic(request)
const isJson = ({ headers }: Incoming) => /^application\/json/.test(headers['content-type'] ?? '')

function parses(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

const cors = { 'access-control-allow-origin': '*', 'access-control-allow-methods': '*' }
const menuOf = (parts: Parts) => json(200, parts.menu(false))

/** What frameworks serve by themselves. */
const frameworkPaths = [
  '/actuator',
  '/actuator/health',
  '/actuator/env',
  '/debug/pprof/',
  '/debug/vars',
  '/error',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/redoc',
  '/swagger-ui/index.html',
  '/v3/api-docs',
  '/documentation/json',
  '/graphql',
  '/h2-console',
  '/server-status',
  '/.env'
]

/** Headers with which a proxy, or somebody who pretends to be one, opens a server. */
const opening: [string, string][] = [
  ['x-forwarded-for', '127.0.0.1'],
  ['x-real-ip', '127.0.0.1'],
  ['forwarded', 'for=127.0.0.1'],
  ['cf-connecting-ip', '127.0.0.1'],
  ['x-forwarded-host', 'localhost'],
  ['x-original-url', '/auth/login'],
  ['x-rewrite-url', '/auth/login'],
  ['x-forwarded-uri', '/auth/login'],
  ['x-forwarded-prefix', '/auth/login'],
  ['x-http-method-override', 'OPTIONS'],
  ['x-forwarded-method', 'OPTIONS'],
  ['user-agent', 'kube-probe'],
  ['x-requested-with', 'XMLHttpRequest'],
  ['x-forwarded-user', ''],
  ['remote-user', ''],
  ['x-user-id', ''],
  ['x-ssl-client-verify', 'SUCCESS'],
  ['x-internal', 'true']
]

export const openDoors: BrokenServer[] = [
  ...frameworkPaths.map(path =>
    door(
      `${path} is open`,
      '4 all other routes',
      opens(one => one.path === path)
    )
  ),
  ...opening.map(([name, value]) =>
    door(
      `the header ${name}`,
      '5.2',
      opens(({ headers }) => headers[name] && String(headers[name]).startsWith(value))
    )
  ),
  door(
    'If-None-Match is answered first',
    '5.2',
    before(
      ({ path, headers }) => path === '/menu/main' && headers['if-none-match'] === '*' && { status: 304 }
    )
  ),
  door(
    'the favicon is a screen',
    '4 all other routes',
    before(({ path }, parts) => path === '/favicon.ico' && menuOf(parts))
  ),
  door(
    'a header turns the form into the menu',
    '5.2',
    before(({ headers }, parts) => headers['x-rewrite-url'] === '/menu/main' && menuOf(parts))
  ),
  door(
    'another header turns the form into the menu',
    '5.2',
    before(({ headers }, parts) => headers['x-original-url'] === '/menu/main' && menuOf(parts))
  ),

  door(
    'an ETag stands for a token',
    '7 missing token',
    before(({ headers }) => headers['if-none-match'] === '"the-menu"' && { status: 304 })
  ),
  door(
    'another host',
    '4 all other routes',
    opens(({ headers }) => headers.host === 'localhost')
  ),
  door(
    'a method in the query',
    '4 all other routes',
    opens(({ query }) => query.includes('_method='))
  ),
  door('a WebSocket with a token in the query', '5.1', parts => ({
    tokenOf: request =>
      (request.headers.upgrade && new URLSearchParams(request.query).get('token')) || parts.tokenOf(request),
    other: request => (request.headers.upgrade ? menuOf(parts) : parts.other(request))
  })),
  door('a 401 with the menu behind it', '5.3.3', parts => ({
    missing: () => ({
      status: 401,
      headers: { 'content-type': 'application/json' },
      body: `{"error":"no"}${JSON.stringify(parts.menu(false))}`
    })
  })),
  door('a 401 with the menu as its body', '4 rule 1', parts => ({
    missing: () => ({ ...menuOf(parts), status: 401 })
  })),
  door('a WebSocket is opened', '4 all other routes', () => ({ upgrades: true })),
  door(
    'a request for a WebSocket gets the menu',
    '4 all other routes',
    opens(({ headers }) => headers.upgrade === 'websocket')
  ),
  door(
    'OPTIONS brings the menu, with the headers of CORS',
    '4 all other routes',
    before(
      ({ method, path }, parts) =>
        method === 'OPTIONS' &&
        path === '/menu/main' && {
          ...menuOf(parts),
          headers: { ...cors, 'content-type': 'application/json' }
        }
    )
  ),
  door(
    'a preflight brings the menu',
    '4 all other routes',
    before(
      ({ headers }, parts) =>
        headers['access-control-request-method'] !== undefined && {
          ...menuOf(parts),
          headers: { ...cors, 'content-type': 'application/json' }
        }
    )
  ),
  door(
    'OPTIONS of the login brings the menu',
    '5.2',
    before(
      ({ method, path }, parts) =>
        method === 'OPTIONS' && path === '/auth/login' && { ...menuOf(parts), headers: cors }
    )
  ),
  door(
    'OPTIONS is answered with the methods of a route',
    '4 all other routes',
    before(
      ({ method }) =>
        method === 'OPTIONS' && { status: 200, headers: { allow: 'GET,HEAD' }, body: 'GET,HEAD' }
    )
  ),

  door(
    'a broken body is 400 before the guard',
    '7 missing token',
    before(
      (request, parts) =>
        isGuarded(request, parts) &&
        hasBody(request) &&
        isJson(request) &&
        !parses(request.body) &&
        json(400, {})
    )
  ),
  door(
    'a body of another type is 415 before the guard',
    '7 missing token',
    before(
      (request, parts) => isGuarded(request, parts) && hasBody(request) && !isJson(request) && json(415, {})
    )
  ),
  door(
    'a body of another charset is 415 before the guard',
    '7 missing token',
    before(
      (request, parts) =>
        isGuarded(request, parts) &&
        /charset=none/.test(request.headers['content-type'] ?? '') &&
        json(415, {})
    )
  ),
  door(
    'a compressed body is 400 before the guard',
    '7 missing token',
    before(
      (request, parts) =>
        isGuarded(request, parts) && request.headers['content-encoding'] === 'gzip' && json(400, {})
    )
  ),
  door(
    'a body that is not UTF-8 is 500 before the guard',
    '7 missing token',
    before((request, parts) => isGuarded(request, parts) && request.body.includes('\uFFFD') && json(500, {}))
  ),
  door(
    'a form without its boundary is 400 before the guard',
    '7 missing token',
    before(
      (request, parts) =>
        isGuarded(request, parts) &&
        request.headers['content-type'] === 'multipart/form-data' &&
        json(400, {})
    )
  ),
  door(
    'POST needs a token only with a body',
    '4 all other routes',
    opens(request => request.method === 'POST' && !hasBody(request))
  ),

  door('a connection stays logged in', '5.3.1', parts => {
    const known = new WeakSet()
    return {
      isValid: (token, request) =>
        (token === 'open' || parts.isValid(token, request)) && known.add(request.connection) !== undefined,
      tokenOf: request => parts.tokenOf(request) ?? (known.has(request.connection) ? 'open' : undefined)
    }
  }),
  door('the connection of a login stays logged in', '5.3.1', parts => {
    const known = new WeakSet()
    return {
      readFields(request) {
        known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection, method }) => method === 'GET' && known.has(connection))(parts)
    }
  }),
  door('on a connection only the first token is checked', '5.3.2', parts => {
    const known = new WeakSet()
    return {
      isValid: (token, request) =>
        known.has(request.connection) ||
        (parts.isValid(token, request) && known.add(request.connection) !== undefined)
    }
  }),
  door('a login that was refused opens its connection', '5.3.3', parts => {
    const known = new WeakSet()
    return {
      ...opens(({ connection }) => known.has(connection))(parts),
      readFields(request) {
        if (!parses(request.body)) known.add(request.connection)
        return parts.readFields(request)
      }
    }
  }),
  door('the body of a refused request is the next request', '5.3.3', parts => ({
    raw({ method, body }, { socket }) {
      if (method !== 'POST' || !body.startsWith('GET ')) return false
      const form = JSON.stringify(parts.form({} as Incoming).body)
      const length = Buffer.byteLength(form)
      socket.write(
        `HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${form}`
      )
      return true
    }
  })),
  door('after a large body that was refused the connection is out of step', '5.2', parts => {
    const broken = new WeakSet()
    return before(request => {
      if (request.body.length > 10_000) broken.add(request.connection)
      return parts.isPublic(request) && broken.has(request.connection) && json(400, {})
    })(parts)
  }),
  door('the menu is cached by its address', '7 missing token', parts => {
    let isCached = false
    return {
      menu(isLogin, username) {
        isCached ||= !isLogin
        return parts.menu(isLogin, username)
      },
      ...opens(({ path, method }) => isCached && method === 'GET' && path === '/menu/main')(parts)
    }
  }),

  ...(
    [
      ['%2f at the end', path => path.endsWith('%2f')],
      ['%2f in the middle', path => path === '/menu%2fmain'],
      ['..; of Tomcat', path => path.includes('..;/')],
      ['a parameter of the path', path => path === '/menu/main;.css'],
      ['a fragment', path => path.includes('#')],
      ['an absolute target', path => path.startsWith('http://') && path.endsWith('/menu/main')],
      ['capitals', path => path === '/MENU/MAIN'],
      ['two slashes', path => path === '//menu/main'],
      ['a slash at the end', path => path === '/menu/main/'],
      ['an extension', path => path === '/menu/main.json'],
      ['a percent-encoded letter', path => path === '/%6Denu/main']
    ] as [string, (path: string) => boolean][]
  ).map(([name, test]) =>
    door(
      `the menu without a token by ${name}`,
      '5.2',
      before(({ path, method }, parts) => method === 'GET' && test(path) && menuOf(parts))
    )
  ),

  ...(
    [
      ['is open', '5 table all other routes', () => true],
      ['is open for OPTIONS', '5 table all other routes', ({ method }) => method === 'OPTIONS'],
      ['is open for HEAD', '5 table all other routes', ({ method }) => method === 'HEAD'],
      ['opens a WebSocket', '5 table all other routes', ({ headers }) => headers.upgrade !== undefined],
      ['takes any token', '5 table all other routes', ({ headers }) => headers.authorization !== undefined]
    ] as [string, string, (request: Incoming) => boolean][]
  ).map(([name, clause, test]) =>
    door(
      `the given route ${name}`,
      clause,
      parts => ({
        ...opens(request => request.path === '/screen/own' && test(request))(parts),
        other: request => (request.path === '/screen/own' ? menuOf(parts) : parts.other(request))
      }),
      { options: { protected: ['/screen/own'] } }
    )
  )
]
