// The first request of a client, the login form, and servers without a login.
import { all, at, ifPlain, member, that } from '../checks.ts'
import { isObject, isText } from '../json.ts'
import { card, jsonMediaType, jsonObject, noLoginForm, screen } from '../screens.ts'
import type { Check } from '../server-case.ts'
import { no401, success, unauthorized } from '../statuses.ts'
import type { JudgedResponse, Values } from '../values.ts'
import { cases, expecting, showingStatus } from './define.ts'
import { authorized, get, login, menu, menuWith, send, upgrade } from './requests.ts'
import { base64, encode } from './texts.ts'

const sectionsOf = (response: JudgedResponse) => [at(response, 'sections')].flat().filter(isObject)
const fieldsOf = (response: JudgedResponse) =>
  sectionsOf(response).flatMap(({ fields }) => [fields].flat().filter(isObject))
const isListOf = (value: unknown, length: number) =>
  Array.isArray(value) && value.length === length && value.every(isObject)

const hasOneSection = that('one section', response => isListOf(at(response, 'sections'), 1))
const hasTwoFields = that('two fields', response => fieldsOf(response).length === 2)
const hasFields = that('fields', response => fieldsOf(response).length > 0)
const form = (expect: Check, given = jsonObject) => ({ requests: 'form', given, expect })
const ofSections = (words: string, test: (section: Record<string, unknown>) => boolean) =>
  form(
    that(words, response => sectionsOf(response).every(test)),
    hasOneSection
  )
const ofFields = (words: string, test: (field: Record<string, unknown>) => boolean) =>
  form(
    that(words, response => fieldsOf(response).every(test)),
    hasFields
  )
const ofType = (name: string, wanted: string) =>
  ofFields(`type "${wanted}" of the field ${name}`, ({ id, type }) => id !== name || type === wanted)
const hasIds = (fields: unknown) =>
  ['username', 'password'].every(id => [fields].flat().some(field => Object(field).id === id))

const loginUrl = ({ base }: Values) => `${base}/auth/login`
const authAction: Check = (response, values) => {
  const own = loginUrl(values)
  // A server may decode the prefix.
  const isOwn = (value: unknown) => isText(value) && [value, encodeURI(value.toWellFormed())].includes(own)
  return member('auth_action', `"${own}"`, isOwn)(response, values)
}

/** Finds the application name in the title, or in any other text of the form. */
const appName = that(
  ({ appName }) => `the application name ${appName}`,
  (response, { appName }) =>
    [response.body, ...sectionsOf(response), ...fieldsOf(response)]
      .flatMap(part => Object.values(Object(part)))
      .some(text => typeof text === 'string' && text.includes(appName))
)

const stale = (Authorization: string) => get('/auth/login', { headers: { Authorization } })

const FORM = `
  menu-without-token MUST 4 rule 1, 4 GET /menu/main, 7 missing token, 1: GET /menu/main without a token gets a 401
  form-is-public MUST 4 GET /auth/login, 5.2, 5 table GET /auth/login, 4 rule 2: GET /auth/login needs no token
  form-is-json MUST 1, 4 GET /auth/login: The login form is a JSON object
  form-content-type SHOULD 1: The login form has a JSON media type (RFC 8259 11)
  form-layout MUST 2.6.1, 2.3 layout: The layout of the login form is Card
  form-title MUST 2.6.2, 2.3 title: The login form has a title
  form-auth-action MUST 2.6.3, 2.3 auth_action, 4 rule 3: auth_action is the login URL, with the prefix if it has one
  form-one-section MUST 2.6.4, 2.3 sections: The login form has one section
  form-section-id MUST 2.4 id, 2.6.4: The id of the section is login
  form-section-label MUST 2.4 label, 2.6.4: The section has a label
  form-two-fields MUST 2.4 fields, 2.6.4: The section has two fields
  form-field-ids MUST 2.5 id, 2.6.4, 2.1 fields: The ids of the fields are username and password
  form-username-type MUST 2.5 type, 2.6.4: The field username has the type Text
  form-password-type MUST 2.5 type, 2.6.4: The field password has the type Password
  form-field-labels MUST 2.5 label: Each field has a label
  form-field-values MUST 2.5 value, 2.6.4: The value of each field is an empty string
  form-with-stale-token MUST 5.2: GET /auth/login stays public with an invalid token or any query
  form-with-valid-token MUST 4 GET /auth/login: GET /auth/login also returns the form to a logged-in user
  reference-app-name MUST SVC_APP_NAME: The login form shows the name in SVC_APP_NAME (default: Demo Company)
  form-app-name OBSERVED SVC_APP_NAME: The title of the login form, for example the application name
  form-head OBSERVED 5.2: The status of HEAD /auth/login
`

