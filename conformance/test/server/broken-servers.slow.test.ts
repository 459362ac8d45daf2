// The kit detects each server that breaks one clause of the contract in one way, and names the clause.
import { createSecretKey, verify } from 'node:crypto'
import t from 'tap'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import { parseJwt } from '../../server/jwt.ts'
import { failed, matchPages, optionsFor } from './check.ts'
import {
  type Any,
  type Break,
  beforeGuard,
  body,
  type Change,
  decode,
  type Form,
  hmac,
  type Incoming,
  isSigned,
  json,
  listen,
  menu,
  type Outgoing,
  PASSWORD,
  type Parts,
  partsOf,
  privateKeyOf,
  publicKeyOf,
  response,
  SECRET,
  second,
  seconds,
  sign,
  USERNAME
} from './minimal-server.ts'

/**
 * Returns servers that break one clause in one way, for each row of a table.
 *
 * @param about options: for the kit, besides the credentials and the secret
 * @param make returns the change for a row
 * @param rows each key is the broken clause, a colon, and a description
 */
function broken<Row>(
  subject: string,
  about: { form?: Form; prefix?: string; options?: CheckServerOptions },
  make: (row: Row) => Change,
  rows: Record<string, Row>
) {
  return Object.entries(rows).map(([key, row]) => {
    const [clause = '', how] = key.split(': ')
    return { form: 'opaque' as const, ...about, name: `${subject}: ${how}`, clause, change: make(row) }
  })
}

/** For tables whose rows are changes. */
const change = (row: Change) => row

const setsCookie = response('accept')(({ headers, ...rest }) => ({
  ...rest,
  headers: { ...headers, 'set-cookie': 'sid=1; HttpOnly' }
}))

/** Also accepts credentials that pass the test. */
const acceptingLogin =
  (test: (username: unknown, password: unknown) => boolean): Break =>
  parts => ({
    checks: (username, password) => test(username, password) || parts.checks(username, password)
  })

/** Takes the fields from `read`. If `read` returns false, reads them in the usual way. */
const readingFields =
  (read: (request: Incoming, parts: Parts) => Record<string, unknown> | false): Break =>
  parts => ({ readFields: request => read(request, parts) || parts.readFields(request) })

/** Uses the token that `find` returns for a request. If `find` returns none, reads the token in the usual way. */
const readingToken =
  (find: (request: Incoming) => Any): Break =>
  parts => ({ tokenOf: request => find(request) || parts.tokenOf(request) })

/** Also accepts every token for which `test` returns a truthy value. */
const acceptingToken =
  (test: (token: string, request: Incoming) => unknown): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) || Boolean(test(token, request)) })

/** Rejects even valid tokens in requests that pass the test. */
const rejecting =
  (test: (request: Incoming) => boolean): Break =>
  parts => ({ isValid: (token, request) => parts.isValid(token, request) && !test(request) })

/** Validates tokens against the list of issued tokens, in the order of issue. */
const comparingToIssued =
  (isValid: (token: string, issued: string[]) => boolean, form = (token: string) => token): Break =>
  parts => {
    const issued: string[] = []
    return {
      issue(username) {
        const token = form(parts.issue(username))
        issued.push(token)
        return token
      },
      isValid: token => isValid(token, issued)
    }
  }

/** Requires no token for requests that pass the test. */
const opens =
  (test: (request: Incoming, parts: Parts) => unknown): Break =>
  parts => ({
    tokenOf: request => (test(request, parts) ? 'open' : parts.tokenOf(request)),
    isValid: (token, request) => token === 'open' || parts.isValid(token, request)
  })

// A guard that lets too many requests pass, or that responds wrongly.

const hasBody = ({ method, body }: Incoming) => method === 'POST' && body !== ''
const typeOf = ({ headers }: Incoming) => headers['content-type'] ?? ''
const isJson = (request: Incoming) => typeOf(request).startsWith('application/json')
const redirectTo = (location: string): Outgoing => ({ status: 302, headers: { location } })
const menuOf = (parts: Parts) => json(200, parts.menu(false))

