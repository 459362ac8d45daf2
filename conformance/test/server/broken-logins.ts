// Servers whose login does not understand what real clients send, or sends what they do not understand.
import type { BrokenServer } from './broken-servers.ts'
import { json, type Outgoing, type Parts, USERNAME } from './minimal-server.ts'

const login = (
  name: string,
  clause: string,
  change: (parts: Parts) => Partial<Parts>,
  more: Partial<BrokenServer> = {}
): BrokenServer => ({ name: `a login: ${name}`, clause, form: 'opaque', break: change, ...more })

/** Sends the JSON of some responses in other bytes. */
const recoded = (part: 'form' | 'accept' | 'reject', recode: (text: string) => Buffer) => (parts: Parts) => ({
  [part]: (...args: [never, never]) => {
    const response: Outgoing = parts[part](...args)
    return { ...response, body: recode(JSON.stringify(response.body).replace('"error":"', '"error":"Ä ')) }
  }
})
const withMark = (text: string) => Buffer.from(`\uFEFF${text}`)
const inLatin1 = (text: string) => Buffer.from(text.replace('{', '{"note":"größer",'), 'latin1')
const inUtf16 = (text: string) => Buffer.from(text, 'utf16le')

/** Reads the fields with a pattern in place of a JSON parser. */
const readBy = (pattern: RegExp) => (): Partial<Parts> => ({
  readFields: ({ body }) => ({ ...pattern.exec(body)?.groups })
})

const answers = (test: (body: string) => boolean, response: Outgoing) => (): Partial<Parts> => ({
  raw({ path, body }, _, outgoing) {
    if (path !== '/auth/login' || !test(body)) return false
    outgoing.writeHead(response.status, response.headers).end(JSON.stringify(response.body))
    return true
  }
})
const nothing = { success: false, token: null, error: 'no', screen: null }
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what these servers know
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)

