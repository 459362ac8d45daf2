import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/** A wrong setting. The message is one line that names the setting and the fix. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/**
 * Runs a program. Only the owner may read the files that it makes. A wrong setting ends it with exit code 1 and one line
 * instead of a stack trace.
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

/** The host of a URL, for a message; null when it may be a part of a password that was not escaped. */
export function hostOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { host, pathname, search, hash } = new URL(url)
  return host === '' || `${pathname}${search}${hash}`.includes('@') ? null : host
}

/** A database that cannot be used is most often only busy: clients may try again after some seconds. */
const UNAVAILABLE = { statusCode: 503, headers: { 'retry-after': 5 } }

/**
 * Sends an error. A fault of the server is logged, which Fastify does not do where requests are not, and its message is
 * not sent: it may name a file or a host, and clients throw it away.
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
