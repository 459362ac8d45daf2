import type { FastifyRequest } from 'fastify'
import { checkGroup, checkOption, InvalidAnswerError, type ScreenUser, toScreenUser } from '../shared/index.ts'

/**
 * Issues and verifies the bearer tokens. The contract leaves the format open (contract 5.4), so a host can replace
 * the JWT: by `opaqueTokens`, or by a service of its own. Both functions may return a promise.
 *
 * @example
 * const tokens: TokenService = {
 *   issue: user => identities.makeToken(user.username),
 *   verify: async token => (await identities.lookUp(token)) ?? null
 * }
 */
export interface TokenService {
  /**
   * Makes a token for a user who has just logged in: visible ASCII without spaces, so that it fits into the header.
   * A throw means that the store is down: the login is a 503.
   *
   * @param request the login request; null when called through `app.screenAuth`
   */
  issue(user: ScreenUser, request: FastifyRequest | null): string | Promise<string>
  /**
   * Returns the user of a token, or null for one that is not, or no longer, valid (401). A throw means "cannot tell":
   * the response is a 503, so that no client drops a good token because a store is down.
   *
   * @param request the guarded request; null when called through `app.screenAuth`
   * @param options what `app.screenAuth.verifyToken` was given
   */
  verify(
    token: string,
    request: FastifyRequest | null,
    options?: VerifyOptions
  ): ScreenUser | null | Promise<ScreenUser | null>
}

/** How a token is verified. */
export interface VerifyOptions {
  /** False: only whether it is good. It does not count as a use, so it does not keep an idle session alive. Default: true. */
  use?: boolean | undefined
}

/** The functions of our own services. By function, because a host may replace one of them. */
const trusted = new WeakSet<TokenService['issue' | 'verify']>()

/** Marks a service of ours: it returns tokens of visible ASCII and frozen users, so nothing is checked or copied again. */
export function trust<Service extends TokenService>(service: Service): Service {
  trusted.add(service.issue).add(service.verify)
  return service
}

/**
 * Wraps a host's token service, so that a wrong return value throws `InvalidAnswerError` and never passes. It is not
 * asked about what no token can be (RFC 6750 2.1).
 */
export function checkedService(service: TokenService): TokenService {
  if (trusted.has(service.issue) && trusted.has(service.verify)) return service
  return {
    issue: (user, request) => andThen(service.issue(user, request), toToken),
    verify: (token, request, options) =>
      isVisibleAscii(token) ? andThen(service.verify(token, request, options), toUserOrNull) : null
  }
}

/**
 * Checks the times that an `issue` of ours was given.
 *
 * @throws InvalidOptionError when there is an unknown one, or when they are in the place of the request
 */
export function checkTimesOf(request: unknown, times: object, names: readonly string[]): void {
  const isMisplaced = !isRequest(request) && names.some(name => name in Object(request))
  checkOption(!isMisplaced, 'tokens.issue', 'takes the times after the request, which may be null')
  checkGroup(times, 'tokens.issue', names)
}

/** A host may have decorated its requests with any name. */
export function isRequest(value: unknown): boolean {
  return 'raw' in Object(value)
}

/** True for a promise, of whatever library. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null)?.then === 'function'
}

/** Part of a header is for V8 a view of it: remembered, it would keep all that was sent before the token. */
export function copyOf(token: string): string {
  return Buffer.from(token, 'latin1').toString('latin1')
}

// Not `await`: a synchronous service must stay synchronous, or every guarded request pays for a promise.
function andThen<T>(result: T | PromiseLike<T>, next: (result: T) => T): T | Promise<T> {
  return isPromise(result) ? Promise.resolve(result).then(next) : next(result)
}

function toToken(value: unknown): string {
  if (typeof value === 'string' && isVisibleAscii(value)) return value
  throw new InvalidAnswerError('tokens.issue must return a non-empty string of visible ASCII without spaces')
}

function isVisibleAscii(token: string): boolean {
  return /^[!-~]+$/.test(token)
}

function toUserOrNull(value: unknown): ScreenUser | null {
  return value === null ? null : toUser(value, 'tokens.verify must return null or')
}

/**
 * The user that a function was given or has returned.
 *
 * @param rule what must be a user, for the message
 * @throws InvalidAnswerError
 */
export function toUser(value: unknown, rule: string): ScreenUser {
  const user = toScreenUser(value)
  if (user === null) throw new InvalidAnswerError(`${rule} a user: { username, displayName }, both strings`)
  return user
}