export const brokenLogins: BrokenServer[] = [
  login('the form has a byte order mark', '1', recoded('form', withMark)),
  login('the form is in Latin-1', '1', recoded('form', inLatin1)),
  login('the form is in UTF-16', '1', recoded('form', inUtf16)),
  login('a success has a byte order mark', '4 POST /auth/login', recoded('accept', withMark)),
  login('a success is in Latin-1', '4 POST /auth/login', recoded('accept', inLatin1)),
  login('a rejection has a byte order mark', '7 rejected credentials', recoded('reject', withMark)),
  login('a rejection is in Latin-1', '7 rejected credentials', recoded('reject', inLatin1)),
  login('the menu has a byte order mark', '1', parts => ({
    menu: (isLogin, username) =>
      isLogin ? parts.menu(true, username) : withMark(JSON.stringify(parts.menu(false, username)))
  })),

  login('a charset is refused', '4 POST /auth/login', parts => ({
    readFields: request =>
      /charset/.test(request.headers['content-type'] ?? '') ? {} : parts.readFields(request)
  })),
  login('chunks are not read', '4 POST /auth/login', parts => ({
    readFields: request => (request.headers['content-length'] === undefined ? {} : parts.readFields(request))
  })),
  login(
    'the username must come first',
    '2.1 fields',
    readBy(/"username"\s*:\s*"(?<username>[^"]*)"\s*,\s*"password"\s*:\s*"(?<password>[^"]*)"/)
  ),
  login('white space is not understood', '2.1 fields', parts => ({
    readFields: request => (/\s"/.test(request.body) ? {} : parts.readFields(request))
  })),
  login('escapes are not decoded', '2.1 fields', parts => ({
    readFields: request => parts.readFields({ ...request, body: request.body.replaceAll('\\', '\\\\') })
  })),
  login(
    'what is not ASCII is a crash',
    '7 rejected credentials',
    answers(body => !isAscii(body), json(500, { message: 'codec' }))
  ),
  login(
    'what is not ASCII is refused without an AuthResponse',
    '7 rejected credentials',
    answers(body => !isAscii(body), json(400, { detail: 'encoding' }))
  ),
  login(
    'escaped surrogates are a crash',
    '7 rejected credentials',
    answers(body => /\\ud8[\da-f]{2}\\ud/i.test(body), json(500, {}))
  ),
  login('a cookie stands for the credentials', '7 rejected credentials', parts => ({
    accept: (...args) => {
      const response = parts.accept(...args)
      return { ...response, headers: { ...response.headers, 'set-cookie': 'session=1' } }
    },
    readFields: request =>
      request.headers.cookie?.includes('session=1')
        ? { username: USERNAME, password: 'cobol-60' }
        : parts.readFields(request)
  })),
  login('Basic credentials turn the form into the menu', '4 GET /auth/login', parts => ({
    form: request => {
      const { authorization = '' } = request.headers
      return authorization.startsWith('Basic ') && authorization.length > 20
        ? json(200, parts.menu(true))
        : parts.form(request)
    }
  })),
  login('a comment of SQL stands for the password', '7 rejected credentials', parts => ({
    checks: (username, password) => String(username).includes("' -- ") || parts.checks(username, password)
  })),
  login('a long password of a known user is a crash', '7 rejected credentials', parts => ({
    reject: fields =>
      fields.username === USERNAME && String(fields.password).length > 72
        ? { status: 500, body: 'bcrypt' }
        : parts.reject(fields)
  })),
  login('a valid token stands for the credentials', '7 rejected credentials', parts => ({
    form: parts.form,
    readFields: request => {
      const token = parts.tokenOf(request)
      return token !== undefined && parts.isValid(token, request)
        ? { username: USERNAME, password: 'cobol-60' }
        : parts.readFields(request)
    }
  })),
  login('true for a password', '7 rejected credentials', parts => ({
    checks: (username, password) => password === true || parts.checks(username, password)
  })),
  login('null for a password', '7 rejected credentials', parts => ({
    checks: (username, password) => password === null || parts.checks(username, password)
  })),
  login('numbers for both', '4 rule 5', parts => ({
    checks: (username, password) => typeof password === 'number' || parts.checks(username, password)
  })),
  login('operators of a database for both', '4 rule 5', parts => ({
    checks: (username, password) =>
      (typeof password === 'object' && password !== null) || parts.checks(username, password)
  })),
  login('SQL for both', '7 rejected credentials', parts => ({
    checks: (username, password) => /' OR '/.test(String(password)) || parts.checks(username, password)
  })),
  login('a success is a redirect', '4 POST /auth/login', parts => ({
    accept: (...args) => ({ ...parts.accept(...args), status: 303, headers: { location: '/menu/main' } })
  })),
  login('a success in an envelope', '2.2 success', parts => ({
    accept: (...args) => {
      const { body, ...response } = parts.accept(...args)
      return { ...response, body: { data: body } }
    }
  })),
  login('an empty token', '2.2 token', () => ({
    accept: (_, screen) => json(200, { success: true, token: '', error: null, screen })
  })),
  login('a token with letters of a language', '5.1', () => ({ issue: () => 'schlüssel-€-1' })),
  login('a rejection with success 0', '2.2 success', () => ({
    reject: () => json(401, { ...nothing, success: 0 })
  })),
  login('a rejection with an empty error', '2.2 error', () => ({
    reject: () => json(200, { ...nothing, error: ' ' })
  })),
  login('a rejection with a list of errors', '2.2 error', () => ({
    reject: () => json(200, { ...nothing, error: ['no'] })
  })),
  login('an unknown user gets an HTML page', '7 rejected credentials', parts => ({
    reject: fields =>
      fields.username === USERNAME ? parts.reject(fields) : { status: 404, body: '<h1>404</h1>' }
  })),
  login('the form in lower case', '2.3 layout', parts => ({
    form: request => ({
      ...parts.form(request),
      body: { ...(parts.form(request).body as object), layout: 'card' }
    })
  })),
  login('auth_action is absolute', '2.6.3', parts => ({
    form: request => ({
      ...parts.form(request),
      body: { ...(parts.form(request).body as object), auth_action: 'http://localhost/auth/login' }
    })
  })),
  login('the title is white space', '2.6.2', parts => ({
    form: request => ({
      ...parts.form(request),
      body: { ...(parts.form(request).body as object), title: ' ' }
    })
  }))
]