function parses(body: string): boolean {
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

const rejectingWith = (respond: (parts: Parts) => Outgoing) => (parts: Parts) => ({
  missing: () => respond(parts),
  invalid: () => respond(parts)
})

const showing = (test: (request: Incoming) => boolean) =>
  beforeGuard((request, parts) => test(request) && menuOf(parts))

const preflight = (test: (request: Incoming) => boolean) =>
  beforeGuard((request, parts) => {
    const { headers, ...response } = menuOf(parts)
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-methods': '*' }
    return test(request) && { ...response, headers: { ...headers, ...cors } }
  })

const statusBeforeGuard = (statusOf: (request: Incoming) => number | false) =>
  beforeGuard((request, parts) => {
    const status = !parts.isPublic(request) && statusOf(request)
    return status !== false && json(status, {})
  })

/** Gives the change a set of connections, to which it can add one. */
const connections = (make: (known: WeakSet<object>, parts: Parts) => Partial<Parts>) => (parts: Parts) =>
  make(new WeakSet(), parts)

const rows = <Row>(texts: string[], key: (text: string) => string, row: (text: string) => Row) =>
  Object.fromEntries(texts.map(text => [key(text), row(text)]))

const FRAMEWORK_PATHS =
  '/actuator /actuator/health /actuator/env /debug/pprof/ /debug/vars /error /metrics /openapi.json /docs /redoc ' +
  '/swagger-ui/index.html /v3/api-docs /documentation/json /graphql /h2-console /server-status /.env /admin'

/** Headers that make a server skip the guard, and the beginnings of their values. */
const BYPASSING: Record<string, string> = {
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  forwarded: 'for=127.0.0.1',
  'cf-connecting-ip': '127.0.0.1',
  'x-forwarded-host': 'localhost',
  'x-original-url': '/auth/login',
  'x-rewrite-url': '/auth/login',
  'x-forwarded-uri': '/auth/login',
  'x-forwarded-prefix': '/auth/login',
  'x-http-method-override': 'OPTIONS',
  'x-forwarded-method': 'OPTIONS',
  'user-agent': 'kube-probe',
  'x-requested-with': 'XMLHttpRequest',
  'x-forwarded-user': '',
  'remote-user': '',
  'x-user-id': '',
  'x-ssl-client-verify': 'SUCCESS',
  'x-internal': 'true'
}

const brokenGuards = [
  ...broken('the guard', {}, rejectingWith, {
    '4 rule 1: 403 in place of 401': () => ({ status: 403 }),
    '4 rule 1: a redirect to the login': () => redirectTo('/auth/login'),
    '4 rule 1: the login form in place of 401': parts => parts.form({} as Any)
  }),
  ...broken('the guard', {}, change, {
    '7 invalid token: 401 without a token, 403 with a wrong one': { invalid: () => ({ status: 403 }) },
    '5.2: the path is normalised after the guard': parts => ({
      ...opens(({ path }) => path.startsWith('/auth/login/'))(parts),
      other: request =>
        new URL(request.path, 'http://x').pathname === '/menu/main' ? menuOf(parts) : parts.other(request)
    }),
    '7 missing token: a browser gets a redirect': parts => ({
      missing: request => (request.headers.accept?.includes('html') ? redirectTo('/') : parts.missing(request))
    }),
    '4 GET /auth/login: the form needs a token': parts => ({
      isPublic: request => request.method === 'POST' && parts.isPublic(request)
    }),
    '4 GET /auth/login: a logged-in user gets no form': parts => ({
      form: request =>
        parts.isValid(parts.tokenOf(request) ?? '', request) ? redirectTo('/menu/main') : parts.form(request)
    }),
    '5.1: a WebSocket with a token in the query': parts => ({
      ...readingToken(({ headers, query }) => headers.upgrade && new URLSearchParams(query).get('token'))(parts),
      other: request => (request.headers.upgrade ? menuOf(parts) : parts.other(request))
    }),
    '5.3.3: a 401 with the menu after its JSON': parts => ({
      missing: () => json(401, `{"error":"no"}${JSON.stringify(parts.menu(false))}`)
    }),
    '4 rule 1: a 401 with the menu as its body': parts => ({ missing: () => ({ ...menuOf(parts), status: 401 }) }),
    '5.3.3: the body of a rejected request is read as the next request': parts => ({
      raw({ method, body }, { socket }) {
        if (method !== 'POST' || !body.startsWith('GET ')) return false
        const form = JSON.stringify(parts.form({} as Incoming).body)
        const length = Buffer.byteLength(form)
        socket.write(
          `HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${form}`
        )
        return true
      }
    })
  }),
  ...broken('the guard', {}, opens, {
    '4 all other routes: no guard at all': () => true,
    '4 all other routes: HEAD is open': ({ method }) => method === 'HEAD',
    '4 all other routes: OPTIONS is open': ({ method }) => method === 'OPTIONS',
    '4 all other routes: POST is open': ({ method }) => method === 'POST',
    '4 all other routes: DELETE is open': ({ method }) => method === 'DELETE',
    '4 all other routes: unknown routes are 404 without a token': ({ path }) => path !== '/menu/main',
    '4 all other routes: the root is open': ({ path }) => path === '/',
    '4 all other routes: static files are open': ({ path }) => /\.(css|js|ico)$/.test(path),
    '5.2: all methods of /auth/login are public': ({ path }) => path === '/auth/login',
    '5.2: every query with /auth/login is public': ({ query }) => query.includes('/auth/login'),
    '5.2: a Referer of the login bypasses the guard': ({ headers }) => headers.referer?.endsWith('/auth/login'),
    ...rows(
      Object.keys(BYPASSING),
      name => `5.2: the header ${name}`,
      name =>
        ({ headers }: Incoming) =>
          headers[name] && String(headers[name]).startsWith(BYPASSING[name] as string)
    ),
    '4 all other routes: another host': ({ headers }) => headers.host === 'localhost',
    '4 all other routes: a method in the query': ({ query }) => query.includes('_method='),
    '4 all other routes: a request for a WebSocket gets the menu': ({ headers }) => headers.upgrade === 'websocket',
    '4 all other routes: POST needs a token only with a body': request => request.method === 'POST' && !hasBody(request)
  }),
  ...broken('the guard', { prefix: '/app' }, opens, {
    '4 all other routes: under a prefix, only the menu is protected': ({ path }) => !path.startsWith('/app/menu')
  }),

  ...broken('the guard', {}, showing, {
    ...rows(
      FRAMEWORK_PATHS.split(' '),
      path => `4 all other routes: ${path} is open`,
      path => (request: Incoming) => request.path === path
    ),
    '4 all other routes: the favicon is a screen': ({ path }) => path === '/favicon.ico',
    '5.2: the menu is at /auth/login/': ({ path }) => path === '/auth/login/',
    '5.2: a header turns the form into the menu': ({ headers }) => headers['x-rewrite-url'] === '/menu/main',
    '5.2: another header turns the form into the menu': ({ headers }) => headers['x-original-url'] === '/menu/main'
  }),
  ...broken('the guard', {}, beforeGuard, {
    '5.2: If-None-Match comes before the guard': ({ path, headers }) =>
      path === '/menu/main' && headers['if-none-match'] === '*' && { status: 304 },
    '7 missing token: an ETag replaces a token': ({ headers }) =>
      headers['if-none-match'] === '"the-menu"' && { status: 304 },
    '4 all other routes: a request for a WebSocket gets a 400': ({ headers }) =>
      headers.upgrade !== undefined && { status: 400 }
  }),
  ...broken('the guard', {}, preflight, {
    '4 all other routes: OPTIONS returns the menu, with CORS headers': ({ method, path }) =>
      method === 'OPTIONS' && path === '/menu/main',
    '4 all other routes: a preflight returns the menu': ({ headers }) =>
      headers['access-control-request-method'] !== undefined,
    '5.2: OPTIONS on the login returns the menu': ({ method, path }) => method === 'OPTIONS' && path === '/auth/login'
  }),
  ...broken('the guard', {}, statusBeforeGuard, {
    '7 missing token: a broken body is 400 before the guard': request =>
      hasBody(request) && isJson(request) && !parses(request.body) && 400,
    '7 missing token: a body of another type is 415 before the guard': request =>
      hasBody(request) && !isJson(request) && 415,
    '7 missing token: a body of another charset is 415 before the guard': request =>
      typeOf(request).includes('charset=none') && 415,
    '7 missing token: a compressed body is 400 before the guard': ({ headers }) =>
      headers['content-encoding'] === 'gzip' && 400,
    '7 missing token: a body that is not UTF-8 is 500 before the guard': ({ body }) => body.includes('\uFFFD') && 500,
    '7 missing token: a form without a boundary is 400 before the guard': request =>
      typeOf(request) === 'multipart/form-data' && 400
  }),
  ...broken('the guard', {}, connections, {
    '5.3.1: a connection stays logged in': (known, parts) => ({
      isValid: (token, request) =>
        (token === 'open' || parts.isValid(token, request)) && known.add(request.connection) !== undefined,
      tokenOf: request => parts.tokenOf(request) ?? (known.has(request.connection) ? 'open' : undefined)
    }),
    '5.3.1: the connection of a login stays logged in': (known, parts) => ({
      readFields(request) {
        known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection, method }) => method === 'GET' && known.has(connection))(parts)
    }),
    '5.3.2: only the first token of a connection is checked': (known, parts) => ({
      isValid: (token, request) =>
        known.has(request.connection) || (parts.isValid(token, request) && known.add(request.connection) !== undefined)
    }),
    '5.3.3: a malformed login authenticates its connection': (known, parts) => ({
      readFields(request) {
        if (!parses(request.body)) known.add(request.connection)
        return parts.readFields(request)
      },
      ...opens(({ connection }) => known.has(connection))(parts)
    }),
    '5.2: after a rejected large body the next request on the connection fails': (known, parts) =>
      beforeGuard(({ body, connection, ...request }) => {
        if (body.length > 10_000) known.add(connection)
        return parts.isPublic({ ...request, body, connection }) && known.has(connection) && json(400, {})
      })(parts)
  }),

  ...broken(
    'the guard',
    {},
    (test: (path: string) => boolean) => showing(({ path, method }) => method === 'GET' && test(path)),
    {
      '5.2: the menu without a token by %2f at the end': path => path.endsWith('%2f'),
      '5.2: the menu without a token by %2f in the middle': path => path === '/menu%2fmain',
      '5.2: the menu without a token by ..; as in Tomcat': path => path.includes('..;/'),
      '5.2: the menu without a token by a parameter of the path': path => path === '/menu/main;.css',
      '5.2: the menu without a token by a fragment': path => path.includes('#'),
      '5.2: the menu without a token by an absolute target': path => /^http:\/\/.*\/menu\/main$/.test(path),
      '5.2: the menu without a token by capitals': path => path === '/MENU/MAIN',
      '5.2: the menu without a token by two slashes': path => path === '//menu/main',
      '5.2: the menu without a token by a slash at the end': path => path === '/menu/main/',
      '5.2: the menu without a token by an extension': path => path === '/menu/main.json',
      '5.2: the menu without a token by a percent-encoded letter': path => path === '/%6Denu/main'
    }
  ),
  ...broken(
    'the guard',
    { options: { protected: ['/screen/own'] } },
    (test: (request: Incoming) => boolean): Change =>
      parts => ({
        ...opens(request => request.path === '/screen/own' && test(request))(parts),
        other: request => (request.path === '/screen/own' ? menuOf(parts) : parts.other(request))
      }),
    {
      '5 table all other routes: the given route is open': () => true,
      '5 table all other routes: the given route is open for OPTIONS': ({ method }) => method === 'OPTIONS',
      '5 table all other routes: the given route is open for HEAD': ({ method }) => method === 'HEAD',
      '5 table all other routes: the given route is open for a WebSocket': ({ headers }) =>
        headers.upgrade !== undefined,
      '5 table all other routes: the given route accepts any token': ({ headers }) =>
        headers.authorization !== undefined
    }
  )
]

