// Servers whose form, login or menu breaks the contract, or whose login does not accept every valid AuthRequest.
import {
  type Any,
  acceptingLogin,
  beforeGuard,
  body,
  broken,
  change,
  menu,
  readingFields,
  response,
  setsCookie
} from './broken-parts.ts'
import { type Incoming, json, PASSWORD, type Parts, second, USERNAME } from './minimal-server.ts'

const gone = undefined
const user = { username: USERNAME, password: PASSWORD }
const rejection = { success: false, token: null, error: 'no', screen: null }
const form = body('form')
const success = response('accept')

const is401 = (test: (request: Incoming) => boolean): Partial<Parts> => ({
  other: request => ({ status: test(request) ? 401 : 404 })
})

/** Encode a body as JSON, in another encoding or with a byte order mark. */
const marked = (body: unknown) => Buffer.from(`\uFEFF${JSON.stringify(body)}`)
const latin1 = (body: unknown) => Buffer.from(JSON.stringify({ note: 'größer', ...Object(body) }), 'latin1')
const utf16 = (body: unknown) => Buffer.from(JSON.stringify(body), 'utf16le')

// biome-ignore lint/suspicious/noControlCharactersInRegex: these servers support ASCII only
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)

export const brokenLogins = [
  ...broken('the form', {}, form, {
    '2.6.1: layout Form': { layout: 'Form' },
    '2.3 layout: no layout': { layout: gone },
    '2.6.2: no title': { title: gone },
    '2.6.2: title null': { title: null },
    '2.6.3: no auth_action': { auth_action: gone },
    '2.6.3: auth_action /login': { auth_action: '/login' },
    '2.3 auth_action: save_action instead of auth_action': ({ auth_action, ...body }) => ({
      ...body,
      save_action: auth_action
    }),
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
    '2.6.3: auth_action without the prefix': { auth_action: '/auth/login' },
    '2.6.3: auth_action with the prefix twice': { auth_action: '/app/app/auth/login' }
  }),
  ...broken(
    'the form',
    {},
    (change: (section: Any) => object) =>
      form(({ sections: [one], ...body }) => ({ ...body, sections: [{ ...one, ...change(one) }] })),
    {
      '2.4 id: section id auth': () => ({ id: 'auth' }),
      '2.4 label: section without a label': () => ({ label: gone }),
      '2.4 label: section label null': () => ({ label: null }),
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
    '2.2 success: no success': { success: gone },
    '2.2 success: success "true"': { success: 'true' },
    '2.2 token: no token': { token: gone },
    '2.2 token: token null': { token: null },
    '2.2 token: token as an object': { token: { value: 'x' } },
    '2.2 error: no error': { error: gone },
    '2.2 error: error ""': { error: '' },
    '2.2 screen: no screen': { screen: gone },
    '2.2 screen: screen as a URL': { screen: '/menu/main' },
    '5.1: token with a line break': { token: 'two\nlines' }
  }),
  ...broken('a success', {}, success, { '4 POST /auth/login: status 401': one => ({ ...one, status: 401 }) }),
  ...broken('a rejection', {}, body('reject'), {
    '2.2 success: no success': { success: gone },
    '2.2 success: success null': { success: null },
    '2.2 token: no token': { token: gone },
    '2.2 token: token ""': { token: '' },
    '2.2 error: no error': { error: gone },
    '2.2 error: error null': { error: null },
    '2.2 error: error as an object': { error: { text: 'wrong' } },
    '2.2 screen: no screen': { screen: gone },
    '2.2 screen: the form again as screen': { screen: { layout: 'Card' } }
  }),
  ...broken('a rejection', {}, change, {
    '7 rejected credentials: plain text': { reject: () => ({ status: 403, body: 'no' }) },
    '7 rejected credentials: an unknown user causes a crash': parts => ({
      reject: fields => (fields.username === USERNAME ? parts.reject(fields) : { status: 500, body: 'null pointer' })
    })
  }),

  ...broken('the menu', {}, menu, {
    '2.3 layout: layout Card': { login: { layout: 'Card' } },
    '2.3 menu: no menu': { login: { menu: gone } },
    '2.3 menu: menu as a list': { login: { menu: [] } },
    '2.3 title: title as a number': { login: { title: 7 } },
    '5.6: no display name at the login': { login: { user_display_name: gone } },
    '5.6: no display name later': { later: { user_display_name: gone } },
    '2.3 user_display_name: display name null': {
      login: { user_display_name: null },
      later: { user_display_name: null }
    },
    '5.3.4: is the login form': { later: { layout: 'Card', auth_action: '/auth/login' } }
  }),
  ...broken('the menu', {}, change, {
    '1: not JSON': parts => ({ menu: isLogin => (isLogin ? parts.menu(true) : '<h1>Menu</h1>') })
  }),

  ...broken('the credentials', {}, (checks: Parts['checks']) => ({ checks }), {
    '7 rejected credentials: any password': username => username === USERNAME,
    '7 rejected credentials: any user': (_, password) => password === PASSWORD,
    '7 rejected credentials: the beginning of the password is enough': (username, password) =>
      username === USERNAME && String(password).startsWith(PASSWORD)
  }),
  ...broken('the credentials', {}, acceptingLogin, {
    '7 rejected credentials: an empty password': (_, password) => password === '',
    '7 rejected credentials: a missing password': (username, password) =>
      password === undefined && username !== undefined,
    '4 rule 5: nothing at all': (username, password) => username === undefined && password === undefined
  }),
  ...broken('a login', {}, acceptingLogin, {
    '7 rejected credentials: an SQL comment replaces the password': username => String(username).includes("' -- "),
    '7 rejected credentials: true as the password': (_, password) => password === true,
    '7 rejected credentials: null as the password': (_, password) => password === null,
    '4 rule 5: numbers for both': (_, password) => typeof password === 'number',
    '4 rule 5: database operators for both': (_, password) => typeof password === 'object' && password !== null,
    '7 rejected credentials: SQL for both': (_, password) => /' OR '/.test(String(password)),
    '7 rejected credentials: a member name of every object as the username': (username, password) =>
      password === Object({})[String(username)]?.password,
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

  ...broken('the login', {}, readingFields, {
    '2.1 fields: fields at the top level, without the map': ({ body }, parts) =>
      parts.readFields({ body: `{"fields":${body}}` } as never)
  }),
  ...broken('a login', {}, readingFields, {
    '2.1 fields: the username must come first': ({ body }) => ({
      ...body.match(/"username"\s*:\s*"(?<username>[^"]*)"\s*,\s*"password"\s*:\s*"(?<password>[^"]*)"/)?.groups
    }),
    '2.1 fields: white space is not accepted': ({ body }) => /\s"/.test(body) && {},
    '2.1 fields: escapes are not decoded': (request, parts) =>
      parts.readFields({ ...request, body: request.body.replaceAll('\\', '\\\\') }),
    '7 rejected credentials: a valid token replaces the credentials': (request, parts) =>
      parts.isValid(parts.tokenOf(request) ?? '', request) && user
  }),
  ...broken('a login', {}, beforeGuard, {
    '7 rejected credentials: a body that is not ASCII causes a crash': ({ path, body }) =>
      path === '/auth/login' && !isAscii(body) && json(500, { message: 'codec' }),
    '7 rejected credentials: a body that is not ASCII gets no AuthResponse': ({ path, body }) =>
      path === '/auth/login' && !isAscii(body) && json(400, { detail: 'encoding' }),
    '7 rejected credentials: escaped surrogates cause a crash': ({ path, body }) =>
      path === '/auth/login' && /\\ud8[\da-f]{2}\\ud/i.test(body) && json(500, {})
  }),
  ...broken('a login', {}, change, {
    '1: the form has a byte order mark': form(marked),
    '1: the form is in Latin-1': form(latin1),
    '1: the form is in UTF-16': form(utf16),
    '4 POST /auth/login: a success has a byte order mark': body('accept')(marked),
    '4 POST /auth/login: a success is in Latin-1': body('accept')(latin1),
    '7 rejected credentials: a rejection has a byte order mark': body('reject')(marked),
    '7 rejected credentials: a rejection is in Latin-1': body('reject')(latin1),
    '1: the menu has a byte order mark': parts => ({
      menu: (isLogin, username) => {
        const screen = parts.menu(isLogin, username)
        return isLogin ? screen : marked(screen)
      }
    }),
    '2.3 layout: the form in lower case': form({ layout: 'card' }),
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
    '4 POST /auth/login: a success is a redirect': success(one => ({
      ...one,
      status: 303,
      headers: { location: '/menu/main' }
    })),
    '2.2 success: a success in an envelope': body('accept')(data => ({ data })),
    '2.2 token: an empty token': body('accept')({ token: '' }),
    '5.1: a token that is not ASCII': { issue: () => 'schlüssel-€-1' },
    '7 rejected credentials: a long password of a known user causes a crash': parts => ({
      reject: fields =>
        fields.username === USERNAME && String(fields.password).length > 72
          ? { status: 500, body: 'bcrypt' }
          : parts.reject(fields)
    }),
    '2.2 success: a rejection with success 0': { reject: () => json(401, { ...rejection, success: 0 }) },
    '2.2 error: a rejection with an empty error': { reject: () => json(200, { ...rejection, error: ' ' }) },
    '2.2 error: a rejection with a list of errors': {
      reject: () => json(200, { ...rejection, error: ['no'] })
    },
    '7 rejected credentials: an unknown user gets an HTML page': parts => ({
      reject: fields => (fields.username === USERNAME ? parts.reject(fields) : { status: 404, body: '<h1>404</h1>' })
    })
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
    '5.7: the login form is 401': ({ path }) => path === '/auth/login',
    '5.7: HEAD is 401': ({ method }) => method === 'HEAD',
    '5.7: OPTIONS of the login is 401': ({ method, path }) => method === 'OPTIONS' && path === '/auth/login'
  }),
  ...broken('without a login', { form: 'no-auth', options: { protected: ['/screen/own'] } }, change, {
    '5.7: the given route is 401': is401(({ path }) => path === '/screen/own')
  })
]
