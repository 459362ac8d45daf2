// Servers with a wrong form, login or menu, servers that accept wrong credentials, and servers without a login.
import { broken, change, setsCookie } from './broken.ts'
import type { Any, Break, Incoming, Outgoing, Parts } from './minimal-server.ts'
import { beforeGuard, body, json, menu, PASSWORD, response, second, USERNAME } from './minimal-server.ts'

const gone = undefined
const user = { username: USERNAME, password: PASSWORD }
const form = body('form')
const success = body('accept')
const rejection = body('reject')

const section = (change: (section: Any) => object) =>
  form(({ sections: [one], ...body }) => ({ ...body, sections: [{ ...one, ...change(one) }] }))

const fields = (change: Record<string, object>) =>
  section(({ fields }) => ({ fields: fields.map((one: { id: string }) => ({ ...one, ...change[one.id] })) }))

const marked = (body: unknown) => Buffer.from(`\uFEFF${JSON.stringify(body)}`)
const latin1 = (body: unknown) => Buffer.from(JSON.stringify({ note: 'größer', ...Object(body) }), 'latin1')

const acceptingLogin =
  (test: (username: unknown, password: unknown) => boolean): Break =>
  parts => ({ checks: (username, password) => test(username, password) || parts.checks(username, password) })

const acceptingPassword = (test: (password: string, given: unknown) => boolean) =>
  acceptingLogin((username, password) => username === USERNAME && test(String(password), password))

/** Takes the fields from `read`. If `read` returns false, reads them in the usual way. */
const readingFields =
  (read: (request: Incoming, parts: Parts) => Record<string, unknown> | false): Break =>
  parts => ({ readFields: request => read(request, parts) || parts.readFields(request) })

const rejecting =
  (respond: (fields: Record<string, unknown>) => Partial<Outgoing> | false): Break =>
  parts => ({ reject: fields => ({ ...parts.reject(fields), ...respond(fields) }) })

const crashing = (test: (body: string) => boolean) =>
  beforeGuard(({ path, body }) => path === '/auth/login' && test(body) && json(500, {}))

const is401 = (test: (request: Incoming) => boolean): Partial<Parts> => ({
  other: request => ({ status: test(request) ? 401 : 404 })
})

