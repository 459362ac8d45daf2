// A small server of the contract on plain node:http. It shares no code with lib/, so that the tests check the kit
// against the contract and not against the plugin. A test can replace each part.
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign as signWith, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

export const USERNAME = 'grace'
export const PASSWORD = 'cobol-60'
export const SECRET = 'the-minimal-server-has-its-own-secret'

/** The credentials of a second user as options of the kit. The display name and the password are not ASCII. */
export const second = { secondUsername: 'zoe', secondPassword: 'plankalkül' }

const NAMES: Record<string, string> = { grace: 'Grace Hopper', zoe: 'Zoë Zuse' }

export type Form = 'jwt' | 'RS256' | 'ES256' | 'opaque' | 'no-auth'

const PAIRS: Partial<Record<Form, { privateKey: KeyObject; publicKey: KeyObject }>> = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

export const privateKeyOf = (form: Form) =>
  PAIRS[form]?.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string | undefined

export const publicKeyOf = (form: Form) =>
  PAIRS[form]?.publicKey.export({ format: 'pem', type: 'spki' }) as string | undefined

export interface Incoming {
  method: string
  path: string
  query: string
  headers: IncomingHttpHeaders
  body: string
  connection: object
}

export interface Outgoing {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

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
  userOf(token: string): string
  /** Later menus may be promises. */
  menu(isLogin: boolean, username?: string): unknown
  other(request: Incoming): Outgoing
  /** May respond on its own. Returns whether it did. */
  raw?(request: Incoming, incoming: IncomingMessage, response: ServerResponse): boolean
}

export const hmac = (text: string, key = SECRET) => createHmac('sha256', key).update(text).digest('base64url')
const segment = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
export const seconds = () => Math.floor(Date.now() / 1000)

export function sign(claims: object, form: Form = 'jwt', header: object = {}): string {
  const alg = form === 'jwt' ? 'HS256' : form
  const content = `${segment({ alg, typ: 'JWT', ...header })}.${segment(claims)}`
  const key = PAIRS[form]?.privateKey
  if (key === undefined) return `${content}.${hmac(content)}`
  const signature = signWith('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' })
  return `${content}.${signature.toString('base64url')}`
}

export function decode(token: string): Record<string, unknown> {
  try {
    const [header = '', claims = ''] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
    return { ...JSON.parse(header), ...JSON.parse(claims) }
  } catch {
    return {}
  }
}

export const json = (status: number, body: unknown, headers: Outgoing['headers'] = {}): Outgoing => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body
})

const CHALLENGE = { 'www-authenticate': 'Bearer' }

/** Returns the parts of a server that follows the contract and all advice of the kit; with `jwt`, also contract 5.5. */
export function conforming(form: Form, prefix = ''): Parts {
  const tokens = new Map<string, string>()
  const alg = form === 'jwt' ? 'HS256' : form
  return {
    prefix,
    isPublic: ({ method, path }) => path === `${prefix}/auth/login` && (method === 'GET' || method === 'POST'),
    form() {
      const fields = [
        { id: 'password', label: 'Kennwort', type: 'Password', value: '', mask: '•' },
        { id: 'username', label: 'Benutzer', type: 'Text', value: '' }
      ]
      const sections = [{ id: 'login', label: 'Anmeldung', columns: 1, fields }]
      const auth_action = `${prefix}/auth/login`
      return json(200, { layout: 'Card', title: 'Willkommen', auth_action, language: 'de', sections })
    },
    checks: (username, password) =>
      (username === USERNAME && password === PASSWORD) ||
      (username === second.secondUsername && password === second.secondPassword),
    readFields(request) {
      try {
        return Object(JSON.parse(request.body).fields)
      } catch {
        return {}
      }
    },
    accept: (token, screen) =>
      json(200, { success: true, token, error: null, screen, expires_in: 3600 }, { 'cache-control': 'no-store' }),
    reject: () => json(422, { success: false, token: null, error: 'Das war leider falsch.', screen: null, code: 17 }),
    issue(username) {
      const iat = seconds()
      const others = form === 'jwt' ? { exp: iat + 86_400 } : { exp: iat + 600, aud: 'bare' }
      const token =
        form === 'opaque'
          ? `~${randomBytes(18).toString('base64')}.${randomBytes(6).toString('hex')}`
          : sign({ sub: username, display_name: NAMES[username], iat, ...others }, form)
      tokens.set(token, username)
      return token
    },
    tokenOf: ({ headers }) => /^Bearer ([^ ]+)$/i.exec(headers.authorization ?? '')?.[1],
    isValid(token) {
      if (form === 'opaque') return tokens.has(token)
      const { exp, nbf = 0, crit, ...header } = decode(token)
      const isInTime = Number(exp) > seconds() && Number(nbf) <= seconds()
      return header.alg === alg && crit === undefined && isSigned(token, form) && isInTime
    },
    userOf: token => (form === 'opaque' ? tokens.get(token) : (decode(token).sub as string)) ?? USERNAME,
    missing: () => ({ status: 401, headers: CHALLENGE }),
    invalid: () => json(401, { error: 'token' }, CHALLENGE),
    menu: (_, username = USERNAME) => ({
      layout: 'Menu',
      title: 'Start',
      menu: { entries: [username], theme: null },
      sections: null,
      ...(form !== 'no-auth' && { user_display_name: NAMES[username] })
    }),
    other: () => json(404, { error: 'no such screen' })
  }
}

