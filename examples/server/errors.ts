import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/**
 * An invalid setting, or a database that fails. The message is one line that names the setting and the fix. While the
 * server runs, the database is most often only busy, so clients may retry after some seconds.
 */
export class SetupError extends Error {
  override name = 'SetupError'
  /** A login with this status does not count as a failure. */
  readonly statusCode = 503
  readonly headers = { 'retry-after': 5 }
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

/**
 * Sends an error. Logs server errors, because Fastify does not log them if request logging is off. Does not send the
 * message of a server error: it may name a file or a host, and clients ignore it.
 */
export function sendError(
  error: FastifyError & { headers?: Record<string, string | number> },
  request: FastifyRequest,
  reply: FastifyReply
): FastifyReply {
  const { statusCode = 500, headers = {} } = error
  if (statusCode < 500) return reply.send(error)
  request.log.error(error)
  return reply.code(statusCode).headers(headers).send()
}