export const brokenLogins = [
  ...broken(form)({
    'form-layout: layout Form': { layout: 'Form' },
    'form-layout: no layout': { layout: gone },
    'form-layout: in an envelope': body => ({ screen: body }),
    'form-title: no title': { title: gone },
    'form-title: the title is white space': { title: ' ' },
    'form-auth-action: no auth_action': { auth_action: gone },
    'form-auth-action: auth_action /login': { auth_action: '/login' },
    'form-auth-action: an absolute auth_action': { auth_action: 'http://localhost/auth/login' },
    'form-one-section: two sections': ({ sections, ...body }) => ({ ...body, sections: [...sections, ...sections] }),
    'form-one-section: no sections': { sections: gone },
    'form-one-section: sections as a map': ({ sections: [login], ...body }) => ({ ...body, sections: { login } }),
    'form-is-json: as HTML': () => '<form action="/auth/login"></form>',
    'form-is-json: with a byte order mark': marked,
    'form-is-json: in Latin-1': latin1
  }),
  ...broken(form, { prefix: '/app' })({ 'form-auth-action: no prefix': { auth_action: '/auth/login' } }),
  ...broken(section)({
    'form-section-id: section id auth': () => ({ id: 'auth' }),
    'form-section-label: section without a label': () => ({ label: gone }),
    'form-two-fields: one field only': ({ fields }) => ({ fields: fields.slice(1) }),
    'form-two-fields: a third field': ({ fields }) => ({ fields: [...fields, { ...fields[0], id: 'otp' }] })
  }),
  ...broken(fields)({
    'form-field-ids: username with the id user': { username: { id: 'user' } },
    'form-username-type: username of type text': { username: { type: 'text' } },
    'form-password-type: password of type Text': { password: { type: 'Text' } },
    'form-field-labels: username without a label': { username: { label: gone } },
    'form-field-values: password with value null': { password: { value: null } }
  }),
  ...broken(change)({
    'form-is-public: the form needs a token': parts => ({
      isPublic: request => request.method === 'POST' && parts.isPublic(request)
    }),
    'form-content-type: JSON as HTML': response('form')(one => ({ ...one, headers: { 'content-type': 'text/html' } })),
    'form-with-valid-token: a logged-in user gets no form': parts => ({
      form: request => (parts.isValid(parts.tokenOf(request) ?? '', request) ? { status: 302 } : parts.form(request))
    }),
    'form-with-valid-token: Basic credentials turn the form into the menu': parts => ({
      form: request =>
        /^Basic .{15}/.test(request.headers.authorization ?? '') ? json(200, parts.menu(true)) : parts.form(request)
    })
  }),

  ...broken(success)({
    'login-success: success "true"': { success: 'true' },
    'login-success login-token login-error login-screen: a success in an envelope': data => ({ data }),
    'login-token: no token': { token: gone },
    'login-token: token as an object': { token: { value: 'x' } },
    'login-token: an empty token': { token: '' },
    'login-error: no error': { error: gone },
    'login-error: error ""': { error: '' },
    'login-screen: screen as a URL': { screen: '/menu/main' },
    'login-token-fits-header: token with a line break': { token: 'two\nlines' },
    'login-token-fits-header: a token that is not ASCII': { token: 'schlüssel-€-1' },
    'login-token-characters: token with a comma': { token: 'one,two' }
  }),
  ...broken(response('accept'))({
    'login-is-json: a success with status 401': one => ({ ...one, status: 401 }),
    'login-content-type login-no-store: a success without headers': one => ({ ...one, headers: {} })
  }),
  ...broken(menu)({
    'login-screen-layout: layout Card': { login: { layout: 'Card' } },
    'login-screen-menu: menu as a list': { login: { menu: [] } },
    'login-screen-title: title as a number': { login: { title: 7 } },
    'login-display-name: no display name at the login': { login: { user_display_name: gone } },
    'menu-display-name: no display name later': { later: { user_display_name: gone } },
    'menu-display-name: another name later': { later: { user_display_name: 'undefined' } },
    'menu-is-no-login: is the login form': { later: { layout: 'Card', auth_action: '/auth/login' } },
    'menu-is-screen: no layout later': { later: { layout: gone } }
  }),
  ...broken(readingFields)({
    'login-spellings: white space is not accepted': ({ body }) => /\s"/.test(body) && {},
    'login-spellings: escapes are not decoded': (request, parts) =>
      parts.readFields({ ...request, body: request.body.replaceAll('\\', '\\\\') }),
    'login-charset: no charset is accepted': ({ headers }) => /charset/.test(headers['content-type'] ?? '') && {},
    'login-chunked: chunks are not read': ({ headers }) => 'transfer-encoding' in headers && {},
    'login-further-fields: the form has two fields': ({ body }) => body.includes('field1') && {},
    'unknown-user: a valid token replaces the credentials': (request, parts) =>
      parts.isValid(parts.tokenOf(request) ?? '', request) && user
  }),

  ...broken(rejection)({
    'rejection-success: success null': { success: null },
    'rejection-token: no token': { token: gone },
    'rejection-error: no error': { error: gone },
    'rejection-error: an empty error': { error: ' ' },
    'rejection-screen: no screen': { screen: gone }
  }),
  ...broken(rejecting)({
    'wrong-password: plain text': () => ({ status: 403, body: 'no' }),
    'rejection-no-server-error: status 500': () => ({ status: 500 }),
    'rejection-no-redirect: a redirect': () => ({ status: 303 }),
    'rejection-no-echo: the password in the message': ({ password }) => ({
      body: { success: false, token: null, error: `Not ${password}`, screen: null }
    }),
    'unknown-user: an unknown user causes a crash': ({ username }) =>
      username !== USERNAME && { status: 500, body: 'null pointer' },
    'long-password odd-credentials: more than 72 characters cause a crash': ({ password }) =>
      String(password).length > 72 && { status: 500, body: 'bcrypt' },
    'same-rejection: the status of an unknown user is 404': ({ username }) => username !== USERNAME && { status: 404 }
  }),
  ...broken(change)({
    'unknown-user: an unknown user ends the connection': {
      raw: ({ body }, _, outgoing) => body.includes(`"${USERNAME}x`) && outgoing.destroy().destroyed
    },
    'menu-is-json: HTML later': parts => ({ menu: isLogin => (isLogin ? parts.menu(true) : '<h1>Menu</h1>') }),
    'login-cookie-needs-credentials: a cookie replaces the credentials': parts => ({
      ...setsCookie(parts),
      readFields: request => (request.headers.cookie?.includes('sid=1') ? user : parts.readFields(request))
    })
  }),
  ...broken(crashing)({
    'malformed-login-refused odd-credentials: a body that is not ASCII': body => !/^\p{ASCII}*$/u.test(body),
    'odd-credentials: escaped surrogates': body => /\\ud8[\da-f]{2}\\ud/i.test(body)
  }),
  ...broken((checks: Parts['checks']) => ({ checks }))({
    'near-password: any password': username => username === USERNAME,
    'unknown-user injected-username: any user': (_, password) => password === PASSWORD,
    'padded-password: the beginning of the password is enough': (username, password) =>
      username === USERNAME && String(password).startsWith(PASSWORD),
    'padded-password: the password is trimmed': (username, password) =>
      username === USERNAME && String(password).trim() === PASSWORD
  }),
  ...broken(acceptingLogin)({
    'incomplete-login incomplete-login-rejection: an empty password': (_, password) => password === '',
    'incomplete-login: a missing password': (username, password) => password === undefined && username !== undefined,
    'incomplete-login: nothing at all': (username, password) => username === undefined && password === undefined,
    'password-query: an SQL comment replaces the password': username => String(username).includes("' -- "),
    'password-object: true as the password': (_, password) => password === true,
    'password-object: null as the password': (_, password) => password === null,
    'malformed-login: numbers for both': (_, password) => typeof password === 'number',
    'malformed-login: database operators for both': (_, password) => typeof password === 'object' && password !== null,
    'password-query injected-username: SQL for both': (_, password) => /' OR '/.test(String(password)),
    'password-query: an LDAP filter in the username': username => String(username).includes(')(|(')
  }),
  ...broken(acceptingPassword, { options: second })({
    'near-password: the wildcard of LIKE': password => password === '%',
    'password-query: the password is a pattern': password => password.startsWith('.*'),
    'password-object: a database operator': (_, given) => Object(given).$ne !== undefined,
    'guessed-password: the username as the password': password => password === USERNAME,
    'guessed-password: a part of the password': password => PASSWORD.includes(password),
    'guessed-password: the password in the other case': password => password === PASSWORD.toUpperCase(),
    'password-of-another: the password of another user': password => password === second.secondPassword
  }),

  ...broken(change, { form: 'no-auth' })({
    'open-menu-is-no-login: the menu is a login form': parts => ({ menu: () => parts.form({} as never).body }),
    'open-unknown-is-no-login: unknown routes show the login form': parts => ({ other: parts.form }),
    'open-menu-is-json open-menu-is-screen: the menu is not JSON': parts => ({ menu: () => 'Menu', other: parts.form }),
    'open-menu: the menu is a redirect to a login': beforeGuard(({ path }, parts) =>
      path === '/menu/main' ? { status: 302, headers: { location: '/auth/login' } } : parts.form({} as Incoming)
    ),
    'open-menu-with-stale-token: a token is checked': beforeGuard(
      ({ headers }) => headers.authorization !== undefined && { status: 401 }
    ),
    'open-unknown: unknown routes are 401': is401(() => true),
    'open-unknown: POST is 401': is401(({ method }) => method === 'POST')
  }),
  ...broken(change, { form: 'no-auth', options: { protected: ['/screen/own'] } })({
    'open-protected: the given route is 401': is401(({ path }) => path === '/screen/own')
  })
]