export type Break = (parts: Parts) => Partial<Parts>

export type Change = Break | Partial<Parts>

// biome-ignore lint/suspicious/noExplicitAny: a broken response may have any type
export type Any = any

export const response =
  (part: 'form' | 'accept' | 'reject') =>
  (change: (response: Outgoing) => Outgoing): Break =>
  parts => ({ [part]: (...args: [never, never]) => change(parts[part](...args)) })

/** Changes the bodies of a part: replaces members, or calls a function. */
export const body =
  (part: 'form' | 'accept' | 'reject') =>
  (change: object | ((body: Any) => unknown)): Break =>
    response(part)(({ body, ...rest }) => ({
      ...rest,
      body: typeof change === 'function' ? change(body) : { ...(body as object), ...change }
    }))

/** Changes members of the menu: in the response to a login, and in later responses. */
export const menu =
  ({ login, later }: { login?: object; later?: object }): Break =>
  parts => ({
    menu: (isLogin, username) => ({
      ...(parts.menu(isLogin, username) as object),
      ...(isLogin ? login : later)
    })
  })

export const beforeGuard =
  (respond: (request: Incoming, parts: Parts) => Outgoing | false): Break =>
  parts => ({
    raw(request, _, outgoing) {
      const response = respond(request, parts)
      if (response === false) return false
      outgoing.writeHead(response.status, response.headers)
      outgoing.end(response.body && JSON.stringify(response.body))
      return true
    }
  })

/** Returns whether the third part of a token is the signature of the first two. */
export function isSigned(token: string, form: Form = 'jwt'): boolean {
  const [header, claims, signature = '', ...rest] = token.split('.')
  const content = `${header}.${claims}`
  const key = PAIRS[form]?.publicKey
  if (rest.length > 0) return false
  if (key === undefined) return signature === hmac(content)
  const bytes = Buffer.from(signature, 'base64url')
  return verify('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }, bytes)
}

/** Starts a server on a free port until the test ends, and returns its base URL. What `change` does not replace conforms. */
export async function listen(t: Pick<Test, 'teardown'>, form: Form, change: Change = {}, prefix = ''): Promise<string> {
  const own = conforming(form, prefix)
  const parts = { ...own, ...(typeof change === 'function' ? change(own) : change) }
  // No keep-alive timeout, so that a slow machine closes no connection between requests.
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const [path = '', query = ''] = (incoming.url as string).split('?')
    const { method = '', headers, socket } = incoming
    const request = { method, path, query, headers, body: await text(incoming), connection: socket }
    if (parts.raw?.(request, incoming, response)) return
    const { status, headers: lines, body } = await respond(form, parts, request)
    const isReady = typeof body === 'string' || Buffer.isBuffer(body) || body === undefined
    response.writeHead(status, lines).end(isReady ? body : JSON.stringify(body))
  })
  return `http://127.0.0.1:${await listenOn(t, server)}${parts.prefix}`
}

export async function listenOn(t: Pick<Test, 'teardown'>, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

async function respond(form: Form, parts: Parts, request: Incoming): Promise<Outgoing> {
  let username: string | undefined
  if (form !== 'no-auth') {
    if (parts.isPublic(request)) return request.method === 'POST' ? logIn(parts, request) : parts.form(request)
    const token = parts.tokenOf(request)
    if (token === undefined) return parts.missing(request)
    if (!parts.isValid(token, request)) return parts.invalid(token, request)
    username = parts.userOf(token)
  }
  const isMenu = request.method === 'GET' && request.path === `${parts.prefix}/menu/main`
  if (!isMenu) return parts.other(request)
  return json(200, await parts.menu(false, username), { etag: '"the-menu"' })
}

function logIn(parts: Parts, request: Incoming): Outgoing {
  const fields = parts.readFields(request)
  if (!parts.checks(fields.username, fields.password)) return parts.reject(fields)
  const username = String(fields.username)
  return parts.accept(parts.issue(username), parts.menu(true, username))
}
