import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import envPaths from 'env-paths'

/**
 * Returns a folder that survives runs, for downloads and builds that take minutes. It is not in node_modules, which
 * `npm ci` removes.
 */
export function cacheFor(name: string): string {
  const folder = join(envPaths('fastify-screen-auth-tests', { suffix: '' }).cache, name)
  mkdirSync(folder, { recursive: true })
  return folder
}
