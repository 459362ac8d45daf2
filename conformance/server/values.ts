import { SkipError } from '../report/report.ts'
import type { HttpResponse } from './http.ts'
import { isToken } from './json.ts'
import type { Jwt } from './jwt.ts'
import type { ServerOptions } from './options.ts'
import { otherCase } from './tokens.ts'

const noToken = () => new SkipError('it needs a token, but the login returned no token', 'unseen')

/** A case needs the response to an exchange that was not sent yet. The message is the name of the exchange. */
export class MissingExchangeError extends Error {}

/** Changes of the right password. A careless comparison would accept the changed password. */
export const PASSWORD_CHANGES = {
  'without its end': (password: string) => password.slice(0, -1),
  'in the other case': otherCase
}

/** A response. If its body has a JWT as `token`, `jwt` is the decoded token. */
export interface JudgedResponse extends HttpResponse {
  jwt?: Jwt & { lifetime: number; remaining: number; isSigned: boolean }
}

export function tokenIn(response: HttpResponse | undefined): string | undefined {
  const { token } = Object(response?.body)
  return isToken(token) ? token : undefined
}

export interface Known {
  token?: string | undefined
  /** All tokens of right logins. */
  readonly issued: Set<string>
  /** The responses to the named exchanges so far; undefined if an exchange had no response. */
  readonly responses: Map<string, JudgedResponse | undefined>
}

/** The values from which cases build their requests and expectations. Reading a missing token throws. */
export type Values = ReturnType<typeof valuesOf>

/**
 * @param path the route, if the case runs once per `--protected`
 * @param isMasked whether each secret is a placeholder in angle brackets, as in a report
 */
export function valuesOf(options: ServerOptions, known: Known, random: string, path = '', isMasked = false) {
  const secret = (placeholder: string, value = '') => (isMasked ? placeholder : value)
  /** Returns the response to the named exchange; undefined if there was no response. */
  const responseTo = (name: string) => {
    if (!known.responses.has(name)) throw new MissingExchangeError(name)
    return known.responses.get(name)
  }
  return {
    origin: options.url.origin,
    /** Path of the base URL, without a trailing slash. */
    base: options.url.pathname.replace(/\/+$/, ''),
    username: options.username,
    password: secret('<password>', options.password),
    secondUsername: options.secondUsername ?? '',
    secondPassword: secret('<second password>', options.secondPassword),
    expiredToken: secret('<expired token>', options.expiredToken),
    appName: options.appName,
    lifetime: options.lifetime ?? 0,
    random,
    path,
    long: isMasked ? '<7000 times x>' : 'x'.repeat(7000),
    get token() {
      if (known.token === undefined) {
        responseTo('login')
        throw noToken()
      }
      return secret('<token>', known.token)
    },
    tokenOf(name: string): string {
      const token = tokenIn(responseTo(name))
      if (token === undefined) throw noToken()
      return isMasked ? `<token of the ${name}>` : token
    },
    altered: (change: keyof typeof PASSWORD_CHANGES) =>
      secret(`<password, ${change}>`, PASSWORD_CHANGES[change](options.password)),
    /** The cookies that the login sets, as a Cookie header; a dummy cookie if it sets none. */
    get cookies() {
      if (isMasked) return '<cookies>'
      const cookies = (responseTo('login')?.headers['set-cookie'] ?? 'none=none').split(/, (?=[^ ;,]+=)/)
      return cookies.map(cookie => cookie.split(';')[0]).join('; ')
    },
    responseTo,
    isIssued: (token: string) => known.issued.has(token)
  }
}
