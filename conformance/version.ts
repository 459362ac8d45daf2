import { createRequire } from 'node:module'

/** Version of this package, found by its own name because the depth of this file differs once it is built. */
export const { version } = createRequire(import.meta.url)('fastify-screen-auth/package.json') as {
  version: string
}