// A form, login or menu that breaks the contract, or a login that does not accept every valid AuthRequest.

const gone = undefined
const user = { username: USERNAME, password: PASSWORD }
const rejection = { success: false, token: null, error: 'no', screen: null }
const form = body('form')

const is401 = (test: (request: Incoming) => boolean): Partial<Parts> => ({
  other: request => ({ status: test(request) ? 401 : 404 })
})

/** Encode a body as JSON, with a byte order mark or in Latin-1. */
const marked = (body: unknown) => Buffer.from(`\uFEFF${JSON.stringify(body)}`)
const latin1 = (body: unknown) => Buffer.from(JSON.stringify({ note: 'größer', ...Object(body) }), 'latin1')

// biome-ignore lint/suspicious/noControlCharactersInRegex: these servers support ASCII only
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)

const brokenLogins = [
  ...broken('the form', {}, form, {
    '2.6.1: layout Form': { layout: 'Form' },
    '2.3 layout: no layout': { layout: gone },
    '2.6.2: no title': { title: gone },
    '2.6.3: no auth_action': { auth_action: gone },
    '2.3 auth_action: auth_action /login': { auth_action: '/login' },
    '2.6.4: two sections': ({ sections, ...body }) => ({
      ...body,
      sections: [...sections, { id: 'more', label: 'More', fields: [] }]
    }),
    '2.3 sections: no sections': { sections: gone },
    '2.3 sections: sections as a map': ({ sections: [login], ...body }) => ({ ...body, sections: { login } }),
    '2.6.1: in an envelope': body => ({ screen: body }),
    '1: as HTML': () => '<form action="/auth/login"></form>'
  }),
  ...broken('the form', { prefix: '/app' }, form, {
    '2.6.3: auth_action without the prefix': { auth_action: '/auth/login' }
  }),
  ...broken(
    'the form',
    {},
    (change: (section: Any) => object) =>
      form(({ sections: [one], ...body }) => ({ ...body, sections: [{ ...one, ...change(one) }] })),
    {
      '2.4 id: section id auth': () => ({ id: 'auth' }),
      '2.4 label: section without a label': () => ({ label: gone }),
      '2.4 fields: one field only': ({ fields }) => ({ fields: fields.slice(1) }),
      '2.4 fields: a third field': ({ fields }) => ({ fields: [...fields, { ...fields[0], id: 'otp' }] })
    }
  ),
  ...broken(
    'the form',
    {},
    (change: Record<string, object>) =>
      form(({ sections: [{ fields, ...section }], ...body }) => ({
        ...body,
        sections: [{ ...section, fields: fields.map((one: { id: string }) => ({ ...one, ...change[one.id] })) }]
      })),
    {
      '2.5 id: username with the id user': { username: { id: 'user' } },
      '2.5 type: username of type text': { username: { type: 'text' } },
      '2.5 type: password of type Text': { password: { type: 'Text' } },
      '2.5 label: username without a label': { username: { label: gone } },
      '2.5 value: username prefilled': { username: { value: 'guest' } },
      '2.5 value: password with value null': { password: { value: null } }
    }
  ),

  ...broken('a success', {}, body('accept'), {
    '2.2 success: success "true"': { success: 'true' },
    '2.2 token: no token': { token: gone },
    '2.2 token: token as an object': { token: { value: 'x' } },
    '2.2 error: no error': { error: gone },
    '2.2 error: error ""': { error: '' },
    '2.2 screen: screen as a URL': { screen: '/menu/main' },
    '5.1: token with a line break': { token: 'two\nlines' }
  }),
  ...broken('a rejection', {}, body('reject'), {
    '2.2 success: success null': { success: null },
    '2.2 token: no token': { token: gone },
    '2.2 token: token ""': { token: '' },
    '2.2 error: no error': { error: gone },
    '2.2 screen: no screen': { screen: gone }
  }),
  ...broken('a login', {}, change, {
    '7 rejected credentials: plain text': { reject: () => ({ status: 403, body: 'no' }) },
    '7 rejected credentials: an unknown user causes a crash': parts => ({
      reject: fields => (fields.username === USERNAME ? parts.reject(fields) : { status: 500, body: 'null pointer' })
    }),
    '1: not JSON': parts => ({ menu: isLogin => (isLogin ? parts.menu(true) : '<h1>Menu</h1>') }),
    '1: the form has a byte order mark': form(marked),
    '1: the form is in Latin-1': form(latin1),
    '2.6.3: auth_action is absolute': form({ auth_action: 'http://localhost/auth/login' }),
    '2.6.2: the title is white space': form({ title: ' ' }),
    '4 GET /auth/login: Basic credentials turn the form into the menu': parts => ({
      form: request =>
        /^Basic .{15}/.test(request.headers.authorization ?? '') ? json(200, parts.menu(true)) : parts.form(request)
    }),
    '7 rejected credentials: a cookie replaces the credentials': parts => ({
      ...setsCookie(parts),
      readFields: request => (request.headers.cookie?.includes('sid=1') ? user : parts.readFields(request))
    }),
    '2.2 success: a success in an envelope': body('accept')(data => ({ data })),
    '2.2 token: an empty token': body('accept')({ token: '' }),
    '5.1: a token that is not ASCII': { issue: () => 'schlüssel-€-1' },
    '7 rejected credentials: a long password of a known user causes a crash': parts => ({
      reject: fields =>
        fields.username === USERNAME && String(fields.password).length > 72
          ? { status: 500, body: 'bcrypt' }
          : parts.reject(fields)
    }),
    '2.2 error: a rejection with an empty error': { reject: () => json(200, { ...rejection, error: ' ' }) },
    '4 POST /auth/login: a success with status 401': response('accept')(one => ({ ...one, status: 401 }))
  }),

  ...broken('the menu', {}, menu, {
    '2.3 layout: layout Card': { login: { layout: 'Card' } },
    '2.3 menu: menu as a list': { login: { menu: [] } },
    '2.3 title: title as a number': { login: { title: 7 } },
    '2.3 user_display_name: no display name at the login': { login: { user_display_name: gone } },
    '5.6: no display name later': { later: { user_display_name: gone } },
    '5.3.4: is the login form': { later: { layout: 'Card', auth_action: '/auth/login' } }
  }),

  ...broken('a login', {}, (checks: Parts['checks']) => ({ checks }), {
    '7 rejected credentials: any password': username => username === USERNAME,
    '7 rejected credentials: any user': (_, password) => password === PASSWORD,
    '7 rejected credentials: the beginning of the password is enough': (username, password) =>
      username === USERNAME && String(password).startsWith(PASSWORD)
  }),
  ...broken('a login', {}, acceptingLogin, {
    '7 rejected credentials: an empty password': (_, password) => password === '',
    '7 rejected credentials: a missing password': (username, password) =>
      password === undefined && username !== undefined,
    '4 rule 5: nothing at all': (username, password) => username === undefined && password === undefined,
    '7 rejected credentials: an SQL comment replaces the password': username => String(username).includes("' -- "),
    '7 rejected credentials: true as the password': (_, password) => password === true,
    '7 rejected credentials: null as the password': (_, password) => password === null,
    '4 rule 5: numbers for both': (_, password) => typeof password === 'number',
    '4 rule 5: database operators for both': (_, password) => typeof password === 'object' && password !== null,
    '7 rejected credentials: SQL for both': (_, password) => /' OR '/.test(String(password)),
    '7 rejected credentials: an LDAP filter in the username': username => String(username).includes(')(|(')
  }),
  ...broken(
    'a login',
    { options: second },
    (test: (password: string, given: unknown) => boolean) =>
      acceptingLogin((username, password) => username === USERNAME && test(String(password), password)),
    {
      '7 rejected credentials: the wildcard of LIKE': password => password === '%',
      '7 rejected credentials: a regular expression': password => password === '.*',
      '7 rejected credentials: the wildcard of LDAP': password => password === '*',
      '7 rejected credentials: a database operator': (_, given) => Object(given).$ne !== undefined,
      '7 rejected credentials: the username as the password': password => password === USERNAME,
      '7 rejected credentials: the first half of the password': password => password === PASSWORD.slice(0, 4),
      '7 rejected credentials: the password without its end': password => password === PASSWORD.slice(0, -1),
      '7 rejected credentials: the password in the other case': password => password === PASSWORD.toUpperCase(),
      '7 rejected credentials: the password of another user': password => password === second.secondPassword
    }
  ),

  ...broken('a login', {}, readingFields, {
    '2.1 fields: white space is not accepted': ({ body }) => /\s"/.test(body) && {},
    '2.1 fields: escapes are not decoded': (request, parts) =>
      parts.readFields({ ...request, body: request.body.replaceAll('\\', '\\\\') }),
    '7 rejected credentials: a valid token replaces the credentials': (request, parts) =>
      parts.isValid(parts.tokenOf(request) ?? '', request) && user
  }),
  ...broken('a login', {}, beforeGuard, {
    '7 rejected credentials: a body that is not ASCII causes a crash': ({ path, body }) =>
      path === '/auth/login' && !isAscii(body) && json(500, { message: 'codec' }),
    '7 rejected credentials: escaped surrogates cause a crash': ({ path, body }) =>
      path === '/auth/login' && /\\ud8[\da-f]{2}\\ud/i.test(body) && json(500, {})
  }),

  ...broken('without a login', { form: 'no-auth' }, change, {
    '5.7: the menu is a login form': parts => ({ menu: () => parts.form({} as never).body }),
    '5.7: unknown routes show the login form': parts => ({ other: parts.form }),
    '1: the menu is not JSON': parts => ({ menu: () => 'Menu', other: parts.form }),
    '5.7: the menu is a redirect to a login': parts => ({
      ...beforeGuard(({ path }) => path === '/menu/main' && { status: 302, headers: { location: '/auth/login' } })(
        parts
      ),
      other: parts.form
    })
  }),
  ...broken('without a login', { form: 'no-auth' }, is401, {
    '5.7: unknown routes are 401': () => true,
    '5.7: a stale token is 401': ({ headers }) => headers.authorization !== undefined,
    '5.7: POST is 401': ({ method }) => method === 'POST',
    '5.7: HEAD is 401': ({ method }) => method === 'HEAD',
    '5.7: OPTIONS of the login is 401': ({ method, path }) => method === 'OPTIONS' && path === '/auth/login'
  }),
  ...broken('without a login', { form: 'no-auth', options: { protected: ['/screen/own'] } }, change, {
    '5.7: the given route is 401': is401(({ path }) => path === '/screen/own')
  })
]

