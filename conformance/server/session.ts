import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inert } from '../report/quote.ts'
import { CannotRunError } from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { exchanges } from './cases/index.ts'
import { isToken } from './expectations.ts'
import { type HttpResponse, NoResponseError } from './http.ts'
import { findKey, isAsymmetric, type Keys, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { type PreparedRequest, prepareRequest } from './prepare-request.ts'
import { isRejection, RetryingClient, ThrottledError } from './retrying-client.ts'
import type { CaseRequest, JudgedResponse } from './server-case.ts'
import { type Known, MissingExchangeError, PASSWORD_CHANGES, randomWord, Values } from './values.ts'

/** A request and its response, or why there was none. */
export interface Exchange {
  request: PreparedRequest
  /** The requests before it on the same connection. */
  before?: PreparedRequest[]
  response?: JudgedResponse
  error?: string
}

/** Makes something of the values of the run. */
type Make<T> = (values: Values) => T

/** A request of a case, or the name of an exchange. */
type Template = string | CaseRequest

/** One run against one server: the named exchanges so far, the token of the last login, and the secrets to mask. */
export class Session {
  readonly client: RetryingClient
  readonly keys: Keys
  /** Whether the server signs its JWTs with another key than the given one. */
  isKeyWrong = false
  /** The form in which the server accepted the credentials, when it is not an AuthRequest. */
  otherForm: string | undefined
  /** How many logins were sent with a username and a password that must fail. */
  failedLogins = 0
  readonly known: Known = { responses: new Map() }
  readonly #options: ServerOptions
  readonly #random = randomWord()
  readonly #secrets = new Secrets()
  readonly #exchanges = new Map<string, Promise<Exchange | undefined>>()
  /** When the token was received, in milliseconds. */
  #tokenFrom = 0

  constructor(options: ServerOptions) {
    const { url, username, password, secondPassword = '', secret, expiredToken, timeout } = options
    this.#options = options
    this.#secrets.add(password, '<password>')
    for (const change of Object.values(PASSWORD_CHANGES)) this.#secrets.add(change(password), '<password, changed>')
    this.#secrets.add(secondPassword, '<second password>')
    this.#secrets.add(Buffer.from(`${username}:${password}`).toString('base64'), '<credentials>')
    this.#secrets.add(secret ?? '', '<secret>')
    this.#secrets.add(expiredToken ?? '', '<expired token>')
    this.client = new RetryingClient(url, timeout, {
      deadline: performance.now() + secondsOf(options) * 1000,
      onPause: options.onPause
    })
    this.keys = { publicKey: options.publicKey }
  }

  /** Returns a text without the secrets of this run, cut after so many characters. */
  readonly mask = (text: string, length?: number) => inert(this.#secrets.mask(text, length))

  /** Whether no other route than the login asked for too long a pause. */
  get limitsOnlyLogins(): boolean {
    return [...this.client.limited.keys()].every(route => route === `POST ${this.values().base}/auth/login`)
  }

  values(path?: string, isMasked = false): Values {
    return new Values(this.#options, this.known, this.#random, { path, isMasked })
  }

  /**
   * Returns what is made of the values of the run, after the exchanges that it needs.
   *
   * @throws what `named` throws, and MissingValueError
   */
  async resolve<T>(make: Make<T>, path?: string): Promise<T> {
    for (;;) {
      try {
        return make(this.values(path))
      } catch (error) {
        if (!(error instanceof MissingExchangeError)) throw error
        await this.named(error.message)
      }
    }
  }

  /**
   * Makes the exchange of that name, only once in a run, also when it fails.
   *
   * @returns the exchange; undefined when HTTP cannot carry it
   * @throws what `exchange` throws, and CannotRunError when no login is possible
   */
  named(name: string): Promise<Exchange | undefined> {
    const known = this.#exchanges.get(name)
    if (known !== undefined) return known
    const exchange = this.#make(name)
    this.#exchanges.set(name, exchange)
    return exchange
  }

  async #make(name: string): Promise<Exchange | undefined> {
    const request = await this.#prepareNamed(name)
    const exchange =
      request &&
      (await this.exchange(request).catch(error => {
        if (!(error instanceof ThrottledError) || name !== 'login') throw error
        throw new CannotRunError(`no login is possible: ${error.message}`)
      }))
    this.known.responses.set(name, exchange?.response)
    if (name === 'login' && exchange?.response !== undefined) await this.#demandRightCredentials(exchange.response)
    return exchange
  }

  /** Returns the requests that can be made, and the names of exchanges, after the exchanges that they need. */
  async prepare(make: Make<readonly Template[]>, path?: string): Promise<(string | PreparedRequest)[]> {
    const templates = await this.resolve(values => {
      const made = make(values)
      const isChanged = made.some(one => typeof one !== 'string' && typeof one.bearer === 'object')
      // A change needs the token itself.
      if (isChanged) void values.token
      return made
    }, path)
    const shown = make(this.values(path, true))
    return templates.flatMap((template, index) =>
      typeof template === 'string'
        ? template
        : (prepareRequest(template, shown[index] as CaseRequest, this.values(path), this.keys) ?? [])
    )
  }

  async #prepareNamed(name: string): Promise<PreparedRequest | undefined> {
    const [request] = await this.prepare(values => [(exchanges[name] as Make<CaseRequest>)(values)])
    return request as PreparedRequest | undefined
  }

  /**
   * Sends a request.
   *
   * @returns the exchange; undefined when HTTP cannot carry it
   * @throws ThrottledError, DeadlineError and CannotRunError, for the reasons that these name
   */
  async exchange(request: PreparedRequest): Promise<Exchange | undefined> {
    this.#note(request)
    await sleep(request.pause * 1000)
    try {
      const response = await this.client.send(request.sent, request.login !== undefined, request.mayClose)
      return { request, response: await this.#read(request, response) }
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      const isLeftOut = error.reason === 'unsendable' || request.mayClose
      return isLeftOut ? undefined : { request, error: error.message }
    }
  }

  /** As `exchange`, of requests on one connection: those before the server closes it. */
  async exchangeOnOneConnection(requests: PreparedRequest[], isPipelined: boolean): Promise<Exchange[]> {
    for (const request of requests) this.#note(request)
    try {
      const responses = await this.client.sendOnOneConnection(
        requests.map(({ sent }) => sent),
        isPipelined
      )
      const made: Exchange[] = []
      for (const [index, response] of responses.entries()) {
        const request = requests[index] as PreparedRequest
        made.push({ request, response: await this.#read(request, response) })
      }
      return made
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      if (error.reason === 'unsendable') return []
      return requests.map(request => ({ request, error: error.message }))
    }
  }

  #note({ sent, login, changed }: PreparedRequest): void {
    // A changed token contains most of the right one.
    if (changed !== undefined) this.#secrets.add(...changed)
    if (login === undefined && hasCredentials(sent.body)) this.failedLogins++
  }

  /** Keeps the secrets and the token of a response, and decodes that. */
  async #read({ login, sent }: PreparedRequest, response: HttpResponse): Promise<JudgedResponse> {
    // Also of a login that must fail: its token is as good as any.
    if (/\/auth\/login$/.test(sent.path)) this.#secrets.learn(response)
    const token = tokenIn(response)
    if (token === undefined) return response
    this.#secrets.add(token, '<token>')
    if (login === 'first') this.#setToken(token)
    const { header, claims } = parseJwt(token) ?? {}
    if (header === undefined || claims === undefined) return response
    const keys = this.#options.keys
    const jwt = {
      header,
      claims,
      lifetime: toNumber(claims.exp) - toNumber(claims.iat),
      remaining: toNumber(claims.exp) - Date.now() / 1000,
      ...(keys.length > 0 && { signed: findKey(token, keys) !== undefined })
    }
    return { ...response, jwt }
  }

  /** Without a login that succeeds there is no verdict, unless the server only does not understand an AuthRequest. */
  async #demandRightCredentials(response: JudgedResponse): Promise<void> {
    if (tokenIn(response) !== undefined || !isRejection(response)) return
    for (const name of ['credentials without fields', 'credentials as a form']) {
      const other = (await this.named(name))?.response
      if (other !== undefined && tokenIn(other) !== undefined) this.otherForm ??= name.replace('credentials ', '')
    }
    if (this.otherForm !== undefined) return
    throw new CannotRunError(
      `the server rejected the username and the password (status ${response.status}): give some that it accepts. If they are right, your server does not understand an AuthRequest (contract 2.1).`
    )
  }

  #setToken(token: string): void {
    this.known.token = token
    this.#tokenFrom = Date.now()
    const jwt = parseJwt(token)
    if (jwt === undefined) return
    // A secret says nothing about a server with a private key, nor that about one with a secret.
    const keys = this.#options.keys.filter(({ type }: KeyObject) => isAsymmetric(jwt.alg) === (type === 'private'))
    this.keys.key = findKey(token, keys)
    this.isKeyWrong = keys.length > 0 && this.keys.key === undefined
  }

  /** A token with a short lifetime must not end before the cases do. */
  async renewToken(): Promise<void> {
    const { token } = this.known
    if (token === undefined) return
    const { iat, exp } = parseJwt(token)?.claims ?? {}
    const seconds = this.#options.lifetime ?? toNumber(exp) - toNumber(iat)
    if (!((Date.now() - this.#tokenFrom) / 1000 > seconds / 2)) return
    await this.exchange((await this.#prepareNamed('login')) as PreparedRequest)
  }
}

/** The longest time of a run. To wait for the end of a token takes its own time, twice. */
const secondsOf = ({ limit, lifetime }: ServerOptions) => limit + (lifetime === undefined ? 0 : 2 * lifetime + 70)

const toNumber = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)

function tokenIn({ body }: HttpResponse): string | undefined {
  const { token } = Object(body) as { token?: unknown }
  return isToken(token) ? token : undefined
}

/** Whether a body is an AuthRequest with a username and a password, which may count as a failure. */
function hasCredentials(body: string | Buffer | undefined): boolean {
  try {
    const { username, password } = Object(JSON.parse(String(body)).fields)
    return [username, password].every(value => typeof value === 'string' && value !== '')
  } catch {
    return false
  }
}
