import type { FastifyInstance } from 'fastify'

/**
 * Sets `security` in the schema of each later route, unless the host has set it. `security` states whether the route
 * needs a token, and @fastify/swagger copies it to the host's document.
 */
export function documentSecurity(app: FastifyInstance): void {
  // If @fastify/swagger is registered later, its document lacks our routes and their security scheme. A reference to a
  // missing scheme fails.
  if (!app.hasPlugin('@fastify/swagger')) return
  app.addHook('onRoute', route => {
    // A copy, because several routes may share a schema.
    const schema = { ...route.schema }
    // A getter, because a later hook may make the route public.
    const get = () => (route.config?.screenAuth === false ? [] : [{ screenAuth: [] }])
    if (!('security' in schema)) Object.defineProperty(schema, 'security', { get, enumerable: true })
    route.schema = schema
  })
}
