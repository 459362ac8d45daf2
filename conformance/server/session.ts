import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CaseRequest, serverCases } from '../cases.ts'
import { CannotRunError } from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { type HttpResponse, NoResponseError } from './http.ts'
import { findKey, isAsymmetric, parseJwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { type Answer, type PreparedRequest, prepareRequest, type Values, valuesOf } from './prepare-request.ts'
import { isRejection, RetryingClient, ThrottledError } from './retrying-client.ts'

/** A request and its response, or why there was none. */
export interface Exchange {
  request: PreparedRequest
  /** The requests before it on the same connection. */
  before?: PreparedRequest[]
  response?: Answer
  error?: string
}

/** One run against one server: the named exchanges so far, the token of the last login, and the secrets to mask. */
export class Session {
  readonly values: Values
  readonly client: RetryingClient
  /** Whether the server signs its JWTs with another key than the given one. */
  isKeyWrong = false
  /** The form in which the server accepted the credentials, when it is not an AuthRequest. */
  otherForm: string | undefined
  readonly #keys: KeyObject[]
  readonly #secrets = new Secrets()
  readonly #exchanges = new Map<string, Promise<Exchange | undefined>>()
  /** When the token was received, in milliseconds. */
  #tokenFrom = 0

  /** Returns a text without the secrets of this run and without control characters. */
  readonly mask = (text: string) => this.#secrets.mask(text)

  constructor(options: ServerOptions) {
    const { url, username, password, secondPassword = '', secret, keys, expiredToken, timeout } = options
    this.#keys = keys
    this.#secrets.add(password, '<password>')
    this.#secrets.add(secondPassword, '<second password>')
    this.#secrets.add(Buffer.from(`${username}:${password}`).toString('base64'), '<credentials>')
    this.#secrets.add(secret ?? '', '<secret>')
    this.#secrets.add(expiredToken ?? '', '<expired token>')
    this.client = new RetryingClient(url, timeout)
    this.values = valuesOf(options)
  }

  /** Whether no other route than the login asked for too long a pause. */
  get limitsOnlyLogins(): boolean {
    return [...this.client.limited.keys()].every(route => route === `POST ${this.values.base}/auth/login`)
  }

  /** Makes the exchanges whose responses or token a case needs. Throws what `named` throws. */
  async prepareFor(templates: object): Promise<void> {
    const text = JSON.stringify(templates)
    if (/\{\{(basic |form )?token\}\}|cookies\}\}|"bearer":\{/.test(text)) {
      await this.named('login')
      await this.#renewToken()
    }
    for (const [, name] of text.matchAll(/\{\{answers\.([^.}]+)/g)) await this.named(name as string)
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
    const request = serverCases.exchanges[name] as CaseRequest
    await this.prepareFor(request)
    const exchange = await this.exchange(request).catch(error => {
      if (!(error instanceof ThrottledError) || name !== 'login') throw error
      throw new CannotRunError(`no login is possible: ${error.message}`)
    })
    if (exchange?.response !== undefined) this.values.answers[name] = exchange.response
    return exchange
  }

  /**
   * Sends a request.
   *
   * @returns the exchange; undefined when its change is not possible, or HTTP cannot carry it
   * @throws MissingValueError, ThrottledError and CannotRunError, for the reasons that these name
   */
  async exchange(template: CaseRequest, path?: string): Promise<Exchange | undefined> {
    const request = this.#prepare(template, path)
    if (request === undefined) return undefined
    await sleep(request.pause * 1000)
    try {
      const response = await this.client.send(request.sent, request.login !== undefined, template.mayClose ?? false)
      return { request, response: await this.#read(request, response) }
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      const isLeftOut = error.reason === 'unsendable' || template.mayClose
      return isLeftOut ? undefined : { request, error: error.message }
    }
  }

  /** As `exchange`, of requests on one connection: those before the server closes it. */
  async exchangeOnOneConnection(templates: CaseRequest[], isPipelined: boolean): Promise<Exchange[]> {
    const requests = templates.map(template => this.#prepare(template)).filter(request => request !== undefined)
    try {
      const responses = await this.client.sendOnOneConnection(
        requests.map(({ sent }) => sent),
        isPipelined
      )
      const exchanges: Exchange[] = []
      for (const [index, response] of responses.entries()) {
        const request = requests[index] as PreparedRequest
        exchanges.push({ request, response: await this.#read(request, response) })
      }
      return exchanges
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      if (error.reason === 'unsendable') return []
      return requests.map(request => ({ request, error: error.message }))
    }
  }

  #prepare(template: CaseRequest, path?: string): PreparedRequest | undefined {
    const request = prepareRequest(template, { ...this.values, path })
    // A changed token contains most of the right one.
    if (request?.changed !== undefined) this.#secrets.add(...request.changed)
    return request
  }

  /** Keeps the secrets and the token of a response, and decodes that. */
  async #read({ login }: PreparedRequest, response: HttpResponse): Promise<Answer> {
    if (login === 'first') await this.#keepToken(response)
    const token = tokenIn(response)
    for (const cookie of (response.headers['set-cookie'] ?? '').matchAll(/=([^;,]{8,})/g)) {
      this.#secrets.add(cookie[1] as string, '<cookie>')
    }
    if (token === undefined) return response
    this.#secrets.add(token, '<token>')
    const { header, claims } = parseJwt(token) ?? {}
    if (header === undefined || claims === undefined) return response
    const jwt = {
      header,
      claims,
      lifetime: Number(claims.exp) - Number(claims.iat),
      remaining: Number(claims.exp) - Date.now() / 1000,
      ...(this.#keys.length > 0 && { signed: findKey(token, this.#keys) !== undefined })
    }
    return { ...response, jwt }
  }

  async #keepToken(response: HttpResponse): Promise<void> {
    const token = tokenIn(response)
    if (token !== undefined) {
      this.#setToken(token)
    } else if (isRejection(response) && this.values.token === undefined && !(await this.#areCredentialsRight())) {
      throw new CannotRunError(
        `the server rejected the username and the password (status ${response.status}): give some that it accepts. If they are right, it does not understand an AuthRequest (contract 2.1).`
      )
    }
  }

  /** Whether the server accepts the credentials in another form than an AuthRequest. */
  async #areCredentialsRight(): Promise<boolean> {
    for (const name of ['credentials without fields', 'credentials as a form']) {
      const response = (await this.named(name))?.response
      if (response !== undefined && tokenIn(response) !== undefined) this.otherForm ??= name.replace('credentials ', '')
    }
    return this.otherForm !== undefined
  }

  #setToken(token: string): void {
    this.values.token = token
    this.#tokenFrom = Date.now()
    const jwt = parseJwt(token)
    if (jwt === undefined) return
    // A secret says nothing about a server with a private key, nor that about one with a secret.
    const keys = this.#keys.filter(({ type }) => isAsymmetric(jwt.alg) === (type === 'private'))
    this.values.key = findKey(token, keys)
    this.isKeyWrong = keys.length > 0 && this.values.key === undefined
  }

  /** A token with a short lifetime must not end before the cases do. */
  async #renewToken(): Promise<void> {
    const { token, lifetime } = this.values
    if (token === undefined) return
    const { iat, exp } = parseJwt(token)?.claims ?? {}
    const seconds = lifetime ?? Number(exp) - Number(iat)
    if (!((Date.now() - this.#tokenFrom) / 1000 > seconds / 2)) return
    await this.exchange(serverCases.exchanges.login as CaseRequest)
  }
}

function tokenIn({ body }: HttpResponse): string | undefined {
  const { token } = Object(body) as { token?: unknown }
  return typeof token === 'string' && token !== '' ? token : undefined
}
