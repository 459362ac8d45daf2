import type { FastifyInstance } from 'fastify'
import type { Settings } from './options.ts'
import { isGuarded } from './register-once.ts'
import { isWithin, type Route, routesOf } from './shared/index.ts'

/** Logs at start-up what is guarded and what is not. Call it when all routes are there. */
export function logStartup(app: FastifyInstance, { enabled, isSecretRandom }: Settings): void {
  const scope = app.prefix || '/'
  if (!enabled) {
    app.log.warn(`screen-auth: authentication is off, every route under ${scope} is open`)
    return
  }
  if (isSecretRandom) {
    app.log.warn('screen-auth: the secret is random: a restart ends every session; set `secret` (SVC_AUTH_SECRET)')
  }
  const routes = routesOf(app)
  const open = namesOf(routes.filter(({ scope, isPublic }) => isPublic && isWithin(scope, app)))
  app.log.info(
    { publicRoutes: open },
    `screen-auth: every route under ${scope} needs a token except ${open.join(', ')}`
  )
  const prefix = app.prefix.replace(/\/$/, '')
  const isBelow = (url: string) => `${url}/`.startsWith(`${prefix}/`)
  const outside = namesOf(routes.filter(({ scope, url, isPublic }) => isBelow(url) && !isPublic && !isGuarded(scope)))
  if (outside.length > 0) {
    app.log.warn(
      { unguardedRoutes: outside },
      `screen-auth: NOT guarded, because they are outside of the scope it is registered in: ${outside.join(', ')}; ` +
        'register it on the root instance, or wrap the plugin that registers it with fastify-plugin'
    )
  }
}

/** As `GET /auth/login`. */
function namesOf(routes: Route[]): string[] {
  return [...new Set(routes.map(({ method, url }) => `${method} ${url}`))].sort()
}
