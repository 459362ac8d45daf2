import type { FastifyRequest } from 'fastify'
import { addressOf } from './client-address.ts'

/** Longest username and address in the log, in characters: both can come from the client. */
const LONGEST = 128

/** What a terminal would obey, or show in another order: control characters, marks of direction, line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/**
 * Writes one line of the audit log: who, from where, to which route, what happened. Never a password, a token, a
 * body or a URL (its query may hold a secret).
 *
 * @param username the name that was tried; null when it is not known
 */
export function audit(request: FastifyRequest, event: string, username: string | null = null): void {
  const who = {
    username: printable(username) ?? null,
    address: printable(addressOf(request)),
    method: request.method,
    route: request.routeOptions.url ?? null
  }
  request.log.info(who, `screen-auth: ${event}`)
}

function printable(text: string | null | undefined): string | undefined {
  return text?.slice(0, LONGEST).replace(UNPRINTABLE, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}
