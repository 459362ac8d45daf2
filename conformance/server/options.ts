import { demandCases, OptionError, type Result, type Selection } from '../report/report.ts'
import { serverCases } from './cases/index.ts'
import { parseJwt, publicPem, readPublicKey, readSigningKey, secretKeys } from './jwt.ts'

/** How to check a server. */
export interface CheckServerOptions extends Selection {
  /** Credentials that the server accepts. Required unless `noAuth`. */
  username?: string | undefined
  password?: string | undefined
  /**
   * The secret with which the server signs its JWTs (HS256, HS384, HS512), as text, Base64 or hexadecimal: for the cases
   * that need tokens which only the server could have made.
   */
  secret?: string | undefined
  /** The same for RS*, PS*, ES* and EdDSA: the private key, as PEM or JWK. */
  key?: string | undefined
  /** The public key, as PEM or JWK, for forged tokens that take it for a secret. Default: that of `key`. */
  publicKey?: string | undefined
  /** A token that was valid once. */
  expiredToken?: string | undefined
  /** Seconds that a token of the server is valid, at most an hour: the check waits for the end of one. */
  lifetime?: number | undefined
  /** Credentials of another user, to check that a display name and a menu belong to the token. */
  secondUsername?: string | undefined
  secondPassword?: string | undefined
  /** Checks what the contract demands of the reference server alone, too (5.5, 8, the three variables). Default: false. */
  reference?: boolean | undefined
  /** What SVC_APP_NAME is, for `reference`. Default: its own default, Demo Company. */
  appName?: string | undefined
  /** The server runs in the no-auth mode (contract 5.7). Default: false. */
  noAuth?: boolean | undefined
  /** Paths below the base URL of routes that must be protected; they get requests of all methods. */
  protected?: readonly string[] | undefined
  /** Longest time to wait for a response, in seconds. Default: 10. */
  timeout?: number | undefined
  /**
   * Longest time of the whole run, in seconds: what is not judged then is skipped. The wait for `lifetime` is not
   * counted. Default: 300.
   */
  limit?: number | undefined
  /** Called before a pause that the server asks for with Retry-After, with its seconds. */
  onPause?: ((seconds: number) => void) | undefined
  /** Called with each result when it is known, and with their expected number. */
  onResult?: ((result: Result, total: number) => void) | undefined
}

/** The validated options, with every default filled in. */
export type ServerOptions = ReturnType<typeof checkServerOptions>

/**
 * Validates the options.
 *
 * @returns the options with every default filled in
 * @throws OptionError naming the first option that is wrong
 */
export function checkServerOptions(url: string | URL, options: CheckServerOptions) {
  const {
    username = '',
    password = '',
    secret,
    key,
    publicKey,
    expiredToken,
    lifetime,
    secondUsername,
    secondPassword,
    reference = false,
    appName = 'Demo Company',
    noAuth = false,
    protected: paths = [],
    timeout = 10,
    limit = 300,
    hardening = false,
    advice = false,
    onPause = () => {},
    onResult = () => {}
  } = options

  demand(
    URL.canParse(String(url)) && /^https?:$/.test(new URL(url).protocol),
    'the base URL must be an http: or https: URL, for example http://127.0.0.1:3000/api'
  )
  const base = new URL(url)
  demand(
    base.username + base.password + base.search + base.hash === '',
    'the base URL must be without credentials, query and fragment'
  )
  demand(
    noAuth || (username !== '' && password !== ''),
    '--username and --password are needed (or SCREEN_AUTH_USERNAME and SCREEN_AUTH_PASSWORD), of a user that the server accepts; for a server in the no-auth mode, --no-auth'
  )
  demand(
    Array.isArray(paths) && paths.every(path => /^\/[!-~]*$/.test(path)),
    'a path of --protected must start with / and be percent-encoded; it is below the base URL, for example /screen/profile'
  )
  demand(
    !paths.some(path => /^\/auth\/login(\?|$)/.test(path)),
    '--protected must not name /auth/login, which is public: name a route that needs a token'
  )
  demand(
    (secondUsername === undefined) === (secondPassword === undefined),
    '--second-username and --second-password belong together: give both'
  )
  demand(secondUsername === undefined || secondUsername !== username, '--second-username must be another user')
  demand(
    lifetime === undefined || (lifetime >= 1 && lifetime <= 3600),
    '--lifetime must be a number of seconds from 1 to 3600: the check waits so long'
  )
  const profiles = { hardening, advice }
  demandCases({ ...options, ...profiles }, serverCases)
  demand(timeout > 0 && timeout <= 3600, '--timeout must be a number of seconds greater than 0, and at most 3600')

  demand(limit > 0, '--limit must be a number of seconds greater than 0')

  const signingKey = read('--key', 'a private key as PEM or JWK', key, readSigningKey)
  const pem = read('--public-key', 'a public key as PEM or JWK', publicKey, readPublicKey)
  return {
    ...options,
    url: base,
    username,
    password,
    /** The keys that may have signed the server's tokens. */
    keys: [...(secret === undefined ? [] : secretKeys(secret)), ...(signingKey ? [signingKey] : [])],
    /** As PEM. */
    publicKey: pem ?? (signingKey?.type === 'private' ? publicPem(signingKey) : undefined),
    expiredToken: expiredToken === undefined ? undefined : checkExpiredToken(expiredToken.trim()),
    reference,
    appName,
    noAuth,
    protected: paths,
    timeout,
    limit,
    ...profiles,
    onPause,
    onResult
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
  demand(/^[!-~]+$/.test(token), '--expired-token must be a token that a header can carry')
  demand(typeof exp !== 'number' || exp < Date.now() / 1000, '--expired-token is a JWT that has not expired')
  return token
}

function demand(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new OptionError(rule)
}
