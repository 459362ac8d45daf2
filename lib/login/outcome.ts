import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest, AuthResponse } from '../../schemas/index.ts'
import {
  audit,
  ClientGoneError,
  type LoginEvent,
  type LoginOutcome,
  OverloadedError,
  publish,
  retryLater,
  senderOf,
  sendJson
} from '../shared/index.ts'
import { ENGLISH, type MessageKey, type Say } from './messages.ts'

/** What the person is told when the status of a refusal says more than that it was refused. */
const REASONS: Record<number, MessageKey> = { 400: 'malformed', 413: 'too-large', 415: 'not-json' }

const LEVELS: { [outcome in LoginOutcome]?: 'warn' | 'error' } = { overloaded: 'warn', failed: 'error' }

/** The AuthResponse of a login that has failed, as JSON. */
export function failure(error: string): string {
  return JSON.stringify({ success: false, token: null, error, screen: null } satisfies AuthResponse)
}

/**
 * Makes the error handler of the login route: after every error the response is an AuthResponse, so that the client has a
 * message to show. The cause goes to the log only, and a parser's message not even there: it may quote the password.
 */
export function failureSender(say: Say) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const status = statusOf(error, reply)
    report(error, status, request)
    if (status === 503) retryLater(reply)
    const key = REASONS[status] ?? (status < 500 ? 'refused' : 'unavailable')
    sendJson(reply.code(status), failure(say(key, request)))
  }
}

function report(error: FastifyError, status: number, request: FastifyRequest): void {
  // A client that goes in the middle of its body has sent one that is too short.
  if (error instanceof ClientGoneError || request.raw.readableAborted) reportLogin(request, 'abandoned')
  else if (error instanceof OverloadedError) reportLogin(request, 'overloaded', { cause: error })
  else if (status >= 500) reportLogin(request, 'failed', { cause: error })
  else reportLogin(request, status === 429 ? 'blocked' : 'malformed')
}

/** The last resort of Fastify, which serializes an error by the schema: a hook has failed after the error handler. */
export function failureText(): string {
  return failure(ENGLISH.unavailable)
}

/** An error of a host's hook can be anything, and its status too; the hook may also have set one before it threw. */
function statusOf({ statusCode, status }: FastifyError & { status?: number }, reply: FastifyReply): number {
  const isFailure = (code: unknown) => Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600
  return [statusCode, status, reply.statusCode].find(isFailure) ?? 500
}

/** Publishes and logs what has come of a login. */
export function reportLogin(
  request: FastifyRequest,
  outcome: LoginOutcome,
  details: Pick<LoginEvent, 'user' | 'retryAfter' | 'cause'> = {}
): void {
  const { cause, ...shown } = details
  const sender = senderOf(request, shown.user?.username ?? usernameOf(request))
  publish('login', { outcome, ...sender, ...shown }, { request, cause })
  const facts = { event: 'login', outcome, retryAfter: shown.retryAfter, err: cause }
  audit(request, sender, facts, `login ${outcome}`, LEVELS[outcome])
}

/** The name that was tried; undefined when none was sent, or the body was not read. */
function usernameOf({ body }: FastifyRequest): string | undefined {
  const username = (body as Partial<AuthRequest> | null | undefined)?.fields?.username
  return typeof username === 'string' ? username : undefined
}
