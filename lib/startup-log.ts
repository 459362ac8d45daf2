import type { FastifyInstance, PrintRoutesOptions } from 'fastify'
import type { Settings } from './options.ts'
import { isInside } from './register-once.ts'

/** Logs at start-up what is guarded and what is not. Call it when all routes are there. */
export function logStartup(app: FastifyInstance, { enabled, isSecretRandom }: Settings): void {
  const scope = app.prefix || '/'
  if (!enabled) {
    app.log.warn(`screen-auth: authentication is off, every route under ${scope} is open`)
    return
  }
  if (isSecretRandom) {
    app.log.warn(
      'screen-auth: the secret is random: a restart ends every session; set `secret` (SVC_AUTH_SECRET)'
    )
  }
  const open = publicRoutes(app)
  app.log.info(
    { publicRoutes: open },
    `screen-auth: every route under ${scope} needs a token except ${open.join(', ')}`
  )
}

interface Route {
  method: string
  store: { server: FastifyInstance; config: { url: string; screenAuth?: boolean } }
}

/**
 * The routes of this scope that need no token, as `GET /auth/login`.
 *
 * An onRoute hook would miss every route that was added before this plugin loaded; without `await` those are most of
 * them. The router shows each route to `buildPrettyMeta` when it prints; the accessor keeps it from setting its own.
 */
function publicRoutes(app: FastifyInstance): string[] {
  const found = new Set<string>()
  const options = {
    includeMeta: true,
    get buildPrettyMeta() {
      return ({ method, store: { server, config } }: Route) => {
        const isOurs = server === app || isInside(server, app)
        if (isOurs && config.screenAuth === false) found.add(`${method} ${config.url}`)
        return {}
      }
    },
    set buildPrettyMeta(_theRoutersOwn) {}
  }
  app.printRoutes(options as PrintRoutesOptions)
  return [...found].sort()
}
