import { isUtf8 } from 'node:buffer'
import type { FastifyBodyParser, FastifyInstance } from 'fastify'
import { type AuthRequest, isAuthRequest } from '../../schemas/generated/compiled.ts'

/** Bytes that a login may have: a username, a password and some more fields. */
export const BODY_LIMIT = 16_384

/**
 * A text that can be parsed as JSON in about the time of one long string: thousands of keys, nested arrays or numbers take
 * many times as long. At most 150 strings, brackets and commas outside of strings: some 45 fields.
 */
const SIMPLE = /^(?:[^"[{,]*(?:"[^"\\]*(?:\\.[^"\\]*)*"|[[{,])){0,150}[^"[{,]*$/s

/**
 * Parses the body as JSON of strict UTF-8 (RFC 8259 8.1). A lenient decoder turns every invalid byte into the same
 * character, and then two different passwords are equal.
 */
export function strictJsonParser(app: FastifyInstance): FastifyBodyParser<Buffer> {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  return (request, body, done) => {
    if (!isUtf8(body)) return done(malformed('the body is not UTF-8'))
    const text = body.toString()
    if (text.startsWith('\uFEFF')) return done(malformed('the body starts with a byte order mark'))
    if (!SIMPLE.test(text)) return done(malformed('the body has too many values'))
    parseJson(request, text, done)
  }
}

/**
 * Validates an AuthRequest without Fastify's own validator, which coerces `["a"]` to `"a"` and null to `""`, and
 * without the host's, which may know another kind of schema.
 */
export function validateAuthRequest(body: unknown): { value: AuthRequest } | { error: Error } {
  if (!isAuthRequest(body)) return { error: malformed('the body is not an AuthRequest') }
  const { fields } = body
  const holdsText = Object.keys(fields).every(id => isText(id) && isText(fields[id] as string))
  return holdsText ? { value: body } : { error: malformed('a field holds NUL or half a character') }
}

/** NUL ends a string in some password hashes, and all lone surrogates encode to the same UTF-8. */
export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function malformed(reason: string): Error {
  return Object.assign(new Error(reason), { statusCode: 400 })
}
