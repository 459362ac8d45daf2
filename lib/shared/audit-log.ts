import type { FastifyRequest } from 'fastify'
import { addressOf } from './client-address.ts'

/** Maximum length of a username or address in the log, in characters: a client can send any length. */
const MAX_LENGTH = 128

/** Control characters, direction marks and line separators, which change the output of a terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Values that are safe to store and show. */
interface Sender {
  username: string | null
  address: string | undefined
}

/** @param username the entered username, if any */
export function senderOf(request: FastifyRequest, username?: string): Sender {
  const address = addressOf(request)
  return {
    username: username === undefined ? null : printable(username),
    address: address && printable(address)
  }
}

/**
 * Writes sender, route and event to the audit log. Never logs a password, a token, a body or a URL, whose query may
 * contain a secret.
 *
 * @param facts the event as searchable properties
 * @param text the event as text for people
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

/** Truncates a text to 128 characters, and escapes unprintable ones. */
export function printable(text: string): string {
  return text.slice(0, MAX_LENGTH).replace(UNPRINTABLE, found => `\\u{${Number(found.codePointAt(0)).toString(16)}}`)
}
