import { createRequire } from 'node:module'

/** Version of this package. It is imported by name, because the build puts this file into another folder. */
export const { version } = createRequire(import.meta.url)('fastify-screen-auth/package.json') as {
  version: string
}
