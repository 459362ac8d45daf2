import type { FastifyRequest } from 'fastify'
import type { AuthRequest } from '../../schemas/index.ts'
import { audit, type LoginEvent, type LoginOutcome, publish, senderOf } from '../shared/index.ts'

const LEVELS: { [outcome in LoginOutcome]?: 'warn' | 'error' } = { overloaded: 'warn', failed: 'error' }

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
