import createError from '@fastify/error'
import { RETRY_AFTER } from './retry-later.ts'

/** An option is missing or wrong. Thrown at registration; the message names the option and the fix. */
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

/** The plugin did not load, so its guard is missing. Thrown by `ready()` and `listen()`: the server must not boot open. */
export const NotLoadedError = createError<[]>(
  'FST_SCREEN_AUTH_NOT_LOADED',
  'screen-auth: the plugin did not finish loading, so no route would be guarded; see the registration error'
)

/** A function that the host injected answered something else than its contract says. Logged, never sent. */
export const InvalidAnswerError = createError<[string]>('FST_SCREEN_AUTH_INVALID_ANSWER', 'screen-auth: %s')

/** The host's token service failed while it verified a token; `cause` says how. Logged, and answered as 503. */
export const TokenServiceError = createError<[{ cause: unknown }]>(
  'FST_SCREEN_AUTH_TOKEN_SERVICE_FAILED',
  'screen-auth: the token service failed'
)

const StoreError = createError<[string, { cause: unknown }?]>(
  'FST_SCREEN_AUTH_TOKEN_STORE_FAILED',
  'screen-auth: the store of the tokens %s',
  503
)

/**
 * The store of `opaqueTokens` failed, or took longer than its `timeout`; `cause` says how, if it has said so. Thrown in a
 * handler it is answered as 503 with `Retry-After`.
 */
export class TokenStoreError extends StoreError {
  readonly headers = { 'retry-after': RETRY_AFTER }
}

/** A function of the host that makes a screen failed; `cause` says how, and is logged. Goes to the host's error handler. */
export const ScreenFailedError = createError<[string, { cause: unknown }]>(
  'FST_SCREEN_AUTH_SCREEN_FAILED',
  'screen-auth: %s failed'
)

/** A function that the host injected failed during a login; `cause` says how. Logged, and answered as 500. */
export const LoginFailedError = createError<[{ cause: unknown }]>(
  'FST_SCREEN_AUTH_LOGIN_FAILED',
  'screen-auth: the login failed'
)

/** A store of the throttle failed; `cause` says how. Logged, and answered as 503: what is not counted is not tried. */
export const ThrottleFailedError = createError<[{ cause: unknown }]>(
  'FST_SCREEN_AUTH_THROTTLE_FAILED',
  'screen-auth: the store of the throttle failed',
  503
)

/** More logins wait than may. Answered as 503. */
export const OverloadedError = createError<[]>(
  'FST_SCREEN_AUTH_OVERLOADED',
  'screen-auth: too many logins at a time',
  503
)

/** A login took longer than `checks.timeout`. Logged, and answered as 503. */
export const LoginTimedOutError = createError<[]>(
  'FST_SCREEN_AUTH_LOGIN_TIMED_OUT',
  'screen-auth: the login took too long; see what checkCredentials, mainMenu, tokens.issue or throttle.store waits for',
  503
)
