import { createError } from '@fastify/error'

type Cause = { cause: unknown }

/** Seconds after which a client may retry. */
export const RETRY_AFTER = 5

/** An option is missing, invalid or unknown. Thrown at registration; the message names the option and the fix. */
export const InvalidOptionError = define<[string, Cause?]>('INVALID_OPTION', '%s')

/** An environment variable is invalid. Thrown by `optionsFromEnv`; the message names the variable and the fix. */
export const InvalidEnvironmentError = createError<[string]>('FST_SCREEN_AUTH_INVALID_ENVIRONMENT', '%s')

/** The host's Fastify is not version 5. Thrown at registration. */
export const WrongFastifyError = define<[string]>('WRONG_FASTIFY', 'needs Fastify 5, but this is %s; install fastify@5')

/** The plugin is already registered in this scope, around it or inside it. Thrown at registration. */
export const AlreadyRegisteredError = define<[string]>(
  'ALREADY_REGISTERED',
  'is registered already, %s; register it once for a scope and all inside it'
)

/** The plugin did not load, so its guard is missing. Thrown by `ready()` and `listen()` to prevent the start. */
export const NotLoadedError = define(
  'NOT_LOADED',
  'the plugin did not finish loading, so no route would be guarded; see the registration error'
)

/** A function of the host returned an invalid value. Logged as a cause, never sent to a client. */
export const InvalidAnswerError = define<[string, Cause?]>('INVALID_ANSWER', '%s')

/** A function got a wrong argument. Extends `TypeError`. In a handler: a 400, because a client may have sent it. */
export const WrongArgumentError = define<[string]>('WRONG_ARGUMENT', '%s', 400, TypeError)

/** The host's token service failed with `cause`, for instance a store that is down. Logged; the response is a 503. */
export const TokenServiceError = unavailable<[Cause]>('TOKEN_SERVICE_FAILED', 'the token service failed')

/** The store of `opaqueTokens` failed with `cause`, or took longer than `timeout`. In a handler, it causes a 503. */
export const TokenStoreError = unavailable<[string, Cause?]>('TOKEN_STORE_FAILED', 'the store of the tokens %s')

/** `mainMenu` or `loginForm` failed with `cause`. Logged during a login (500), or else for the host's error handler. */
export const ScreenFailedError = define<[string, Cause]>('SCREEN_FAILED', '%s failed')

/** `checkCredentials` failed with `cause`, or returned an invalid value. Logged; the response is a 500. */
export const LoginFailedError = define<[Cause]>('LOGIN_FAILED', 'checkCredentials failed')

/** `checkCredentials` threw `cause` with `statusCode: 503`: its user store is down. Logged; the response is a 503. */
export const UserStoreError = unavailable<[Cause]>(
  'USER_STORE_FAILED',
  'checkCredentials reported that its user store is down'
)

/** `throttle.store` failed with `cause`. Logged; logins count in memory. `unlock`, `forgetNetworks` throw it (503). */
export const ThrottleFailedError = unavailable<[Cause]>('THROTTLE_FAILED', 'the store of the throttle failed')

/** Too many logins wait, in total (`checks.waiting`) or from one network. Logged; the response is a 503. */
export const OverloadedError = unavailable('OVERLOADED', 'too many concurrent logins')

/** A login took longer than `checks.timeout`, although its body has arrived. Logged; the response is a 503. */
export const LoginTimedOutError = unavailable(
  'LOGIN_TIMED_OUT',
  'the login took too long; see what checkCredentials, mainMenu, tokens.issue, throttle.store or a hook of this server waits for'
)

/** `userOf` or `reauthenticate` was called without a user, for instance on a public route. In a handler: a 500. */
export const NoUserError = define(
  'NO_USER',
  'there is no user: this route is public, the login is off, or the guard has not run yet'
)

/**
 * `reauthenticate` got a wrong password or none, or logins are blocked. `message` is the text for the person. In a
 * handler, it causes a 403: after a 401, the client would drop its token.
 */
export class ReauthenticationFailedError extends createError<[string]>(
  'FST_SCREEN_AUTH_REAUTHENTICATION_FAILED',
  '%s',
  403
) {
  /** Seconds until the block ends; undefined if logins are not blocked. */
  retryAfter: number | undefined
}

/** The plugin is registered in several scopes, but the root's `app.screenAuth` was called. In a handler: a 500. */
export const SeveralScopesError = define(
  'SEVERAL_SCOPES',
  'is registered in several scopes; use the screenAuth of a scope, not of the root'
)

/** The client has disconnected or reset its connection, so there is no response. Logged, but not at level `error`. */
export const ClientGoneError = define('CLIENT_GONE', 'the client has gone', 499)

/**
 * The classes of all errors of this package, by code. docs/errors.md explains when each is thrown and how to fix it.
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
  FST_SCREEN_AUTH_WRONG_ARGUMENT: WrongArgumentError,
  FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED: TokenServiceError,
  FST_SCREEN_AUTH_TOKEN_STORE_FAILED: TokenStoreError,
  FST_SCREEN_AUTH_SCREEN_FAILED: ScreenFailedError,
  FST_SCREEN_AUTH_LOGIN_FAILED: LoginFailedError,
  FST_SCREEN_AUTH_USER_STORE_FAILED: UserStoreError,
  FST_SCREEN_AUTH_THROTTLE_FAILED: ThrottleFailedError,
  FST_SCREEN_AUTH_OVERLOADED: OverloadedError,
  FST_SCREEN_AUTH_LOGIN_TIMED_OUT: LoginTimedOutError,
  FST_SCREEN_AUTH_NO_USER: NoUserError,
  FST_SCREEN_AUTH_REAUTHENTICATION_FAILED: ReauthenticationFailedError,
  FST_SCREEN_AUTH_SEVERAL_SCOPES: SeveralScopesError,
  FST_SCREEN_AUTH_CLIENT_GONE: ClientGoneError
}

/** Defines an error class of this package. Messages begin with `screen-auth:`. */
function define<Args extends unknown[] = []>(name: string, message: string, status = 500, base = Error) {
  return createError<Args>(`FST_SCREEN_AUTH_${name}`, `screen-auth: ${message}`, status, base)
}

/** Defines an error class whose response is a 503 with `Retry-After`: the client may retry. */
function unavailable<Args extends unknown[] = []>(name: string, message: string) {
  return class extends define<Args>(name, message, 503) {
    readonly headers = { 'retry-after': RETRY_AFTER }
  }
}
