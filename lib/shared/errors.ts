import { createError } from '@fastify/error'
import { RETRY_AFTER } from './reply.ts'

/** An option is missing, wrong or unknown. Thrown at registration; the message names the option and the fix. */
export const InvalidOptionError = createError<[string, { cause: unknown }?]>(
  'FST_SCREEN_AUTH_INVALID_OPTION',
  'screen-auth: %s'
)

/** An environment variable is wrong. Thrown by `optionsFromEnv`; the message names the variable and the fix. */
export const InvalidEnvironmentError = createError<[string]>('FST_SCREEN_AUTH_INVALID_ENVIRONMENT', '%s')

/** The host's Fastify has another major version. Thrown at registration. */
export const WrongFastifyError = createError<[string]>(
  'FST_SCREEN_AUTH_WRONG_FASTIFY',
  'screen-auth: needs Fastify 5, but this is %s; install fastify@5'
)

/** The plugin is registered in this scope, around it or inside it already. Thrown at registration. */
export const AlreadyRegisteredError = createError<[string]>(
  'FST_SCREEN_AUTH_ALREADY_REGISTERED',
  'screen-auth: is registered already, %s; register it once for a scope and all inside it'
)

/** The plugin did not load, so its guard is missing. Thrown by `ready()` and `listen()`: the server must not boot open. */
export const NotLoadedError = createError<[]>(
  'FST_SCREEN_AUTH_NOT_LOADED',
  'screen-auth: the plugin did not finish loading, so no route would be guarded; see the registration error'
)

/** A function of the host returned something else than it may. Logged as a cause, never sent. */
export const InvalidAnswerError = createError<[string, { cause: unknown }?]>(
  'FST_SCREEN_AUTH_INVALID_ANSWER',
  'screen-auth: %s'
)

/**
 * Returns what a function of the host has returned, when that is a text.
 *
 * @param rule which function it is, and what it must return
 * @throws InvalidAnswerError when it is something else
 */
export function checkText(text: unknown, rule: string): string {
  if (typeof text === 'string') return text
  // If it is a promise, nothing else catches its error.
  Promise.resolve(text).catch(() => {})
  throw new InvalidAnswerError(rule)
}

/** The host's token service failed, its store is down for instance; `cause` says how. Logged; the response is a 503. */
export const TokenServiceError = unavailable<[{ cause: unknown }]>(
  'FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED',
  'screen-auth: the token service failed'
)

/**
 * The store of `opaqueTokens` failed, or took longer than its `timeout`; `cause` says how, if it has said so. Thrown in a
 * handler it is a 503 with `Retry-After`.
 */
export const TokenStoreError = unavailable<[string, { cause: unknown }?]>(
  'FST_SCREEN_AUTH_TOKEN_STORE_FAILED',
  'screen-auth: the store of the tokens %s'
)

/** A function of the host that makes a screen failed; `cause` says how, and is logged. Goes to the host's error handler. */
export const ScreenFailedError = createError<[string, { cause: unknown }]>(
  'FST_SCREEN_AUTH_SCREEN_FAILED',
  'screen-auth: %s failed'
)

/** `checkCredentials` failed, or returned something else than it may; `cause` says how. Logged; the response is a 500. */
export const LoginFailedError = createError<[{ cause: unknown }]>(
  'FST_SCREEN_AUTH_LOGIN_FAILED',
  'screen-auth: checkCredentials failed'
)

/** A store of the throttle failed; `cause` says how. Logged; a 503, because what is not counted is not tried. */
export const ThrottleFailedError = unavailable<[{ cause: unknown }]>(
  'FST_SCREEN_AUTH_THROTTLE_FAILED',
  'screen-auth: the store of the throttle failed'
)

/** More logins wait than `checks.waiting` allows. Logged; the response is a 503. */
export const OverloadedError = unavailable<[]>(
  'FST_SCREEN_AUTH_OVERLOADED',
  'screen-auth: too many logins at a time'
)

/** A login took longer than `checks.timeout`. Logged; the response is a 503. */
export const LoginTimedOutError = unavailable<[]>(
  'FST_SCREEN_AUTH_LOGIN_TIMED_OUT',
  'screen-auth: the login took too long; see what checkCredentials, mainMenu, tokens.issue or throttle.store waits for'
)

/** `userOf` or `reauthenticate` was called where there is no user, on a public route for instance. A 500 in a handler. */
export const NoUserError = createError<[]>(
  'FST_SCREEN_AUTH_NO_USER',
  'screen-auth: there is no user: this route is public, the login is off, or the guard has not run yet'
)

/** The plugin is registered in several scopes, and the `app.screenAuth` of the root was asked, which belongs to none. */
export const SeveralScopesError = createError<[]>(
  'FST_SCREEN_AUTH_SEVERAL_SCOPES',
  'screen-auth: is registered in several scopes; ask the screenAuth of the scope that is meant'
)

/** The client has gone, so nobody reads the response. Logged, never as an error. */
export const ClientGoneError = createError<[]>(
  'FST_SCREEN_AUTH_CLIENT_GONE',
  'screen-auth: the client has gone',
  499
)

/**
 * The class of every error of this package, by its code. docs/errors.md says for each when it is thrown and what to do.
 *
 * @example
 * if (error instanceof errorCodes.FST_SCREEN_AUTH_INVALID_OPTION) console.error(error.message)
 */
export const errorCodes = {
  FST_SCREEN_AUTH_INVALID_OPTION: InvalidOptionError,
  FST_SCREEN_AUTH_INVALID_ENVIRONMENT: InvalidEnvironmentError,
  FST_SCREEN_AUTH_WRONG_FASTIFY: WrongFastifyError,
  FST_SCREEN_AUTH_ALREADY_REGISTERED: AlreadyRegisteredError,
  FST_SCREEN_AUTH_NOT_LOADED: NotLoadedError,
  FST_SCREEN_AUTH_INVALID_ANSWER: InvalidAnswerError,
  FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED: TokenServiceError,
  FST_SCREEN_AUTH_TOKEN_STORE_FAILED: TokenStoreError,
  FST_SCREEN_AUTH_SCREEN_FAILED: ScreenFailedError,
  FST_SCREEN_AUTH_LOGIN_FAILED: LoginFailedError,
  FST_SCREEN_AUTH_THROTTLE_FAILED: ThrottleFailedError,
  FST_SCREEN_AUTH_OVERLOADED: OverloadedError,
  FST_SCREEN_AUTH_LOGIN_TIMED_OUT: LoginTimedOutError,
  FST_SCREEN_AUTH_NO_USER: NoUserError,
  FST_SCREEN_AUTH_SEVERAL_SCOPES: SeveralScopesError,
  FST_SCREEN_AUTH_CLIENT_GONE: ClientGoneError
}

/** An error that is a 503 with `Retry-After`: the client may try again. */
function unavailable<Args extends unknown[]>(code: string, message: string) {
  return class extends createError<Args>(code, message, 503) {
    readonly headers = { 'retry-after': RETRY_AFTER }
  }
}
