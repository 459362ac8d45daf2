// A small server of the contract on plain node:http. It shares no code with lib/, so that the kit is tested against the
// contract and not against the plugin. Each part can be broken alone.
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

export const USERNAME = 'grace'
export const PASSWORD = 'cobol-60'
export const SECRET = 'the-minimal-server-has-its-own-secret'

export type Form = 'jwt' | 'opaque' | 'no-auth'

export interface Incoming {
  method: string
  path: string
  query: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Outgoing {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

/** The parts of a server; a broken one replaces some of them. */
export interface Parts {
  prefix: string
  isPublic(request: Incoming): boolean
  form(request: Incoming): Outgoing
  checks(username: unknown, password: unknown): boolean
  readFields(request: Incoming): Record<string, unknown>
  accept(token: string, screen: unknown): Outgoing
  reject(fields: Record<string, unknown>): Outgoing
  issue(username: string): string
  tokenOf(request: Incoming): string | undefined
  isValid(token: string, request: Incoming): boolean
  missing(request: Incoming): Outgoing
  invalid(token: string, request: Incoming): Outgoing
  menu(isLogin: boolean): unknown
  other(request: Incoming): Outgoing
}

export const hmac = (text: string, key = SECRET) => createHmac('sha256', key).update(text).digest('base64url')
const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const seconds = () => Math.floor(Date.now() / 1000)

/** Returns a signed JWT. */
export function sign(claims: object): string {
  const content = `${segment({ alg: 'HS256', typ: 'JWT' })}.${segment(claims)}`
  return `${content}.${hmac(content)}`
}

export function decode(token: string): { alg?: unknown; exp?: unknown } {
  try {
    const [header = '', claims = ''] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
    return { ...JSON.parse(header), ...JSON.parse(claims) }
  } catch {
    return {}
  }
}

export const json = (status: number, body: unknown): Outgoing => ({
  status,
  headers: { 'content-type': 'application/json' },
  body
})

/** Returns the parts of a server that keeps every clause. */
export function conforming(form: Form, prefix = ''): Parts {
  const tokens = new Set<string>()
  return {
    prefix,
    isPublic: ({ method, path }) =>
      path === `${prefix}/auth/login` && (method === 'GET' || method === 'POST'),
    form: () =>
      json(200, {
        layout: 'Card',
        title: 'Willkommen',
        auth_action: `${prefix}/auth/login`,
        language: 'de',
        sections: [
          {
            id: 'login',
            label: 'Anmeldung',
            columns: 1,
            fields: [
              { id: 'password', label: 'Kennwort', type: 'Password', value: '', mask: '•' },
              { id: 'username', label: 'Benutzer', type: 'Text', value: '' }
            ]
          }
        ]
      }),
    checks: (username, password) => username === USERNAME && password === PASSWORD,
    readFields(request) {
      try {
        return Object(JSON.parse(request.body).fields)
      } catch {
        return {}
      }
    },
    accept: (token, screen) => json(200, { success: true, token, error: null, screen, expires_in: 3600 }),
    reject: () =>
      json(422, { success: false, token: null, error: 'Das war leider falsch.', screen: null, code: 17 }),
    issue(username) {
      const now = seconds()
      const token =
        form === 'jwt'
          ? sign({ sub: username, display_name: 'Grace Hopper', iat: now, exp: now + 600, aud: 'bare' })
          : `~${randomBytes(18).toString('base64')}.${randomBytes(6).toString('hex')}`
      tokens.add(token)
      return token
    },
    tokenOf: ({ headers }) => /^Bearer ([^ ]+)$/.exec(headers.authorization ?? '')?.[1],
    isValid(token) {
      if (form === 'opaque') return tokens.has(token)
      const { alg, exp } = decode(token)
      return alg === 'HS256' && isSigned(token) && Number(exp) > seconds()
    },
    missing: () => ({ status: 401 }),
    invalid: () => json(401, { error: 'token' }),
    menu: () => ({
      layout: 'Menu',
      title: 'Start',
      menu: { entries: [], theme: null },
      sections: null,
      ...(form !== 'no-auth' && { user_display_name: 'Grace Hopper' })
    }),
    other: () => json(404, { error: 'no such screen' })
  }
}

/** Returns whether the third part of a token is the signature of the first two. */
export function isSigned(token: string): boolean {
  const [header, claims, signature, ...rest] = token.split('.')
  return rest.length === 0 && signature === hmac(`${header}.${claims}`)
}

/** Starts a server on a free port until the test ends, and returns its base URL. */
export async function listen(t: Test, form: Form, parts: Parts): Promise<string> {
  const server = createServer(async (incoming, response) => {
    const [path = '', query = ''] = (incoming.url as string).split('?')
    const { method = '', headers } = incoming
    const {
      status,
      headers: lines,
      body
    } = respond(form, parts, {
      method,
      path,
      query,
      headers,
      body: await text(incoming)
    })
    response
      .writeHead(status, lines)
      .end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${parts.prefix}`
}

function respond(form: Form, parts: Parts, request: Incoming): Outgoing {
  if (form !== 'no-auth') {
    if (parts.isPublic(request))
      return request.method === 'POST' ? logIn(parts, request) : parts.form(request)
    const token = parts.tokenOf(request)
    if (token === undefined) return parts.missing(request)
    if (!parts.isValid(token, request)) return parts.invalid(token, request)
  }
  const isMenu = request.method === 'GET' && request.path === `${parts.prefix}/menu/main`
  return isMenu ? json(200, parts.menu(false)) : parts.other(request)
}

function logIn(parts: Parts, request: Incoming): Outgoing {
  const fields = parts.readFields(request)
  if (!parts.checks(fields.username, fields.password)) return parts.reject(fields)
  return parts.accept(parts.issue(String(fields.username)), parts.menu(true))
}
