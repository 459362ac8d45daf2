// What operators see of logins, refusals and sessions: events of `diagnostics_channel`, and the audit log.
import { channel } from 'node:diagnostics_channel'
import type { FastifyRequest } from 'fastify'
import { type AnyRequest, addressOf } from './http.ts'
import type { ScreenUser } from './user.ts'
import { isUnwritten, warnOnce } from './warnings.ts'

/**
 * The outcome of a login:
 * - `accepted`: the response has a token; if a hook of the host fails later, an event `failed` follows
 * - `rejected`: `checkCredentials` returned null or `{ error }`
 * - `blocked`: too many earlier logins failed, so the password was not checked; or a host's hook threw a 429
 * - `incomplete`: username or password is empty
 * - `malformed`: another 4xx: the body is not an AuthRequest or did not arrive, or a host's hook threw a 4xx
 * - `overloaded`: too many logins wait, see `checks.waiting`
 * - `abandoned`: the client disconnected before the response, or reset its connection
 * - `failed`: another 5xx: the server failed, see `cause`
 */
export type LoginOutcome =
  | 'accepted'
  | 'rejected'
  | 'blocked'
  | 'incomplete'
  | 'malformed'
  | 'overloaded'
  | 'abandoned'
  | 'failed'

/**
 * Published on the channel `fastify-screen-auth.login` of `node:diagnostics_channel` for each `POST /auth/login`,
 * unless a hook of the host sends the response.
 *
 * @example
 * import { subscribe } from 'node:diagnostics_channel'
 *
 * subscribe('fastify-screen-auth.login', message => {
 *   const { outcome, username } = message as LoginEvent
 *   logins.inc({ outcome })
 * })
 */
export interface LoginEvent {
  outcome: LoginOutcome
  /**
   * The user's name if the login was accepted, or else the entered name; null if the client sent no name. Safe to store
   * and show: truncated to 128 characters, with control characters escaped (as `\u{1b}`).
   */
  username: string | null
  /** The client's address, truncated and escaped; undefined if the socket has none. Behind a proxy, set `trustProxy`. */
  address: string | undefined
  /** Not enumerable, so that a stored or logged event does not contain the password. */
  readonly request: FastifyRequest
  /** The user of an accepted login. */
  user?: ScreenUser
  /** Seconds until the block ends. Only if too many earlier logins failed. */
  retryAfter?: number
  /** The error of an `overloaded` or `failed` login. Not enumerable: it may contain entered values. */
  readonly cause?: unknown
}

/** Published on the channel `fastify-screen-auth.refusal` for each request that the guard rejects. */
export interface RefusalEvent {
  /** `missing`: no token was sent. `invalid`: the token is not valid. `unavailable`: the token service failed (503). */
  reason: 'missing' | 'invalid' | 'unavailable'
  /** The client's address, as in a {@link LoginEvent}. */
  address: string | undefined
  /** Not enumerable, so that a stored or logged event does not contain the token. */
  readonly request: FastifyRequest
}

/**
 * Published on the channel `fastify-screen-auth.session` when `opaqueTokens` starts a session (`started`), revokes a
 * session (`ended`) or revokes all sessions of a user (`all-ended`). Not published when a session expires.
 */
export type SessionEvent =
  | (OneSession & {
      outcome: 'started'
      /** The request passed to `issue`, or null. Not enumerable. */
      readonly request: AnyRequest | null
    })
  | (OneSession & { outcome: 'ended' })
  | (OfUser & { outcome: 'all-ended' })

interface OfUser {
  /** Truncated and escaped, as in a {@link LoginEvent}. */
  username: string
  /** The exact name, to compare with the user of a request. Not enumerable: it may contain control characters. */
  readonly user: Pick<ScreenUser, 'username'>
}

interface OneSession extends OfUser {
  /** The session's id, as returned by `tokens.idOf`. Not a token. */
  id: string
  /** The latest end of the session, in milliseconds since 1970. */
  expires: number
}

/** Published on the channel `fastify-screen-auth.throttle` when `throttle.store` fails or recovers. */
export interface ThrottleEvent {
  /** `store-down`: until `store-back`, this process counts failed logins in its own memory. */
  outcome: 'store-down' | 'store-back'
  /** The error of the store. Not enumerable. */
  readonly cause?: unknown
}

type Events = { login: LoginEvent; refusal: RefusalEvent; session: SessionEvent; throttle: ThrottleEvent }

/** Keeps references: Node collects an unreferenced channel, and later subscribers would get another one. */
const channels = {
  login: channel('fastify-screen-auth.login'),
  refusal: channel('fastify-screen-auth.refusal'),
  session: channel('fastify-screen-auth.session'),
  throttle: channel('fastify-screen-auth.throttle')
}

/** Publishes an event. The properties of `hidden` are not enumerable. */
export function publish<Name extends keyof Events>(
  name: Name,
  shown: Partial<Events[Name]>,
  hidden: Partial<Events[Name]> = {}
): void {
  const channel = channels[name]
  if (!channel.hasSubscribers) return
  for (const [key, value] of Object.entries(hidden)) Object.defineProperty(shown, key, { value })
  channel.publish(shown)
}

type Sender = Pick<LoginEvent, 'username' | 'address'>

/** Returns who has sent a request, safe to store and show. */
export function senderOf(request: FastifyRequest, username?: string): Sender {
  const address = addressOf(request)
  return { username: username === undefined ? null : printable(username), address: address && printable(address) }
}

/**
 * Writes sender, route and event to the audit log: as the properties `facts`, and as `text` for people. Never logs a
 * password, a token, a body or a URL, whose query may contain a secret.
 */
export function audit(
  request: FastifyRequest,
  sender: Sender,
  facts: object,
  text: string,
  level: 'info' | 'warn' | 'error' = 'info'
): void {
  const { log, method, routeOptions } = request
  log[level]({ ...facts, ...sender, method, route: routeOptions.url ?? null }, `screen-auth: ${text}`)
  if (level === 'error' && isUnwritten(log, level)) warnOnce(`${text}; set \`logger\` of Fastify to see the cause`)
}

/** Control characters, direction marks and line separators, which change the output of a terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Truncates a text of a client, which can have any length, to 128 characters, and escapes unprintable ones. */
export function printable(text: string): string {
  return text.slice(0, 128).replace(UNPRINTABLE, found => `\\u{${Number(found.codePointAt(0)).toString(16)}}`)
}
