import type { FastifyInstance } from 'fastify'

/**
 * Writes into the schema of each route that comes later whether it needs a token, unless the host has said so itself.
 * @fastify/swagger takes it from there into the host's document.
 */
export function documentSecurity(app: FastifyInstance): void {
  // A document without our routes has no security scheme, and @fastify/swagger fails where one is missing.
  if (!app.hasPlugin('@fastify/swagger')) return
  app.addHook('onRoute', route => {
    // A copy, because the host may share a schema among routes.
    const schema = { ...route.schema }
    // Read late: another hook may still make the route public.
    const get = () => (route.config?.screenAuth === false ? [] : [{ screenAuth: [] }])
    if (!('security' in schema)) Object.defineProperty(schema, 'security', { get, enumerable: true })
    route.schema = schema
  })
}
