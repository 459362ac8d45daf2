import type { FastifyRequest } from 'fastify'
import type { AuthRequest } from '../../schemas/index.ts'
import { audit, type LoginEvent, type LoginOutcome, publish, senderOf } from '../shared/index.ts'

const LEVELS: { [outcome in LoginOutcome]?: 'warn' | 'error' } = { overloaded: 'warn', failed: 'error' }

/** Logs and publishes what has come of a login. */
export function reportLogin(
  request: FastifyRequest,
  outcome: LoginOutcome,
  details: Pick<LoginEvent, 'user' | 'retryAfter' | 'cause'> = {}
): void {
  const sender = senderOf(request, details.user?.username ?? usernameOf(request))
  const { retryAfter, cause } = details
  const facts = {
    event: 'login',
    outcome,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(cause !== undefined && { err: cause })
  }
  audit(request, sender, facts, `login ${outcome}`, LEVELS[outcome])
  publish('login', { outcome, ...sender, ...details }, request)
}

/** The name that was tried; undefined when none was sent, or the body was not read. */
function usernameOf({ body }: FastifyRequest): string | undefined {
  const username = (body as Partial<AuthRequest> | null | undefined)?.fields?.username
  return typeof username === 'string' ? username : undefined
}
