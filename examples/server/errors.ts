import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** An invalid setting. The message is one line that names the setting and the fix. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/**
 * Runs a program. Only the owner can read files that the program creates. An invalid setting ends the program with exit
 * code 1 and one line instead of a stack trace.
 */
export async function run(program: () => Promise<void>): Promise<void> {
  process.umask(0o077)
  try {
    await program()
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (!(error instanceof SetupError) && code !== 'FST_SCREEN_AUTH_INVALID_ENVIRONMENT') throw error
    console.error(message)
    process.exit(1)
  }
}

/** Response to a database error. Most often the database is only busy, so clients may retry after some seconds. */
const UNAVAILABLE = { statusCode: 503, headers: { 'retry-after': 5 } }

/**
 * Sends an error. Logs server errors, because Fastify does not log them if request logging is off. Does not send the
 * message of a server error: it may name a file or a host, and clients ignore it.
 */
export function sendError(
  error: FastifyError & { headers?: Record<string, string | number> },
  request: FastifyRequest,
  reply: FastifyReply
): FastifyReply {
  const { statusCode = 500, headers = {} } = error instanceof SetupError ? UNAVAILABLE : error
  if (statusCode < 500) return reply.send(error)
  request.log.error(error)
  return reply.code(statusCode).headers(headers).send()
}
