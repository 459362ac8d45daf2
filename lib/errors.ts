import createError from '@fastify/error'

/** An option is missing or wrong. Thrown at registration; the message names the option and the fix. */
export const InvalidOptionError = createError<[string]>('FST_SCREEN_AUTH_INVALID_OPTION', 'screen-auth: %s')

/** An environment variable is wrong. Thrown by `optionsFromEnv`; the message names the variable and the fix. */
export const InvalidEnvironmentError = createError<[string]>('FST_SCREEN_AUTH_INVALID_ENVIRONMENT', '%s')

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
