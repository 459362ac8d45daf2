import type { FastifyInstance } from 'fastify'
import type { ServerConfig } from './config.ts'
import { SetupError } from './errors.ts'

const ANOTHER_HOST = 'set HOST to 127.0.0.1 or 0.0.0.0'

/** @throws SetupError when the server cannot listen on the address */
export async function listen(app: FastifyInstance, { host, port }: ServerConfig): Promise<void> {
  const faults: Record<string, string> = {
    EADDRINUSE: `PORT ${port} is in use on ${host}; set PORT to a free one`,
    EACCES: `PORT ${port} needs privileges; set PORT to 1024 or more`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine; ${ANOTHER_HOST}`,
    ENOTFOUND: `HOST ${host} cannot be resolved; ${ANOTHER_HOST}`,
    EAI_AGAIN: `HOST ${host} cannot be resolved; ${ANOTHER_HOST}`
  }
  // Loads the plugins first, so that the error of a plugin is not reported as an error of the address.
  await app.ready()
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new SetupError(faults[code] ?? `HOST ${host}: cannot listen on this address (${code}); ${ANOTHER_HOST}`)
  }
}
