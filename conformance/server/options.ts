import { OptionError, type Result, type Selection } from '../report/report.ts'
import { parseJwt, publicPem, readPublicKey, readSigningKey, secretKeys } from './jwt.ts'

/** The options of `checkServer`. */
export interface CheckServerOptions extends Selection {
  /** Credentials that the server accepts. Required, unless `noAuth` is set. */
  username?: string | undefined
  password?: string | undefined
  /**
   * The secret with which the server signs its JWTs (HS256, HS384, HS512), as text, Base64 or hexadecimal. Some cases
   * sign tokens with it, for example expired ones.
   */
  secret?: string | undefined
  /** The private key with which the server signs its JWTs (RS*, PS*, ES* or EdDSA), as PEM or JWK. */
  key?: string | undefined
  /** The public key, as PEM or JWK, to forge tokens with it as the HMAC secret. Default: the public key of `key`. */
  publicKey?: string | undefined
  /** An expired token of the server. */
  expiredToken?: string | undefined
  /** Lifetime of the server's tokens in seconds, at most 3600, because the check waits until a token expires. */
  lifetime?: number | undefined
  /** Credentials of another user, to check that each token gets the display name and the menu of its user. */
  secondUsername?: string | undefined
  secondPassword?: string | undefined
  /** Also checks the rules for the reference server (5.5, 8, its three environment variables). Default: false. */
  reference?: boolean | undefined
  /** The value of SVC_APP_NAME, for `reference`. Default: Demo Company. */
  appName?: string | undefined
  /** The server runs in the no-auth mode (contract 5.7). Default: false. */
  noAuth?: boolean | undefined
  /** Paths, below the base URL, of routes that must be protected. The check sends requests of all methods to them. */
  protected?: readonly string[] | undefined
  /** Longest time to wait for a response, in seconds. Default: 10. */
  timeout?: number | undefined
  /**
   * Longest time of the whole run, in seconds, without the wait for `lifetime`. After it, the remaining cases are
   * skipped. Default: 300.
   */
  limit?: number | undefined
  /** Called before a pause that the server demands with Retry-After. */
  onPause?: ((seconds: number) => void) | undefined
  /** Called with each result as soon as it is available, and with the expected number of results. */
  onResult?: ((result: Result, total: number) => void) | undefined
}

const DEFAULTS = {
  username: '',
  password: '',
  reference: false,
  appName: 'Demo Company',
  noAuth: false,
  protected: [],
  timeout: 10,
  limit: 300,
  hardening: false,
  advice: false,
  onPause: () => {},
  onResult: () => {}
} satisfies CheckServerOptions

type Settings = CheckServerOptions & { [K in keyof typeof DEFAULTS]: NonNullable<CheckServerOptions[K]> }

export type ServerOptions = ReturnType<typeof checkServerOptions>

/** Validates the options. Throws an OptionError that names the first invalid option. */
export function checkServerOptions(url: string | URL, options: CheckServerOptions) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const settings: Settings = { ...DEFAULTS, ...Object.fromEntries(given) }
  const { username, password, noAuth, protected: paths, secondUsername, lifetime, timeout, limit } = settings
  const { secret, key, publicKey, expiredToken } = settings

  assertRule(
    URL.canParse(String(url)) && /^https?:$/.test(new URL(url).protocol),
    'the base URL must be an http: or https: URL, for example http://127.0.0.1:3000/api'
  )
  const base = new URL(url)
  assertRule(
    base.username + base.password + base.search + base.hash === '',
    'the base URL must be without credentials, query and fragment'
  )
  assertRule(
    noAuth || (username !== '' && password !== ''),
    '--username and --password are needed (or SCREEN_AUTH_USERNAME and SCREEN_AUTH_PASSWORD), of a user that the server accepts; for a server in the no-auth mode, use --no-auth'
  )
  assertRule(
    Array.isArray(paths) && paths.every(path => /^\/[!-~]*$/.test(path)),
    'a path of --protected must start with / and be percent-encoded; it is below the base URL, for example /screen/profile'
  )
  assertRule(
    !paths.some(path => /^\/auth\/login(\?|$)/.test(path)),
    '--protected must not name /auth/login, which is public: name a route that needs a token'
  )
  assertRule(
    (secondUsername === undefined) === (settings.secondPassword === undefined),
    '--second-username and --second-password belong together: give both'
  )
  assertRule(secondUsername === undefined || secondUsername !== username, '--second-username must be another user')
  assertRule(
    lifetime === undefined || (lifetime >= 1 && lifetime <= 3600),
    '--lifetime must be a number of seconds from 1 to 3600: the check waits that long'
  )
  assertRule(timeout > 0 && timeout <= 3600, '--timeout must be a number of seconds greater than 0, and at most 3600')
  assertRule(limit > 0, '--limit must be a number of seconds greater than 0')

  const signingKey = read('--key', 'a private key as PEM or JWK', key, readSigningKey)
  const pem = read('--public-key', 'a public key as PEM or JWK', publicKey, readPublicKey)
  return {
    ...settings,
    url: base,
    /** The given keys that may sign the server's tokens. */
    keys: [...(secret === undefined ? [] : secretKeys(secret)), ...(signingKey ? [signingKey] : [])],
    publicKey: pem ?? (signingKey?.type === 'private' ? publicPem(signingKey) : undefined),
    expiredToken: expiredToken === undefined ? undefined : checkExpiredToken(expiredToken.trim())
  }
}

function read<T>(option: string, what: string, text: string | undefined, parse: (text: string) => T): T | undefined {
  try {
    return text === undefined ? undefined : parse(text)
  } catch (error) {
    throw new OptionError(`${option} must be ${what}, without a passphrase: ${(error as Error).message}`)
  }
}

function checkExpiredToken(token: string): string {
  const exp = parseJwt(token)?.claims.exp
  assertRule(/^[!-~]+$/.test(token), '--expired-token must be a token that a header can carry')
  assertRule(typeof exp !== 'number' || exp < Date.now() / 1000, '--expired-token is a JWT that has not expired')
  return token
}

function assertRule(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new OptionError(rule)
}