// A token that is read from a wrong place, forged or expired; two users that are mixed up; the reference server.

const hasEnded = (token: string) => Number(decode(token).exp) <= seconds()
const hasExpired = (token = '') => isSigned(token) && hasEnded(token)
const OLD = 'a-token-of-last-year'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const text = (coded = '') => Buffer.from(coded, 'base64').toString()
const algIs = (pattern: RegExp) => acceptingToken(token => pattern.test(String(decode(token).alg)))

const acceptingSignature = (test: (content: string, signature: string, token: string) => unknown) =>
  acceptingToken(token => {
    const [header, claims, signature = ''] = token.split('.')
    return test(`${header}.${claims}`, signature, token)
  })

/** Also accepts HS256 tokens signed with the text, like a library that allows any key for any algorithm. */
const confused = (secret: string | Buffer) =>
  acceptingSignature(
    (content, signature, token) =>
      decode(token).alg === 'HS256' && signature === hmac(content, createSecretKey(Buffer.from(secret)) as never)
  )

const acceptingOwnKey = acceptingSignature((content, signature, token) => {
  const { jwk } = parseJwt(token)?.header ?? {}
  const key = { key: jwk as never, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  return jwk && verify('sha256', Buffer.from(content), key, Buffer.from(signature, 'base64url'))
})

const claims = { sub: USERNAME, display_name: 'Grace Hopper' }
const day = () => ({ iat: seconds(), exp: seconds() + 86_400 })
const yesterday = { ...claims, iat: 1_700_000_000, exp: 1_700_086_400 }
const reference = { reference: true, secret: SECRET, appName: 'Willkommen' }

/** A reference server that issues other tokens, or tokens with other claims. */
const issuing = (issue: () => string): Partial<Parts> => ({ issue, isValid: () => true })
const claiming = (others: () => object) => issuing(() => sign({ ...claims, ...day(), ...others() }))

/** A correct reference server. The kit gets other options, so that the secret or the app name looks wrong. */
const referenceWith = (options: CheckServerOptions, row: string) =>
  broken('the token', { form: 'jwt', options: { ...reference, ...options } }, claiming, {
    [row]: () => ({})
  })

const keyPairs = (['RS256', 'ES256'] as const).flatMap(form => {
  const key = privateKeyOf(form) as string
  const publicKey = publicKeyOf(form) as string
  const der = Buffer.from(publicKey.replace(/-----.*?-----|\s/g, ''), 'base64')
  const signed = { isValid: (token: string) => isSigned(token, form) }
  return [
    ...broken('the token', { form }, change, {
      [`5.3.2: ${form}, the signature is not checked`]: { isValid: token => !hasEnded(token) },
      [`5.3.2: ${form}, the token may contain its own key`]: acceptingOwnKey,
      [`5.3.2: ${form}, alg none`]: algIs(/^none$/)
    }),
    ...broken('the token', { form, options: { key } }, change, {
      [`5.3.2: ${form}, the expiry is ignored`]: signed,
      [`5.3.2: ${form}, the DER of the public key is accepted as a secret`]: confused(der)
    }),
    ...broken('the token', { form, options: { publicKey } }, confused, {
      [`5.3.2: ${form}, the public key is accepted as a secret`]: publicKey,
      [`5.3.2: ${form}, the public key without its last line break is accepted as a secret`]: publicKey.trimEnd()
    }),
    ...broken('the token', { form, options: { expiredToken: sign(yesterday, form) } }, change, {
      [`7 invalid token: ${form}, the expiry is ignored, with a token of yesterday`]: signed
    })
  ]
})

const brokenTokens = [
  ...broken('the token', {}, readingToken, {
    '5.1: in the query': ({ query }) => new URLSearchParams(query).get('access_token'),
    '5.1: in a cookie': ({ headers }) => /\btoken=([^;]+)/.exec(headers.cookie ?? '')?.[1],
    '5.1: in X-Auth-Token': ({ headers }) => headers['x-auth-token'],
    '5.1: in a body': ({ body }) => new URLSearchParams(body).get('access_token'),
    '5.1: without a scheme': ({ headers }) => headers.authorization?.replace(/^Bearer /, ''),
    '5.1: with any scheme': ({ headers }) => /^\w+ (.+)$/.exec(headers.authorization ?? '')?.[1],
    '5.1: without a space after the scheme': ({ headers }) => /^Bearer ?(.+)$/.exec(headers.authorization ?? '')?.[1],
    '5.1: as the last word': ({ headers }) => headers.authorization?.split(' ').slice(1).at(-1)
  }),
  ...broken('the token', {}, change, {
    '5.1: a cookie of the login is enough': parts => ({
      ...setsCookie(parts),
      ...opens(({ headers }) => headers.cookie?.includes('sid=1'))(parts)
    }),
    '5.1: the credentials as Basic': opens(
      ({ headers }) => headers.authorization === `Basic ${base64(`${USERNAME}:${PASSWORD}`)}`
    ),
    '7 invalid token: any token is valid': { isValid: () => true },
    '5.3.2: its beginning is accepted': comparingToIssued((token, issued) =>
      issued.some(other => other.startsWith(token))
    ),
    '5.3.2: text after its end is ignored': comparingToIssued((token, issued) =>
      issued.some(other => token.startsWith(other))
    ),
    '5.3.2: its case is ignored': comparingToIssued((token, issued) =>
      issued.some(other => token.toLowerCase() === other.toLowerCase())
    ),
    '5.4: refused every 20th time': parts => {
      let count = 0
      return rejecting(() => ++count % 20 === 0)(parts)
    },
    '5.3.4: refused at the second request of a connection': parts => {
      const known = new WeakSet()
      return rejecting(({ connection }) => known.has(connection) || !known.add(connection))(parts)
    },
    '7 invalid token: a long token is valid': acceptingToken(token => token.length > 5000),
    '5.3.4: unknown routes are 401': { other: () => ({ status: 401 }) },
    '5.3.2: JSON in Base64 without a signature': {
      issue: user => base64(JSON.stringify({ user, until: seconds() + 600 })),
      isValid: token => /"until":\d+\}$/.test(text(token)),
      userOf: token => /"user":"(\w+)"/.exec(text(token))?.[1] ?? USERNAME
    },
    '5.6: another name in the menu than at the login': menu({ later: { user_display_name: 'undefined' } }),
    '7 invalid token: the username in Base64': {
      issue: base64,
      isValid: token => ['grace', 'zoe'].includes(text(token)),
      userOf: text
    }
  }),
  ...broken('the token', {}, rejecting, {
    '5.3.4: never valid': () => true,
    '5.3.4: refused with a query': ({ query }) => query !== '',
    '5.3.4: refused from another origin': ({ headers }) => headers.origin === 'http://client.example',
    '5.3.4: refused with PATCH': ({ method }) => method === 'PATCH'
  }),
  ...broken('the token', { form: 'jwt' }, change, {
    '7 invalid token: 500 for a token that is not a JWT': {
      invalid: token => ({ status: token.split('.').length === 3 ? 401 : 500 })
    },
    '5.3.2: the signature is not checked': { isValid: token => !hasEnded(token) },
    '5.3.2: alg none': algIs(/^none$/),
    '5.3.2: a missing signature is accepted': acceptingToken(
      token => token.split('.').length === 2 && decode(token).alg !== undefined
    ),
    '5.3.2: an empty signature is accepted': acceptingToken(
      token => token.endsWith('.') && decode(token).alg === 'HS256' && token.split('.')[1] !== 'e30'
    ),
    '5.3.2: signed with an empty key': acceptingSignature((content, signature) => signature === hmac(content, '')),
    '5.3.2: the expiry is ignored': { isValid: token => isSigned(token) },
    '5.3.2: the expiry is checked on the menu only': acceptingToken(
      (token, { path }) => path !== '/menu/main' && isSigned(token)
    ),
    '5.3.2: HS256, the token may contain an RSA key': acceptingOwnKey,
    '5.3.2: HS256, kid names an empty file, which is read as an empty key': acceptingSignature(
      (content, signature, token) =>
        /dev\/null/.test(String(parseJwt(token)?.header.kid)) && signature === hmac(content, '')
    ),
    '5.3.2: HS256, the header is not signed': {
      isValid: token => {
        const [, ...signed] = token.split('.')
        const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
        return decode(token).alg === 'HS256' && isSigned([header, ...signed].join('.')) && !hasEnded(token)
      }
    },
    '5.3.2: HS256, an unknown algorithm is not checked': algIs(/^hs256$/),
    '5.3.2: HS256, alg nOnE': algIs(/^nOnE$/),
    '5.2: the login rejects a request with an expired token': parts => ({
      raw({ method, path, headers }, _, response) {
        const isRefused = method === 'POST' && path === '/auth/login' && hasExpired(parts.tokenOf({ headers } as never))
        if (isRefused) response.writeHead(401).end()
        return isRefused
      }
    })
  }),

  ...keyPairs,
  ...broken('the token', { form: 'ES256' }, change, {
    '5.3.2: ES256, a signature of zeros': acceptingSignature(
      (_, signature) => signature !== '' && Buffer.from(signature, 'base64url').every(byte => byte === 0)
    )
  }),
  ...broken('the token', { options: { expiredToken: `${OLD}\n` } }, acceptingToken, {
    '7 invalid token: opaque, an old token stays valid': token => token === OLD
  }),
  ...broken('the token', { options: { lifetime: 1 } }, change, {
    '7 invalid token: opaque, a token never expires': {}
  }),

  ...broken('the token', { options: second }, change, {
    '5.6: a global user while a menu is made': parts => {
      let current = ''
      return {
        raw(request, _, response) {
          const token = parts.tokenOf(request)
          if (request.path !== '/menu/main' || token === undefined || !parts.isValid(token, request)) return false
          current = parts.userOf(token)
          // Simulates an await: a concurrent request may change `current` before the menu is made.
          setTimeout(() => {
            response.writeHead(200, { 'content-type': 'application/json' })
            response.end(JSON.stringify(parts.menu(false, current)))
          }, 500)
          return true
        }
      }
    },
    '5.6: the name of the last login': parts => {
      let last: string | undefined
      return {
        menu(isLogin, username) {
          if (isLogin) last = username
          return parts.menu(isLogin, last)
        }
      }
    },
    '5.6: the menu of the last login, with the right name': parts => {
      let last: unknown
      return {
        menu(isLogin, username) {
          const screen = parts.menu(isLogin, username) as { menu: unknown }
          last = isLogin ? screen.menu : last
          return { ...screen, menu: last }
        }
      }
    },
    '5.6: every user has the name of the first user': parts => ({
      menu: (isLogin, username) => parts.menu(isLogin, isLogin ? username : USERNAME)
    }),
    '5.4: the same token for all users': {
      issue: () => 'one-token-for-all',
      isValid: token => token === 'one-token-for-all'
    },
    '5.3.4: one user at a time': comparingToIssued((token, issued) => token === issued.at(-1)),
    '5.3.4: the token of the second user is never valid': parts => ({
      isValid: (token, request) => parts.isValid(token, request) && parts.userOf(token) === USERNAME
    }),
    '4 POST /auth/login: a second user is refused while the first is logged in': parts => {
      let isBusy = false
      return {
        checks(username, password) {
          isBusy ||= username === USERNAME
          return !(isBusy && username !== USERNAME) && parts.checks(username, password)
        }
      }
    }
  }),
  ...broken('the token', { options: { ...second, protected: ['/screen/own'] } }, change, {
    '5.6: a given route has the name of the last login': parts => {
      let last = ''
      return {
        issue(user) {
          last = user
          return parts.issue(user)
        },
        other: () => json(200, { ...(parts.menu(false, last) as object), layout: 'Card' })
      }
    }
  }),

  ...broken('the token', { form: 'jwt', options: { protected: ['/screen/own'] } }, acceptingToken, {
    '5.3.2: the given route accepts a forged token': (token, { path }) =>
      path === '/screen/own' && decode(token).alg === 'HS256',
    '5.3.2: the given route accepts an expired token': (token, { path }) => path === '/screen/own' && isSigned(token)
  }),
  ...broken('the token', { options: { protected: ['/screen/own'], expiredToken: OLD } }, change, {
    '7 invalid token: the given route accepts an old token': acceptingToken(
      (token, { path }) => path === '/screen/own' && token === OLD
    ),
    '5.3.4: a token is never valid on the given route': rejecting(({ path }) => path === '/screen/own')
  }),

  ...broken('the token', { form: 'jwt', options: reference }, issuing, {
    '5.5: the reference with HS512': () => sign({ ...claims, ...day() }, 'jwt', { alg: 'HS512' }),
    '5.5: the reference with opaque tokens': () => 'an-opaque-token-of-the-reference'
  }),
  ...broken('the token', { form: 'jwt', options: reference }, claiming, {
    '5.5: the reference without display_name': () => ({ display_name: undefined }),
    '5.5: the reference with a user number as sub': () => ({ sub: '17' }),
    '5.5: the reference with the password in a claim': () => ({ password: PASSWORD }),
    '5.5: the reference with a display_name other than that on the screen': () => ({ display_name: 'G. Hopper' }),
    '5.5: the reference without iat': () => ({ iat: undefined }),
    '5.5: the reference without exp': () => ({ exp: undefined }),
    '8 token lifetime: the reference with exp in milliseconds': () => ({
      iat: Date.now(),
      exp: Date.now() + 86_400_000
    }),
    '8 token lifetime: the reference with twelve hours': () => ({ exp: seconds() + 43_200 }),
    '8 token lifetime: the reference with a day that began yesterday': () => ({
      iat: seconds() - 43_200,
      exp: seconds() + 43_200
    })
  }),
  ...referenceWith(
    { secret: 'what-SVC_AUTH_SECRET-says-is-not-used' },
    'SVC_AUTH_SECRET: the reference that ignores SVC_AUTH_SECRET'
  ),
  ...referenceWith({ appName: 'Another (Company)' }, 'SVC_APP_NAME: the reference that ignores SVC_APP_NAME'),
  ...referenceWith({ appName: undefined }, 'SVC_APP_NAME: the reference with another default name')
]

const brokenServers = [...brokenGuards, ...brokenLogins, ...brokenTokens]

let found = 0
let foundByCore = 0
// In parallel, because the kit often waits.
t.test('each broken server fails its clause', { jobs: 4 }, t => {
  for (const broken of brokenServers)
    t.test(`${broken.clause}: ${broken.name}`, { buffered: true }, async t => {
      const url = await listen(t, broken.form, partsOf(broken.form, broken.change, broken.prefix))
      const report = await checkServer(url, { ...optionsFor(broken.form), hardening: true, ...broken.options })
      const named = failed(report).flatMap(({ clause, also = [] }) => [clause, ...also])
      if (t.ok(named.includes(broken.clause), `fails ${broken.clause}`, { named })) found++
      if (failed(report).some(({ hardening }) => !hardening)) foundByCore++
    })
  t.end()
})

t.test('no broken server passes, and the pages state the number of broken servers', async t => {
  const { length } = brokenServers
  t.equal(found, length)
  matchPages(t, `${length} of ${length} broken servers, ${foundByCore} of them with the core cases`)
})
