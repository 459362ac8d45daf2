import { channel } from 'node:diagnostics_channel'
import type { FastifyRequest } from 'fastify'
import type { ScreenUser } from './user.ts'

/**
 * What came of a login:
 * - `accepted`: the response has a token
 * - `rejected`: `checkCredentials` has returned null or `{ error }`
 * - `blocked`: too many have failed before, so nothing was checked; or a hook of the host has refused it with 429
 * - `incomplete`: username or password is empty
 * - `malformed`: another 4xx; mostly the body is no AuthRequest
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
 * Published on the channel `fastify-screen-auth.login` of `node:diagnostics_channel` for each `POST /auth/login`.
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
   * and shown: of its first 128 characters, control characters are escaped.
   */
  username: string | null
  /** Where it came from, also fit to be shown; undefined over a Unix socket. Behind a proxy, set `trustProxy`. */
  address: string | undefined
  /** Not enumerable: whoever stores or logs the event does not store the password in its body. */
  readonly request: FastifyRequest
  /** Only when it was accepted. */
  user?: ScreenUser
  /** Seconds for which it is blocked; only when too many have failed before. */
  retryAfter?: number
  /** The error, when it is overloaded or has failed. */
  cause?: unknown
}

/** Published on the channel `fastify-screen-auth.refusal` for each request that the guard refuses. */
export interface RefusalEvent {
  /** `missing`: no token was sent. `invalid`: a bad one. `unavailable`: it cannot be verified now, so the response is 503. */
  reason: 'missing' | 'invalid' | 'unavailable'
  /** Where it came from, as of a login. */
  address: string | undefined
  /** Not enumerable: whoever stores or logs the event does not store the token in its headers. */
  readonly request: FastifyRequest
}

/** Published on the channel `fastify-screen-auth.session` when `opaqueTokens` starts or ends sessions. */
export interface SessionEvent {
  /** `all-ended`: all sessions of the user. One that expires is no event. */
  outcome: 'started' | 'ended' | 'all-ended'
  /** Null when one was ended that this process does not know. */
  username: string | null
}

const channels = {
  login: channel('fastify-screen-auth.login'),
  refusal: channel('fastify-screen-auth.refusal'),
  session: channel('fastify-screen-auth.session')
}

interface Events {
  login: Omit<LoginEvent, 'request'>
  refusal: Omit<RefusalEvent, 'request'>
  session: SessionEvent
}

/** @param request put into the event, unless it is undefined */
export function publish<Name extends keyof Events>(
  name: Name,
  event: Events[Name],
  request?: FastifyRequest
): void {
  const channel = channels[name]
  if (!channel.hasSubscribers) return
  channel.publish(request ? Object.defineProperty({ ...event }, 'request', { value: request }) : event)
}
