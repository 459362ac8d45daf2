import { all, at, card, isObject, isText, jsonMediaType, jsonObject, member, success, that } from '../expectations.ts'
import type { Check, JudgedResponse } from '../server-case.ts'
import { base64, encode, get, must, observed, send, should } from './define.ts'

const sectionsOf = (response: JudgedResponse) => [at(response, 'sections')].flat().filter(isObject)
const fieldsOf = (response: JudgedResponse) =>
  sectionsOf(response).flatMap(({ fields }) => [fields].flat().filter(isObject))
const hasSections = that('sections', response => sectionsOf(response).length > 0)
const hasFields = that('fields', response => fieldsOf(response).length > 0)

const everySection = (words: string, test: (section: Record<string, unknown>) => boolean): Check =>
  that(words, response => sectionsOf(response).every(test))
const everyField = (words: string, test: (field: Record<string, unknown>) => boolean): Check =>
  that(words, response => fieldsOf(response).every(test))
const typeOf = (name: string, type: string) =>
  everyField(`type "${type}" of the field ${name}`, ({ id, type: own }) => id !== name || own === type)
const isListOf = (value: unknown, length: number) =>
  Array.isArray(value) && value.length === length && value.every(isObject)

const decoded = (path: string) => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
const authAction: Check = (response, { base }) => {
  const own = `${base}/auth/login`
  return [own, decoded(own)].includes(at(response, 'auth_action') as string) ? undefined : `auth_action "${own}"`
}

/** Finds the application name in the title, or in any other text of the form. */
const appName: Check = (response, { appName }) => {
  const texts = [response.body, ...sectionsOf(response), ...fieldsOf(response)].flatMap(part =>
    Object.values(Object(part))
  )
  return texts.some(text => typeof text === 'string' && text.includes(appName))
    ? undefined
    : `the application name ${appName}`
}

const form = { requests: 'form', given: jsonObject }
const withSections = { requests: 'form', given: hasSections }
const withFields = { requests: 'form', given: hasFields }
const stale = (Authorization: string) => get('/auth/login', { headers: { Authorization } })

export const formCases = [
  must(
    'form-is-public',
    ['4 GET /auth/login', '5.2', '5 table GET /auth/login', '4 rule 2'],
    'GET /auth/login needs no token',
    {
      requests: 'form',
      expect: success
    }
  ),
  must('form-is-json', ['1', '4 GET /auth/login'], 'The login form is a JSON object', {
    requests: 'form',
    expect: jsonObject
  }),
  should('form-content-type', '1', 'The login form has a JSON media type (RFC 8259 11)', {
    requests: 'form',
    expect: jsonMediaType
  }),
  must('form-layout', ['2.6.1', '2.3 layout'], 'The layout of the login form is Card', { ...form, expect: card }),
  must('form-title', ['2.6.2', '2.3 title'], 'The login form has a title', {
    ...form,
    expect: member('title', 'as a text', isText)
  }),
  must(
    'form-auth-action',
    ['2.6.3', '2.3 auth_action', '4 rule 3'],
    'The auth_action of the login form is the login URL, with the prefix if there is one',
    { ...form, expect: authAction }
  ),
  must('form-one-section', ['2.6.4', '2.3 sections'], 'The login form has one section', {
    ...form,
    expect: member('sections', 'with one section', value => isListOf(value, 1))
  }),
  must('form-section-id', ['2.4 id', '2.6.4'], 'The id of the section is login', {
    ...withSections,
    expect: everySection('id "login" of the section', ({ id }) => id === 'login')
  }),
  must('form-section-label', ['2.4 label', '2.6.4'], 'The section has a label', {
    ...withSections,
    expect: everySection('a label of the section', ({ label }) => isText(label))
  }),
  must('form-two-fields', ['2.4 fields', '2.6.4'], 'The section has two fields', {
    ...withSections,
    expect: everySection('two fields in the section', ({ fields }) => isListOf(fields, 2))
  }),
  must('form-field-ids', ['2.5 id', '2.6.4', '2.1 fields'], 'The ids of the fields are username and password', {
    ...withFields,
    expect: everySection('fields with the ids "username" and "password"', ({ fields }) => {
      const ids = [fields].flat().map(field => Object(field).id)
      return ids.includes('username') && ids.includes('password')
    })
  }),
  must('form-username-type', ['2.5 type', '2.6.4'], 'The field username has the type Text', {
    ...withFields,
    expect: typeOf('username', 'Text')
  }),
  must('form-password-type', ['2.5 type', '2.6.4'], 'The field password has the type Password', {
    ...withFields,
    expect: typeOf('password', 'Password')
  }),
  must('form-field-labels', '2.5 label', 'Each field has a label', {
    ...withFields,
    expect: everyField('a label of each field', ({ label }) => isText(label))
  }),
  must('form-field-values', ['2.5 value', '2.6.4'], 'The value of each field is an empty string', {
    ...withFields,
    expect: everyField('value "" of each field', ({ value }) => value === '')
  }),
  must('form-with-stale-token', '5.2', 'GET /auth/login stays public with an invalid token or any query', {
    requests: ({ random }) => [
      get('/auth/login', { bearer: random }),
      stale('Bearer'),
      stale('Basic e30='),
      stale(random),
      get('/auth/login', { bearer: { token: 'end changed' } }),
      get(`/auth/login?${random}=1`)
    ],
    expect: success
  }),
  must('form-with-valid-token', '4 GET /auth/login', 'GET /auth/login also returns the form to a logged-in user', {
    requests: ({ token, cookies, username, password }) => [
      get('/auth/login', { bearer: token }),
      get('/auth/login', { headers: { Cookie: cookies } }),
      stale(`Basic ${base64(`${username}:${password}`)}`),
      get(`/auth/login?username=${encode(username)}&password=${encode(password)}`),
      get(`/auth/login?token=${encode(token)}`)
    ],
    expect: all(success, card)
  }),
  must('reference-app-name', 'SVC_APP_NAME', 'The login form shows the name in SVC_APP_NAME (default: Demo Company)', {
    ...form,
    needs: ['reference'],
    expect: appName
  }),
  observed('form-app-name', 'SVC_APP_NAME', 'The title of the login form, for example the application name', {
    requests: 'form',
    observe: response => at(response, 'title')
  }),
  observed('form-head', '5.2', 'The status of HEAD /auth/login', {
    requests: send('HEAD', '/auth/login'),
    observe: ({ status }) => status
  })
]
