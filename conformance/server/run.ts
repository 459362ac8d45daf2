import { type KeyObject, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CannotRunError, inert, SkipError } from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { exchanges } from './cases/index.ts'
import { type HttpResponse, NoResponseError } from './http.ts'
import { parseJson } from './json.ts'
import { findKey, isAsymmetric, type Keys, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { type PreparedRequest, prepareRequest } from './prepare-request.ts'
import { isRejection, RetryingClient } from './retrying-client.ts'
import type { CaseRequest } from './server-case.ts'
import type { JudgedResponse, Known, Values } from './values.ts'
import { MissingExchangeError, PASSWORD_CHANGES, tokenIn, valuesOf } from './values.ts'

export interface Exchange {
  request: PreparedRequest
  /** Earlier requests that the report shows before this one. */
  before?: PreparedRequest[]
  response?: JudgedResponse
  error?: string
}

type Make<T> = (values: Values) => T

/** A run against one server, with the named exchanges so far, the token of the last login, and the secrets to mask. */
export class Run {
  readonly client: RetryingClient
  readonly keys: Keys
  /** Whether none of the given keys verifies the JWTs of the server. */
  isKeyWrong = false
  /** The number of logins with a username and a password that the server had to reject. */
  failedLogins = 0
  /** The `--protected` route of the current case. */
  path: string | undefined
  readonly known: Known = { issued: new Set(), responses: new Map() }
  readonly #options: ServerOptions
  readonly #random = `x${randomBytes(9).toString('hex')}`
  readonly #secrets = new Secrets()
  readonly #exchanges = new Map<string, Promise<Exchange | undefined>>()
  #tokenReceived = 0

  constructor(options: ServerOptions) {
    const { username, password, secondPassword = '', secret = '', expiredToken = '' } = options
    this.#options = options
    this.#secrets.add(password, '<password>')
    for (const change of Object.values(PASSWORD_CHANGES)) this.#secrets.add(change(password), '<password, changed>')
    this.#secrets.add(secondPassword, '<second password>')
    this.#secrets.add(`${username}:${password}`, '<credentials>')
    this.#secrets.add(secret, '<secret>')
    this.#secrets.add(expiredToken, '<expired token>')
    const deadline = performance.now() + secondsOf(options) * 1000
    this.client = new RetryingClient(options, deadline)
    this.keys = { publicKey: options.publicKey }
  }

  /** Whether the response to a right login is as good as that to the first login. */
  acceptsAgain(response: JudgedResponse | undefined): boolean {
    const hadToken = tokenIn(this.known.responses.get('login')) !== undefined
    return hadToken ? tokenIn(response) !== undefined : !isRejection(response)
  }

  /** Masks the secrets of this run, and then cuts the text. */
  readonly mask = (text: string, length?: number) => inert(this.#secrets.mask(text, length))

  /** Whether the server demanded too long a pause only for the login, or for no route. */
  get limitsOnlyLogins(): boolean {
    return [...this.client.limited.keys()].every(route => route === `POST ${this.values().base}/auth/login`)
  }

  values(isMasked = false): Values {
    return valuesOf(this.#options, this.known, this.#random, this.path, isMasked)
  }

  /** Calls `make` with the values of the run. Before that, sends the named exchanges that `make` needs. */
  async resolve<T>(make: Make<T>): Promise<T> {
    for (;;) {
      try {
        return make(this.values())
      } catch (error) {
        if (!(error instanceof MissingExchangeError)) throw error
        await this.named(error.message)
      }
    }
  }

  /** Sends a named request, only once per run, even if it fails. Throws a CannotRunError if no login is possible. */
  named(name: string): Promise<Exchange | undefined> {
    const exchange = this.#exchanges.get(name) ?? this.#sendNamed(name)
    this.#exchanges.set(name, exchange)
    return exchange
  }

  async #sendNamed(name: string): Promise<Exchange | undefined> {
    const exchange = await this.#sendOnce(name).catch(error => {
      if (!(error instanceof SkipError) || error.reason !== 'limited' || name !== 'login') throw error
      throw new CannotRunError(`no login is possible: ${error.message}`)
    })
    this.known.responses.set(name, exchange?.response)
    if (name === 'login' && exchange?.response !== undefined) await this.#requireRightCredentials(exchange.response)
    return exchange
  }

  /** Prepares the requests of a case. The names of exchanges stay names. Omits impossible requests. */
  prepare(make: Make<readonly (string | CaseRequest)[]>): Promise<(string | PreparedRequest)[]> {
    return this.resolve(values => {
      const shown = make(this.values(true))
      return make(values).flatMap((template, index) => {
        if (typeof template === 'string') return template
        const request = prepareRequest(template, shown[index] as CaseRequest, values, this.keys)
        // Masks a changed token too, because it contains most of the valid token.
        if (request?.changed !== undefined) this.#secrets.add(...request.changed)
        return request ?? []
      })
    })
  }

  async #sendOnce(name: string): Promise<Exchange | undefined> {
    const [request] = await this.prepare(values => [(exchanges[name] as Make<CaseRequest>)(values)])
    return (await this.exchange([request as PreparedRequest]))[0]
  }

  /**
   * Sends a request, or several on one connection.
   *
   * @returns the exchanges; none if HTTP cannot carry a request, or if `mayClose` is set and there is no response; fewer
   *   than the requests if the server closes the connection
   * @throws SkipError and CannotRunError, as `RetryingClient.send`
   */
  async exchange(requests: PreparedRequest[], isPipelined = false): Promise<Exchange[]> {
    const sent = requests.map(request => request.sent)
    const { pause = 0, login, mayClose = false } = (requests[0] as PreparedRequest).template
    this.failedLogins += requests.filter(({ sent, template }) => !template.login && hasCredentials(sent.body)).length
    await sleep(pause * 1000)
    try {
      const responses = await this.client.send(sent, { isLogin: login !== undefined, mayClose, isPipelined })
      return responses.map((response, index) => {
        const request = requests[index] as PreparedRequest
        return { request, response: this.#read(request, response) }
      })
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      const isLeftOut = error.reason === 'unsendable' || mayClose
      return isLeftOut ? [] : requests.map(request => ({ request, error: error.message }))
    }
  }

  /** Records the secrets and the token of a response, and decodes the token if it is a JWT. */
  #read({ template: { login }, sent }: PreparedRequest, response: HttpResponse): JudgedResponse {
    // Includes logins that must fail, because a token in such a response is a secret too.
    if (/\/auth\/login$/.test(sent.path)) this.#secrets.learn(response)
    const token = tokenIn(response)
    if (token === undefined) return response
    this.#secrets.add(token, '<token>')
    if (login !== undefined) this.known.issued.add(token)
    if (login === 'first') this.#setToken(token)
    const decoded = parseJwt(token)
    if (decoded === undefined) return response
    const [iat, exp] = [decoded.claims.iat, decoded.claims.exp].map(toNumber) as [number, number]
    const isSigned = findKey(token, this.#options.keys) !== undefined
    return { ...response, jwt: { ...decoded, lifetime: exp - iat, remaining: exp - Date.now() / 1000, isSigned } }
  }

  /**
   * Throws a CannotRunError if the server rejects the right credentials. Does not throw if the server accepts them
   * without the map `fields`: the kit can judge such a server.
   */
  async #requireRightCredentials(response: JudgedResponse): Promise<void> {
    if (tokenIn(response) !== undefined || !isRejection(response)) return
    const other = (await this.named('credentials without fields'))?.response
    if (tokenIn(other) !== undefined) return
    throw new CannotRunError(
      `the server rejected the username and the password (status ${response.status}): give credentials that it accepts. If they are right, your server does not understand an AuthRequest (contract 2.1).`
    )
  }

  #setToken(token: string): void {
    this.known.token = token
    this.#tokenReceived = Date.now()
    const jwt = parseJwt(token)
    if (jwt === undefined) return
    // A secret cannot verify an asymmetric signature, and a private key cannot verify an HMAC.
    const keys = this.#options.keys.filter(({ type }: KeyObject) => isAsymmetric(jwt.alg) === (type === 'private'))
    this.keys.key = findKey(token, keys)
    this.isKeyWrong = keys.length > 0 && this.keys.key === undefined
  }

  /** Logs in again if half of the token's lifetime is over, so that the token does not expire during a case. */
  async renewToken(): Promise<void> {
    const { token } = this.known
    if (token === undefined) return
    const { iat, exp } = parseJwt(token)?.claims ?? {}
    const seconds = this.#options.lifetime ?? toNumber(exp) - toNumber(iat)
    if ((Date.now() - this.#tokenReceived) / 1000 > seconds / 2) await this.#sendOnce('login')
  }
}

/** The longest time of a run in seconds. Adds the time for the case that waits until a token expires. */
const secondsOf = ({ limit, lifetime }: ServerOptions) => limit + (lifetime === undefined ? 0 : lifetime + 70)

const toNumber = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)

/** Whether a body is an AuthRequest with a username and a password. Only such a login may count as a failure. */
function hasCredentials(body: string | Buffer | undefined): boolean {
  const { username, password } = Object(Object(parseJson(String(body)).body).fields)
  return [username, password].every(value => typeof value === 'string' && value !== '')
}
