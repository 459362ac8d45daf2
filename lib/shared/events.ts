import { channel } from 'node:diagnostics_channel'
import type { FastifyRequest } from 'fastify'
import type { ScreenUser } from './user.ts'

/**
 * What came of a login:
 * - `accepted`: the response has a token, unless a hook of the host fails later: then `failed` follows
 * - `rejected`: `checkCredentials` has returned null or `{ error }`
 * - `blocked`: too many have failed before, so nothing was checked; or a hook of the host has refused it with 429
 * - `incomplete`: username or password is empty
 * - `malformed`: another 4xx; the body is no AuthRequest, or a hook of the host has refused it
 * - `overloaded`: more logins wait than `checks.waiting` allows
 * - `abandoned`: the client has gone before the end
 * - `failed`: another 5xx: something on the side of the server, as `cause` says
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
 * Published on the channel `fastify-screen-auth.login` of `node:diagnostics_channel` for each `POST /auth/login` to which
 * no hook of the host responds itself.
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
   * Of an accepted login the user's name, else the one that was tried, or null when none was sent. Fit to be stored
   * and shown: only the first 128 characters, with control characters escaped (as `\u{1b}`).
   */
  username: string | null
  /** Where it came from, also fit to be shown; undefined over a Unix socket. Behind a proxy, set `trustProxy`. */
  address: string | undefined
  /** Not enumerable: whoever stores or logs the event must not store the password in its body. */
  readonly request: FastifyRequest
  /** Only when it was accepted. */
  user?: ScreenUser
  /** Seconds for which it is blocked; only when too many have failed before. */
  retryAfter?: number
  /** The error, when it is overloaded or has failed. Not enumerable: an error of the host may hold what was entered. */
  readonly cause?: unknown
}

/** Published on the channel `fastify-screen-auth.refusal` for each request that the guard refuses. */
export interface RefusalEvent {
  /** `missing`: no token was sent. `invalid`: a bad one. `unavailable`: it cannot be verified now, so the response is 503. */
  reason: 'missing' | 'invalid' | 'unavailable'
  /** Where it came from, as of a login. */
  address: string | undefined
  /** Not enumerable: whoever stores or logs the event must not store the token in its headers. */
  readonly request: FastifyRequest
}

/**
 * Published on the channel `fastify-screen-auth.session` when `opaqueTokens` starts or ends sessions; `all-ended`: all of
 * the user. One that expires is no event.
 */
export type SessionEvent =
  | (OneSession & {
      outcome: 'started'
      /** The request that `issue` was given, or null. Not enumerable. */
      readonly request: FastifyRequest | null
    })
  | (OneSession & { outcome: 'ended' })
  | (OfUser & { outcome: 'all-ended' })

interface OfUser {
  /** Fit to be stored and shown, as of a login. */
  username: string
  /** The name as it is, to compare it with that of a request. Not enumerable: it may hold what a terminal would obey. */
  readonly user: Pick<ScreenUser, 'username'>
}

interface OneSession extends OfUser {
  /** As `tokens.idOf` returns it: it opens nothing. */
  id: string
  /** When the session is over at the latest, in milliseconds since 1970. */
  expires: number
}

/** Published on the channel `fastify-screen-auth.throttle` when the shared store of `insuredStore` fails, and when it is back. */
export interface ThrottleEvent {
  /** `store-down`: failed logins are counted in the memory of this process until `store-back`. */
  outcome: 'store-down' | 'store-back'
  /** The error of the store. Not enumerable. */
  readonly cause?: unknown
}

interface Events {
  login: Omit<LoginEvent, 'request' | 'cause'>
  refusal: Omit<RefusalEvent, 'request'>
  session: { [Outcome in SessionEvent['outcome']]: Shown<Outcome> }[SessionEvent['outcome']]
  throttle: ThrottleEvent
}

type Shown<Outcome> = Omit<Extract<SessionEvent, { outcome: Outcome }>, keyof Hidden>

/** What is part of an event and not enumerable. */
interface Hidden {
  user?: Pick<ScreenUser, 'username'>
  request?: FastifyRequest | null
  cause?: unknown
}

/** Held, because Node forgets a channel that nothing holds, and then a later listener hears another one. */
const channels = {
  login: channel('fastify-screen-auth.login'),
  refusal: channel('fastify-screen-auth.refusal'),
  session: channel('fastify-screen-auth.session'),
  throttle: channel('fastify-screen-auth.throttle')
}

/** Publishes an event. While nobody listens, it costs next to nothing. */
export function publish<Name extends keyof Events>(name: Name, event: Events[Name], hidden?: Hidden): void {
  const channel = channels[name]
  if (!channel.hasSubscribers) return
  for (const [key, value] of Object.entries({ ...hidden })) Object.defineProperty(event, key, { value })
  channel.publish(event)
}
