import { InvalidAnswerError } from '../base/errors.ts'
import { type AnyRequest, areOptions } from '../base/http.ts'
import { type Checked, checkGroup, checkOption, isFunction, type Rules, valid } from '../base/option-rules.ts'
import { isPromise } from '../base/promises.ts'
import { describeNonUser, type ScreenUser, toScreenUser } from '../base/user.ts'
import { warnOnce } from '../base/warnings.ts'

/**
 * Issues and verifies the bearer tokens. The contract leaves the token format open (contract 5.4), so you can replace
 * the JWTs with `opaqueTokens` or with your own service. Both functions may return a promise.
 *
 * @example
 * const tokens: TokenService = {
 *   issue: user => identities.makeToken(user.username),
 *   verify: async token => (await identities.lookUp(token)) ?? null
 * }
 */
export interface TokenService {
  /**
   * Issues a token for a user who has just logged in. The token must be visible ASCII without spaces, to fit into a
   * header. If the function throws, the server responds to the login with 503.
   *
   * @param request the login request; null when called through `app.screenAuth`
   */
  issue(user: ScreenUser, request: AnyRequest | null): string | Promise<string>
  /**
   * Returns the user of a token, or null if the token is invalid or no longer valid (401). If the function throws, the
   * server responds with 503, so that no client drops a valid token because a store is down. Only an error with status
   * 401, or one of @fastify/jwt for an invalid token, means null.
   *
   * @param request the guarded request; null when called through `app.screenAuth`
   * @param options the options passed to `app.screenAuth.verifyToken`
   */
  verify(
    token: string,
    request: AnyRequest | null,
    options?: VerifyOptions
  ): ScreenUser | null | Promise<ScreenUser | null>
}

/** The options of `verify` and `verifyToken`. */
export interface VerifyOptions {
  /** With false, the check does not count as a use, so it does not keep an idle session alive. Default: true. */
  use?: boolean | undefined
}

/** The rule of the option `tokens`. */
export const tokenServiceRule = valid<TokenService>(
  value => isFunction(Object(value).issue) && isFunction(Object(value).verify),
  'must be an object with the functions issue and verify'
)

/** Functions of trusted services, with their issuers. A host may replace one function of a service. */
const trusted = new WeakMap<TokenService['issue' | 'verify'], readonly unknown[]>()

/** Marks a service whose tokens are visible ASCII and whose users are frozen: its results are not checked again. */
export function trust<Service extends TokenService>(issuers: readonly unknown[], service: Service): Service {
  trusted.set(service.issue, issuers).set(service.verify, issuers)
  return service
}

/** The issuers of the services in use. */
export const issuersInUse = new WeakSet<object>()

/** Returns the secrets as text, the store, or the service. With one in common, two services accept the same tokens. */
export function issuersOf(service: TokenService): readonly unknown[] {
  return trusted.get(service.verify) ?? trusted.get(service.issue) ?? [service]
}

/**
 * Wraps a host's token service, so that an invalid token from `issue` throws `InvalidAnswerError`, and no user from
 * `verify` is null: a login may help. Rejects text that cannot be a token (RFC 6750 2.1) without calling the service.
 */
export function checkedService(service: TokenService): TokenService {
  const { issue, verify } = service
  for (const key of issuersOf(service)) issuersInUse.add(Object(key))
  // A copy: the host may later replace a function with an unchecked one.
  if (trusted.has(issue) && trusted.has(verify)) return { issue, verify }
  return trust(issuersOf(service), {
    issue(user, request) {
      const token = service.issue(user, request)
      return isPromise(token) ? Promise.resolve(token).then(toToken) : toToken(token)
    },
    async verify(token, request, options) {
      if (!VISIBLE_ASCII.test(token)) return null
      try {
        return toUserOrNull(await service.verify(token, request, options))
      } catch (error) {
        return nullIfInvalid(error)
      }
    }
  })
}

/** The errors of fast-jwt, which @fastify/jwt uses, for any token: a key is wrong or cannot be fetched. */
const KEY_ERRORS = /^FAST_JWT_(INVALID_OPTION|INVALID_KEY|MISSING_KEY|KEY_FETCHING_ERROR|SIGN_ERROR)$/

function nullIfInvalid(error: unknown): null {
  const { statusCode, status, code } = Object(error) as Record<string, unknown>
  const isOfToken = /^FAST_JWT_|^FST_JWT_BAD_REQUEST$/.test(String(code)) && !KEY_ERRORS.test(String(code))
  if (isOfToken || [statusCode, status].includes(401)) return null
  throw error
}

/** Checks the times that were passed to `issue` of this package's services. */
export function checkTimesOf<R extends Rules>(request: unknown, times: unknown, rules: R): Checked<R> {
  const isMisplaced = areOptions(request, Object.keys(rules))
  checkOption(!isMisplaced, 'tokens.issue', 'takes the times after the request, which may be null')
  return checkGroup(times, 'tokens.issue', rules)
}

const VISIBLE_ASCII = /^[!-~]+$/

function toToken(value: unknown): string {
  if (typeof value === 'string' && VISIBLE_ASCII.test(value)) return value
  throw new InvalidAnswerError('tokens.issue must return a non-empty string of visible ASCII without spaces')
}

function toUserOrNull(value: unknown): ScreenUser | null {
  const user = toScreenUser(value)
  const rule = 'tokens.verify must return null or a user: { username, displayName }, both strings'
  if (user === null && value !== null) warnOnce(`${rule}; it returned ${describeNonUser(value)}`)
  return user
}