export const formCases = cases('form', FORM, {
  'menu-without-token': { subject: 'first request', ...expecting(unauthorized, 'menu without token') },
  'form-is-public': expecting(success, 'form'),
  'form-is-json': expecting(jsonObject, 'form'),
  'form-content-type': expecting(jsonMediaType, 'form'),
  'form-layout': form(card),
  'form-title': form(member('title', 'as a text', isText)),
  'form-auth-action': form(authAction),
  'form-one-section': form(member('sections', 'with one section', value => isListOf(value, 1))),
  'form-section-id': ofSections('id "login" of the section', ({ id }) => id === 'login'),
  'form-section-label': ofSections('a label of the section', ({ label }) => isText(label)),
  'form-two-fields': ofSections('two fields in the section', ({ fields }) => isListOf(fields, 2)),
  'form-field-ids': {
    ...ofSections('fields with the ids "username" and "password"', ({ fields }) => hasIds(fields)),
    given: hasTwoFields
  },
  'form-username-type': ofType('username', 'Text'),
  'form-password-type': ofType('password', 'Password'),
  'form-field-labels': ofFields('a label of each field', ({ label }) => isText(label)),
  'form-field-values': ofFields('value "" of each field', ({ value }) => value === ''),
  'form-with-stale-token': expecting(success, ({ random }) => [
    get('/auth/login', { bearer: random }),
    ...['Bearer', 'Basic e30=', random].map(stale),
    get('/auth/login', { bearer: { token: 'end changed' } }),
    get(`/auth/login?${random}=1`)
  ]),
  'form-with-valid-token': {
    given: ifPlain('form', all(success, card)),
    ...expecting(all(success, card), ({ token, cookies, username, password }) => [
      get('/auth/login', { bearer: token }),
      get('/auth/login', { headers: { Cookie: cookies } }),
      stale(`Basic ${base64(`${username}:${password}`)}`),
      get(`/auth/login?username=${encode(username)}&password=${encode(password)}`),
      get(`/auth/login?token=${encode(token)}`)
    ])
  },
  'reference-app-name': { ...form(appName), needs: ['reference'] },
  'form-app-name': { requests: 'form', observe: response => at(response, 'title') },
  'form-head': showingStatus(send('HEAD', '/auth/login'))
})

const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const noLoginFormOrRedirect = all(
  noLoginForm,
  that('no redirect to the login', ({ headers }) => !/\/auth\/login([?#]|$)/.test(headers.location ?? ''))
)

const NO_AUTH = `
  open-menu MUST 5.7, 1, SVC_AUTH: GET /menu/main needs no token
  open-menu-is-json MUST 1: The main menu is a JSON object
  open-menu-is-screen SHOULD 1: The main menu is a screen
  open-menu-is-no-login MUST 5.7, 1: The main menu is not a login form
  open-menu-with-stale-token MUST 5.7: GET /menu/main ignores old and invalid tokens
  open-unknown MUST 5.7: No route or method responds with 401
  open-unknown-is-no-login MUST 5.7, 1: An unknown route returns no login form and no redirect to it
  open-protected MUST 5.7: The given route needs no token
  open-login-status OBSERVED 5.7: The status of GET and POST /auth/login
`

export const noAuthCases = cases('no-auth', NO_AUTH, {
  'open-menu': expecting(success, menu()),
  'open-menu-is-json': expecting(jsonObject, menu()),
  'open-menu-is-screen': expecting(screen, menu()),
  'open-menu-is-no-login': expecting(noLoginForm, menu()),
  'open-menu-with-stale-token': expecting(success, ({ random }) => [
    ...[random, 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.AAAA'].map(menuWith),
    ...['Bearer', 'Basic e30='].map(value => authorized(value)),
    menu({ headers: { Accept: 'text/html' } })
  ]),
  'open-unknown': expecting(no401, ({ random }) => [
    ...['/', `/${random}`, `/menu/${random}`, `/auth/${random}`, '/auth/login'].map(path => get(path)),
    ...METHODS.flatMap(method => [`/${random}`, '/menu/main'].map(path => send(method, path))),
    ...METHODS.filter(method => method !== 'POST').map(method => send(method, '/auth/login')),
    get(`/${random}`, { bearer: random }),
    get(`/${random}`, { headers: { Accept: 'text/html' } }),
    upgrade('/ws')
  ]),
  'open-unknown-is-no-login': expecting(noLoginFormOrRedirect, ({ random }) =>
    ['/', `/${random}`].map(path => get(path))
  ),
  'open-protected': {
    needs: ['protected'],
    ...expecting(no401, ({ path, random }) => [
      ...['GET', ...METHODS].map(method => send(method, path)),
      get(path, { bearer: random })
    ])
  },
  'open-login-status': showingStatus(({ random }) => [
    get('/auth/login'),
    login({ username: random, password: random })
  ])
})
