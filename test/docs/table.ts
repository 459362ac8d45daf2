// Tables of requests to a program, and of the responses that it must send.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Test } from 'tap'
import { bearer } from '../helpers.ts'
import type { Program } from './program.ts'

const schema = new URL('../../schemas/known-screen.schema.json', import.meta.url)
const ajv = new Ajv2020({ strict: false })
const isKnown = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')))

/** Returns why known clients draw nothing of a screen, or `''`. */
const faultsOf = (screen: unknown) => (isKnown(screen) ? '' : ajv.errorsText(isKnown.errors))

/** What a request has besides its method and its path. */
interface Sent {
  /** The session whose token is sent: `ada`, or `ada 2` for a second session. The first use logs in as this user. */
  as?: string
  /** A token of no session. */
  token?: string
  /** The fields of a login. Those that are left out are the ones that nearly all programs accept. */
  fields?: Record<string, unknown>
  json?: unknown
  text?: string
  headers?: Record<string, string>
  from?: string
  /** Keeps the token of the response as this session. */
  keep?: string
  /** Sends the request until its response has the status. */
  eventually?: boolean
}

/** A request such as `GET /menu/main`, and the status, the body and the headers of its response. */
export type Row = [request: string, sent: Sent, status: number, body?: unknown, headers?: object]

/** A row, or something else to do between rows. */
export type Step = Row | ((visitor: Visitor) => unknown)

/** The response to a request. Its body is a text if it is no JSON. */
export interface Received {
  status: number | undefined
  headers: http.IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: a test expects this body
  body: any
}

export const REJECTED = { success: false, token: null, error: 'Wrong username or password.', screen: null }
export const BLOCKED = { success: false, error: /^Too many attempts/ }

/** Returns a row of a login. */
export const login = (fields: Record<string, unknown>, body: unknown, status = 200): Row => [
  'POST /auth/login',
  { fields },
  status,
  body
]

/** A login while the user store is down. */
export const unavailable = (username = 'ada', headers = {}): Row => [
  'POST /auth/login',
  { fields: { username }, headers },
  503,
  { success: false, token: null, screen: null },
  { 'retry-after': /^\d+$/ }
]

/** Returns a row for each of the paths, which spaces separate. */
export const gets = (paths: string, ...rest: [Sent, status: number, body?: unknown, headers?: object]): Row[] =>
  paths.split(' ').map(path => [`GET ${path}`, ...rest])

/** Returns a row for each value. */
export const each = <Value>(values: readonly Value[], row: (value: Value) => Row): Row[] => values.map(row)

/** Returns a row many times. */
export const times = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row)

/** Sends requests to a program, and remembers its tokens. */
export class Visitor {
  readonly t: Test
  readonly url: string
  readonly #tokens = new Map<string, string>()

  private constructor(t: Test, url: string) {
    this.t = t
    this.url = url
  }

  /** Waits until a program listens, unless its URL is given, and takes all steps. */
  static async visit(t: Test, place: Program | string, ...steps: Step[]): Promise<Visitor> {
    const visitor = new Visitor(t, typeof place === 'string' ? place : await place.listening())
    await visitor.take(...steps)
    return visitor
  }

  take = async (...steps: Step[]): Promise<void> => {
    for (const step of steps)
      if (typeof step === 'function') await step(this)
      else await this.#check(step)
  }

  tokenOf = async (session: string): Promise<string> => {
    const [username = ''] = session.split(' ')
    if (!this.#tokens.has(session)) await this.send('POST /auth/login', { fields: { username }, keep: session })
    return this.#tokens.get(session) as string
  }

  send = async (line: string, sent: Sent = {}): Promise<Received> => {
    const [method = '', path = ''] = line.split(' ')
    const fields = { username: 'ada', password: 'correct horse', ...sent.fields }
    const json = sent.fields === undefined ? sent.json : { fields }
    const token = sent.as === undefined ? sent.token : await this.tokenOf(sent.as)
    const type = json === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { ...type, ...(token !== undefined && bearer(token)), ...sent.headers }
    const from = sent.from === undefined ? {} : { localAddress: sent.from }
    const request = http.request(this.url + path, { method, headers, agent: false, ...from })
    request.end(json === undefined ? sent.text : JSON.stringify(json))
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const content = await text(response)
    const isJson = /json/.test(response.headers['content-type'] ?? '') && content !== ''
    const body = isJson ? JSON.parse(content) : content
    if (sent.keep !== undefined && body.token) this.#tokens.set(sent.keep, body.token)
    return { status: response.statusCode, headers: response.headers, body }
  }

  async #check([line, sent, status, body, headers]: Row): Promise<void> {
    const { t } = this
    let received = await this.send(line, sent)
    while (sent.eventually && received.status !== status) received = await this.send(line, sent)
    const name = `${line} ${JSON.stringify(sent).slice(0, 200)}`
    t.equal(received.status, status, name)
    if (typeof body === 'string') t.equal(received.body, body, name)
    else if (body !== undefined) t.match(received.body, body, name)
    if (headers !== undefined) t.match(received.headers, headers, name)
    for (const screen of [received.body, received.body?.screen]) if (screen?.layout) t.equal(faultsOf(screen), '', name)
  }
}
