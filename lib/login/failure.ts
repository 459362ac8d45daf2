import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest, AuthResponse } from '../../schemas/index.ts'
import { audit, ClientGoneError, OverloadedError, retryLater, sendJson } from '../shared/index.ts'
import { messages } from './messages.ts'

/** What the person is told when the status of a refusal says more than that it was refused. */
const REASONS: Record<number, string> = {
  400: messages.malformed,
  413: messages.tooLarge,
  415: messages.notJson
}

/** The AuthResponse of a login that has failed, as JSON. */
export function failure(error: string): string {
  return JSON.stringify({ success: false, token: null, error, screen: null } satisfies AuthResponse)
}

/**
 * Error handler of the login route: after every error the response is an AuthResponse, so that the client has a
 * message to show. The cause goes to the log only, and a parser's message not even there: it may quote the password.
 */
export function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = statusOf(error, reply)
  if (error instanceof ClientGoneError) audit(request, 'login abandoned', usernameOf(request))
  else if (error instanceof OverloadedError) request.log.warn(error.message)
  else if (status >= 500) request.log.error({ err: error }, 'screen-auth: login failed')
  else audit(request, `login request refused with ${status}`)

  if (status === 503) retryLater(reply)
  const message = REASONS[status] ?? (status < 500 ? messages.refused : messages.failed)
  sendJson(reply.code(status), failure(message))
}

/** The last resort of Fastify, which serializes an error by the schema: a hook has failed after the error handler. */
export function failureText(): string {
  return failure(messages.failed)
}

/** An error of a host's hook can be anything, and its status too; the hook may also have set one before it threw. */
function statusOf({ statusCode, status }: FastifyError & { status?: number }, reply: FastifyReply): number {
  const isFailure = (code: unknown) => Number.isInteger(code) && Number(code) >= 400 && Number(code) < 600
  return [statusCode, status, reply.statusCode].find(isFailure) ?? 500
}

function usernameOf({ body }: FastifyRequest): string | undefined {
  return (body as Partial<AuthRequest> | undefined)?.fields?.username
}
