import { isUtf8 } from 'node:buffer'
import type { FastifyBodyParser, FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type AuthRequest, isAuthRequest } from '../../schemas/generated/compiled.ts'
import { LoginTimedOutError } from '../base/errors.ts'
import { isText } from '../base/texts.ts'

/** The body is not a login. The message is logged, so it quotes nothing that was sent. */
export class MalformedLoginError extends Error {
  statusCode: number

  constructor(message: string, statusCode = 400) {
    super(message)
    this.statusCode = statusCode
  }
}

/** Maximum body size of a login request, in bytes. */
export const BODY_LIMIT = 16_384

/**
 * Matches JSON with at most 150 tokens (about 45 fields). A token is a string, or `[`, `{` or `,` outside of
 * strings. Parsing takes many times as long with thousands of keys, nested arrays or numbers.
 */
const SIMPLE = /^(?:[^"[{,]*(?:"[^"\\]*(?:\\.[^"\\]*)*"|[[{,])){0,150}[^"[{,]*$/s

/**
 * Creates a parser for JSON in strict UTF-8 (RFC 8259 8.1). A lenient decoder replaces all invalid bytes with the same
 * character, so that different passwords would become equal.
 */
export function strictJsonParser(app: FastifyInstance): FastifyBodyParser<Buffer> {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  return (request, body, done) => {
    if (!isUtf8(body)) return done(new MalformedLoginError('the body is not UTF-8'))
    const text = body.toString()
    if (text.startsWith('\uFEFF')) return done(new MalformedLoginError('the body starts with a byte order mark'))
    if (!SIMPLE.test(text)) return done(new MalformedLoginError('the body has too many values'))
    parseJson(request, text, (error, value) =>
      done(error && new MalformedLoginError('the body is not JSON, or has a key `__proto__`'), value)
    )
  }
}

/** The timers of logins that have not reached their handler. */
const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>()

/**
 * Ends a login that does not reach its handler: with a 408 if its body does not arrive, or with a 503 if it waits in a
 * hook of the host, or if a platform has read its body before Fastify.
 */
export function limitArrival(seconds: number): onRequestHookHandler {
  return (request, reply, done) => {
    // The plugin's own `handlerTimeout` has done its work, and would cut off the handler. Fastify has no API to end it.
    const key = Object.getOwnPropertySymbols(request).find(it => it.description === 'fastify.request.timeoutTimer')
    if (request.routeOptions.handlerTimeout === seconds * 1000) clearTimeout(Reflect.get(request, key as symbol))
    const end = () => {
      // A response in a pipeline waits for its turn.
      if (reply.sent) return
      const isLate = request.raw.complete === false
      // HTTP/2 forbids this header.
      if (isLate && request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
      reply.send(isLate ? new MalformedLoginError('the body did not arrive in time', 408) : new LoginTimedOutError())
    }
    timers.set(request, setTimeout(end, seconds * 1000))
    // A hook of the host may respond.
    for (const event of ['finish', 'close']) reply.raw.once(event, () => clearTimeout(timers.get(request)))
    done()
  }
}

/** Stops the timer of {@link limitArrival}: the login has reached its handler. */
export function stopTimer(request: FastifyRequest): void {
  clearTimeout(timers.get(request))
}

/**
 * Returns the fields of an AuthRequest. Fastify's validator would coerce `["a"]` to `"a"` and null to `""`, and a host's
 * validator may need another kind of schema.
 *
 * @throws an error with status 400 if the body is not an AuthRequest
 */
export function fieldsOf(body: unknown): AuthRequest['fields'] {
  if (!isAuthRequest(body)) throw new MalformedLoginError('the body is not an AuthRequest')
  const texts = Object.entries(body.fields).flat()
  if (!texts.every(isText)) throw new MalformedLoginError('a field contains NUL or a lone surrogate')
  return body.fields
}
