import { createError } from '@fastify/error'
import { RETRY_AFTER } from './reply.ts'

/** An option is missing, wrong or unknown. Thrown at registration; the message names the option and the fix. */
export const InvalidOptionError = define<[string, { cause: unknown }?]>('INVALID_OPTION', '%s')

/** An environment variable is wrong. Thrown by `optionsFromEnv`; the message names the variable and the fix. */
export const InvalidEnvironmentError = createError<[string]>('FST_SCREEN_AUTH_INVALID_ENVIRONMENT', '%s')

/** The host's Fastify has another major version. Thrown at registration. */
export const WrongFastifyError = define<[string]>('WRONG_FASTIFY', 'needs Fastify 5, but this is %s; install fastify@5')

/** The plugin is registered in this scope, around it or inside it already. Thrown at registration. */
export const AlreadyRegisteredError = define<[string]>(
  'ALREADY_REGISTERED',
  'is registered already, %s; register it once for a scope and all inside it'
)

/** The plugin did not load, so its guard is missing. Thrown by `ready()` and `listen()`: the server must not boot open. */
export const NotLoadedError = define(
  'NOT_LOADED',
  'the plugin did not finish loading, so no route would be guarded; see the registration error'
)

/** A function of the host returned something else than it may. Logged as a cause, never sent. */
export const InvalidAnswerError = define<[string, { cause: unknown }?]>('INVALID_ANSWER', '%s')

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

/**
 * `revoke`, `revokeById` or `revokeAll` was given something of another kind; the message says what was meant. A `TypeError`.
 * A 400 in a handler, because a client may have sent it.
 */
export const WrongArgumentError = define<[string]>(
  'WRONG_ARGUMENT',
  'tokens.%s; for a token there is revoke, for an id revokeById, and for a username revokeAll',
  400,
  TypeError
)

/** The host's token service failed, its store is down for instance; `cause` says how. Logged; the response is a 503. */
export const TokenServiceError = unavailable<[{ cause: unknown }]>('TOKEN_SERVICE_FAILED', 'the token service failed')

/**
 * The store of `opaqueTokens` failed, or took longer than its `timeout`; `cause` says how, if it has said so. Thrown in a
 * handler it is a 503 with `Retry-After`.
 */
export const TokenStoreError = unavailable<[string, { cause: unknown }?]>(
  'TOKEN_STORE_FAILED',
  'the store of the tokens %s'
)

/** A function of the host that makes a screen failed; `cause` says how, and is logged. Goes to the host's error handler. */
export const ScreenFailedError = define<[string, { cause: unknown }]>('SCREEN_FAILED', '%s failed')

/** `checkCredentials` failed, or returned something else than it may; `cause` says how. Logged; the response is a 500. */
export const LoginFailedError = define<[{ cause: unknown }]>('LOGIN_FAILED', 'checkCredentials failed')

/** `checkCredentials` has thrown an error with the status 503: what it asks is down. Logged; the response is a 503. */
export const UserStoreError = unavailable<[{ cause: unknown }]>(
  'USER_STORE_FAILED',
  'checkCredentials says that what it asks is down'
)

/** A store of the throttle failed; `cause` says how. Logged; a 503, because what is not counted is not tried. */
export const ThrottleFailedError = unavailable<[{ cause: unknown }]>(
  'THROTTLE_FAILED',
  'the store of the throttle failed'
)

/** More logins wait than `checks.waiting` allows. Logged; the response is a 503. */
export const OverloadedError = unavailable('OVERLOADED', 'too many logins at a time')

/** A login took longer than `checks.timeout`. Logged; the response is a 503. */
export const LoginTimedOutError = unavailable(
  'LOGIN_TIMED_OUT',
  'the login took too long; see what checkCredentials, mainMenu, tokens.issue or throttle.store waits for'
)

/** `userOf` or `reauthenticate` was called where there is no user, on a public route for instance. A 500 in a handler. */
export const NoUserError = define(
  'NO_USER',
  'there is no user: this route is public, the login is off, or the guard has not run yet'
)

/** The plugin is registered in several scopes, and the `app.screenAuth` of the root was asked, which belongs to none. */
export const SeveralScopesError = define(
  'SEVERAL_SCOPES',
  'is registered in several scopes; ask the screenAuth of the scope that is meant'
)

/** The client has gone, so nobody reads the response. Logged, never as an error. */
export const ClientGoneError = define('CLIENT_GONE', 'the client has gone', 499)

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
  FST_SCREEN_AUTH_SEVERAL_SCOPES: SeveralScopesError,
  FST_SCREEN_AUTH_CLIENT_GONE: ClientGoneError
}

/** An error of this package. Its message begins with the name of the package. */
function define<Args extends unknown[] = []>(name: string, message: string, status = 500, base = Error) {
  return createError<Args>(`FST_SCREEN_AUTH_${name}`, `screen-auth: ${message}`, status, base)
}

/** An error that is a 503 with `Retry-After`: the client may try again. */
function unavailable<Args extends unknown[] = []>(name: string, message: string) {
  return class extends define<Args>(name, message, 503) {
    readonly headers = { 'retry-after': RETRY_AFTER }
  }
}
