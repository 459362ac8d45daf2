import { randomBytes } from 'node:crypto'
import { type CaseRequest, serverCases } from '../cases.ts'
import { CannotRunError } from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { type HttpResponse, NoResponseError } from './http.ts'
import type { ServerOptions } from './options.ts'
import { type PreparedRequest, prepareRequest, type Values } from './prepare-request.ts'
import { RetryingClient, ThrottledError } from './retrying-client.ts'
import { findKey, isHmac, parseJwt } from './tokens.ts'

/** A request and its response, or why there was none. */
export interface Exchange {
  request: PreparedRequest
  response?: HttpResponse
  error?: string
}

/** One run against one server: the named exchanges so far, the token of the last login, and the secrets to mask. */
export class Session {
  readonly values: Values
  /** Whether the server signs its JWTs with another secret than the given one. */
  isSecretWrong = false
  /** The form in which the server accepted the credentials, when it is not an AuthRequest. */
  otherForm: string | undefined
  readonly #client: RetryingClient
  readonly #secret: string | undefined
  readonly #secrets = new Secrets()
  readonly #exchanges = new Map<string, Promise<Exchange | undefined>>()

  constructor(url: URL, { username, password, secret, timeout }: ServerOptions) {
    this.#secret = secret
    this.#secrets.add(password, '<password>')
    this.#secrets.add(Buffer.from(`${username}:${password}`).toString('base64'), '<credentials>')
    this.#secrets.add(secret ?? '', '<secret>')
    this.#client = new RetryingClient(url, timeout, JSON.stringify({ fields: { username, password } }))
    this.values = {
      origin: url.origin,
      base: url.pathname.replace(/\/+$/, ''),
      username,
      password,
      random: `x${randomBytes(9).toString('hex')}`,
      answers: {}
    }
  }

  /** Whether the server no longer responds. */
  get isServerGone(): boolean {
    return this.#client.isServerGone
  }

  /** Whether no other route than the login asked for too long a pause. */
  get limitsOnlyLogins(): boolean {
    return this.#client.limitedRoutes.every(route => route === `POST ${this.values.base}/auth/login`)
  }

  /** Makes the exchanges whose responses or token a case needs. Throws what `named` throws. */
  async prepareFor(templates: object): Promise<void> {
    const text = JSON.stringify(templates)
    if (/token\}\}|cookies\}\}|"bearer":\{/.test(text)) await this.named('login')
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
    if (exchange?.response !== undefined) {
      this.values.answers[name] = exchange.response
      if (name.startsWith('login')) await this.#keepToken(exchange.response)
    }
    return exchange
  }

  /**
   * Sends a request.
   *
   * @returns the exchange; undefined when its change would leave the token as it is, or HTTP cannot carry it
   * @throws MissingValueError, ThrottledError and CannotRunError, for the reasons that these name
   */
  async exchange(template: CaseRequest, path?: string): Promise<Exchange | undefined> {
    const request = prepareRequest(template, { ...this.values, path })
    if (request === undefined) return undefined
    this.#maskChangedToken(request)
    try {
      const response = await this.#client.send(request.sent)
      const token = tokenIn(response)
      if (token !== undefined) this.#secrets.add(token, '<token>')
      for (const cookie of (response.headers['set-cookie'] ?? '').matchAll(/=([^;,]{8,})/g)) {
        this.#secrets.add(cookie[1] as string, '<cookie>')
      }
      return { request, response }
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error
      return error.reason === 'unsendable' ? undefined : { request, error: error.message }
    }
  }

  /** Returns a text without the secrets of this run and without control characters. */
  mask(text: string): string {
    return this.#secrets.mask(text)
  }

  /** A changed token contains most of the right one. */
  #maskChangedToken({ sent, masked }: PreparedRequest): void {
    const index = sent.headers.findIndex(([name]) => name === 'Authorization')
    const [, secret = ''] = sent.headers[index] ?? []
    const [, word = ''] = masked.headers[index] ?? []
    if (word.startsWith('Bearer <token,'))
      this.#secrets.add(secret.slice('Bearer '.length), word.slice('Bearer '.length))
  }

  async #keepToken(response: HttpResponse): Promise<void> {
    const token = tokenIn(response)
    if (token !== undefined) {
      this.values.token = token
      this.values.key = this.#findKey(token)
    } else if (
      isRejection(response) &&
      this.values.token === undefined &&
      !(await this.#areCredentialsRight())
    ) {
      throw new CannotRunError(
        `the server rejected the username and the password (status ${response.status}): give some that it accepts. If they are right, it does not understand an AuthRequest (contract 2.1).`
      )
    }
  }

  /** Whether the server accepts the credentials in another form than an AuthRequest. */
  async #areCredentialsRight(): Promise<boolean> {
    for (const name of ['credentials without fields', 'credentials as a form']) {
      const response = (await this.named(name))?.response
      if (response !== undefined && tokenIn(response) !== undefined)
        this.otherForm ??= name.replace('credentials ', '')
    }
    return this.otherForm !== undefined
  }

  #findKey(token: string): Buffer | undefined {
    const jwt = parseJwt(token)
    if (this.#secret === undefined || jwt === undefined || !isHmac(jwt)) return undefined
    const key = findKey(token, this.#secret)
    this.isSecretWrong = key === undefined
    return key
  }
}

function tokenIn({ body }: HttpResponse): string | undefined {
  const { token } = Object(body) as { token?: unknown }
  return typeof token === 'string' && token !== '' ? token : undefined
}

function isRejection({ body }: HttpResponse): boolean {
  return (Object(body) as { success?: unknown }).success === false
}
