import { randomBytes } from 'node:crypto'
import type { HttpResponse } from './http.ts'
import { isToken } from './json.ts'
import type { Jwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { otherCase } from './tokens.ts'

const NO_TOKEN = 'it needs a token, but the login returned no token'

/** A case needs a value that this run does not have. */
export class MissingValueError extends Error {}

/** A case needs the response to an exchange that was not sent yet. The message is the name of the exchange. */
export class MissingExchangeError extends Error {}

/** Changes of the right password. A careless comparison would accept the changed password. */
export const PASSWORD_CHANGES = {
  'first half': (password: string) => password.slice(0, password.length >> 1),
  'without its end': (password: string) => password.slice(0, -1),
  'without its beginning': (password: string) => password.slice(1),
  'in the other case': otherCase,
  backwards: (password: string) => [...password].reverse().join(''),
  'on a second line': (password: string) => `x\n${password}`
}
type PasswordChange = keyof typeof PASSWORD_CHANGES

/** A response. If its body has a JWT as `token`, `jwt` is the decoded token. */
export interface JudgedResponse extends HttpResponse {
  jwt?: Pick<Jwt, 'header' | 'claims'> & { lifetime: number; remaining: number; signed?: boolean }
}

/** Values that a run has received in its exchanges. */
export interface Known {
  token?: string | undefined
  /** The responses to the named exchanges so far; undefined if an exchange had no response. */
  readonly responses: Map<string, JudgedResponse | undefined>
}

/** The values from which cases build their requests and expectations. Reading a missing value throws. */
export class Values {
  readonly origin: string
  /** Path of the base URL, without a trailing slash. */
  readonly base: string
  readonly username: string
  readonly appName: string
  readonly random: string
  readonly long: string
  /** The route, if the case runs once per `--protected`. */
  readonly path: string
  readonly #options: ServerOptions
  readonly #known: Known
  readonly #isMasked: boolean

  constructor(
    options: ServerOptions,
    known: Known,
    random: string,
    { path = '', isMasked = false }: { path?: string | undefined; isMasked?: boolean } = {}
  ) {
    this.origin = options.url.origin
    this.base = options.url.pathname.replace(/\/+$/, '')
    this.username = options.username
    this.appName = options.appName
    this.random = random
    this.path = path
    this.long = isMasked ? '<7000 times x>' : 'x'.repeat(7000)
    this.#options = options
    this.#known = known
    this.#isMasked = isMasked
  }

  get password(): string {
    return this.#secret('<password>', this.#options.password)
  }

  /** Returns a wrong password that is similar to the right one. */
  altered(change: PasswordChange): string {
    if (this.#isMasked) return `<password, ${change}>`
    const changed = PASSWORD_CHANGES[change](this.password)
    return changed === this.password || changed === '' ? `${this.password}-${this.random}` : changed
  }

  get secondUsername(): string {
    return this.#options.secondUsername ?? ''
  }

  get secondPassword(): string {
    return this.#secret('<second password>', this.#options.secondPassword)
  }

  get expiredToken(): string {
    return this.#secret('<expired token>', this.#options.expiredToken)
  }

  get lifetime(): number {
    return this.#options.lifetime ?? 0
  }

  get token(): string {
    if (this.#known.token === undefined && !this.#known.responses.has('login')) throw new MissingExchangeError('login')
    return this.#secret('<token>', this.#known.token)
  }

  tokenOf(name: string): string {
    const token = Object(this.responseTo(name)?.body).token
    if (!isToken(token)) throw new MissingValueError(NO_TOKEN)
    return this.#isMasked ? `<token of the ${name}>` : token
  }

  /** The cookies that the login sets, as a Cookie header; a dummy cookie if it sets none. */
  get cookies(): string {
    if (this.#isMasked) return '<cookies>'
    const cookies = (this.responseTo('login')?.headers['set-cookie'] ?? 'none=none').split(/, (?=[^ ;,]+=)/)
    return cookies.map(cookie => cookie.split(';')[0]).join('; ')
  }

  /** Returns the response to the named exchange; undefined if there was no response. */
  responseTo(name: string): JudgedResponse | undefined {
    if (!this.#known.responses.has(name)) throw new MissingExchangeError(name)
    return this.#known.responses.get(name)
  }

  #secret(placeholder: string, value: string | undefined): string {
    if (value === undefined) throw new MissingValueError(NO_TOKEN)
    return this.#isMasked ? placeholder : value
  }
}

export function randomWord(): string {
  return `x${randomBytes(9).toString('hex')}`
}
