import { randomBytes } from 'node:crypto'
import { type CaseRequest, serverCases } from '../cases.ts'
import { CannotRunError } from '../report/report.ts'
import { Secrets } from '../report/secrets.ts'
import { type Answer, NoAnswerError } from './http.ts'
import { Line, ThrottledError } from './line.ts'
import type { ServerOptions } from './options.ts'
import { type Prepared, prepare, type Values } from './prepare.ts'
import { findKey, isHmac, parseJwt } from './tokens.ts'

/** A request and its answer, or why there was none. */
export interface Exchanged {
  prepared: Prepared
  answer?: Answer
  error?: string
}

/** One run against one server: the line to it, the named exchanges so far, and the token of the last login. */
export class Session {
  readonly values: Values
  /** Whether the server signs its JWTs with another secret than was given. */
  isSecretWrong = false
  /** In which other form than an AuthRequest the server took the credentials. */
  otherForm: string | undefined
  readonly #line: Line
  readonly #secret: string | undefined
  readonly #secrets = new Secrets()
  readonly #exchanges = new Map<string, Promise<Exchanged | undefined>>()

  constructor(url: URL, { username, password, secret, timeout }: ServerOptions) {
    this.#secret = secret
    this.#secrets.add(password, '<password>')
    this.#secrets.add(Buffer.from(`${username}:${password}`).toString('base64'), '<credentials>')
    this.#secrets.add(secret ?? '', '<secret>')
    this.#line = new Line(url, timeout, JSON.stringify({ fields: { username, password } }))
    this.values = {
      origin: url.origin,
      base: url.pathname.replace(/\/+$/, ''),
      username,
      password,
      random: `x${randomBytes(9).toString('hex')}`,
      answers: {}
    }
  }

  /** Whether the server has stopped to answer. */
  get isGone(): boolean {
    return this.#line.isGone
  }

  /** Whether no other route than the login asked for too long a pause. */
  get limitsOnlyLogins(): boolean {
    return this.#line.closed.every(route => route === `POST ${this.values.base}/auth/login`)
  }

  /** Makes the exchanges whose answers or token a case needs. */
  async provide(templates: object): Promise<void> {
    const text = JSON.stringify(templates)
    if (/token\}\}|cookies\}\}|"bearer":\{/.test(text)) await this.named('login')
    for (const [, name] of text.matchAll(/\{\{answers\.([^.}]+)/g)) await this.named(name as string)
  }

  /** The exchange of that name, which is made only once in a run, also when it fails. */
  named(name: string): Promise<Exchanged | undefined> {
    const known = this.#exchanges.get(name)
    if (known !== undefined) return known
    const exchanged = this.#make(name)
    this.#exchanges.set(name, exchanged)
    return exchanged
  }

  async #make(name: string): Promise<Exchanged | undefined> {
    const request = serverCases.exchanges[name] as CaseRequest
    await this.provide(request)
    const exchanged = await this.exchange(request).catch(error => {
      if (!(error instanceof ThrottledError) || name !== 'login') throw error
      throw new CannotRunError(`there is no login to be had: ${error.message}`)
    })
    if (exchanged?.answer !== undefined) {
      this.values.answers[name] = exchanged.answer
      if (name.startsWith('login')) await this.#keepToken(exchanged.answer)
    }
    return exchanged
  }

  /** Sends a request of its own; undefined when it has no meaning here, or HTTP cannot carry it. */
  async exchange(request: CaseRequest, path?: string): Promise<Exchanged | undefined> {
    const prepared = prepare(request, { ...this.values, path })
    if (prepared === undefined) return undefined
    this.#rememberToken(prepared)
    try {
      const answer = await this.#line.send(prepared.sent)
      const token = tokenIn(answer)
      if (token !== undefined) this.#secrets.add(token, '<token>')
      for (const cookie of (answer.headers['set-cookie'] ?? '').matchAll(/=([^;,]{8,})/g)) {
        this.#secrets.add(cookie[1] as string, '<cookie>')
      }
      return { prepared, answer }
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error
      return error.reason === 'unsendable' ? undefined : { prepared, error: error.message }
    }
  }

  /** A text from the server, without the secrets of this run and without control characters. */
  mask(text: string): string {
    return this.#secrets.mask(text)
  }

  /** A changed token still has most of the right one in it. */
  #rememberToken({ sent, shown }: Prepared): void {
    const index = sent.headers.findIndex(([name]) => name === 'Authorization')
    const [, secret = ''] = sent.headers[index] ?? []
    const [, word = ''] = shown.headers[index] ?? []
    if (word.startsWith('Bearer <token,'))
      this.#secrets.add(secret.slice('Bearer '.length), word.slice('Bearer '.length))
  }

  async #keepToken(answer: Answer): Promise<void> {
    const token = tokenIn(answer)
    if (token !== undefined) {
      this.values.token = token
      this.values.key = this.#findKey(token)
    } else if (
      isRejection(answer) &&
      this.values.token === undefined &&
      !(await this.#areCredentialsRight())
    ) {
      throw new CannotRunError(
        `the server rejected the username and the password (status ${answer.status}): give some that it accepts. If they are right, it does not understand an AuthRequest (contract 2.1).`
      )
    }
  }

  /** Whether the server takes the credentials in another form: then it does not know an AuthRequest. */
  async #areCredentialsRight(): Promise<boolean> {
    for (const name of ['credentials without fields', 'credentials as a form']) {
      const answer = (await this.named(name))?.answer
      if (answer !== undefined && tokenIn(answer) !== undefined)
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

function tokenIn({ body }: Answer): string | undefined {
  const { token } = Object(body) as { token?: unknown }
  return typeof token === 'string' && token !== '' ? token : undefined
}

function isRejection({ body }: Answer): boolean {
  return (Object(body) as { success?: unknown }).success === false
}
