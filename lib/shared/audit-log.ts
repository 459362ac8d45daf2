import type { FastifyRequest } from 'fastify'
import { addressOf } from './client-address.ts'

/** Longest username and address in the log, in characters: both can come from the client. */
const LONGEST = 128

/** What a terminal would obey, or show in another order: control characters, marks of direction, line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Who has sent a request, fit to be stored and shown. */
interface Sender {
  username: string | null
  address: string | undefined
}

/** @param username the name that was tried, if there is one */
export function senderOf(request: FastifyRequest, username?: string): Sender {
  const address = addressOf(request)
  return {
    username: username === undefined ? null : printable(username),
    address: address && printable(address)
  }
}

/**
 * Writes one line of the audit log: who, from where, to which route, what happened. Never a password, a token, a
 * body or a URL (its query may hold a secret).
 *
 * @param facts the words of the event, by which a log can be searched
 * @param text the same for people
 */
export function audit(
  request: FastifyRequest,
  sender: Sender,
  facts: { event: string; outcome?: string; reason?: string; retryAfter?: number | undefined; err?: unknown },
  text: string,
  level: 'info' | 'warn' | 'error' = 'info'
): void {
  const { method, routeOptions } = request
  request.log[level]({ ...facts, ...sender, method, route: routeOptions.url ?? null }, `screen-auth: ${text}`)
}

/** The beginning of a text, with control characters escaped. */
export function printable(text: string): string {
  return text.slice(0, LONGEST).replace(UNPRINTABLE, found => `\\u{${Number(found.codePointAt(0)).toString(16)}}`)
}
