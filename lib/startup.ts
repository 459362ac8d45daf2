import type { FastifyInstance } from 'fastify'
import type { Settings } from './options.ts'
import { isGuarded } from './register-once.ts'
import { InvalidOptionError, isWithin, type Route, routesOf, warnOnce } from './shared/index.ts'

/**
 * Checks the configs of all routes, and logs the public and the unguarded routes. Call it after all routes are added.
 *
 * @throws InvalidOptionError if a route misspells `screenAuth` in its config: the setting would have no effect
 */
export function checkAndLogRoutes(app: FastifyInstance, { enabled, isSecretRandom }: Settings): void {
  const routes = routesOf(app)
  for (const route of routes) checkConfig(route)

  const scope = app.prefix || '/'
  if (!enabled) {
    warn(app, `authentication is off, every route under ${scope} is open`)
    return
  }
  if (isSecretRandom) warn(app, 'the secret is random: a restart ends every session; set `secret` (SVC_AUTH_SECRET)')
  const open = namesOf(routes.filter(({ scope, isPublic }) => isPublic && isWithin(scope, app)))
  app.log.info(
    { publicRoutes: open },
    `screen-auth: every route under ${scope} needs a token except ${open.join(', ')}`
  )
  const prefix = app.prefix.replace(/\/$/, '')
  const isBelow = (url: string) => `${url}/`.startsWith(`${prefix}/`)
  const outside = namesOf(routes.filter(({ scope, url, isPublic }) => isBelow(url) && !isPublic && !isGuarded(scope)))
  if (outside.length > 0) {
    warn(
      app,
      `NOT guarded, because these routes are outside the scope of this plugin: ${outside.join(', ')}; ` +
        'register it on the root instance, or wrap the plugin that registers it with fastify-plugin',
      { unguardedRoutes: outside }
    )
  }
}

function checkConfig({ method, url, config }: Route): void {
  const wrong = Object.keys(config).find(name => /^screen[-_]?auth$/i.test(name) && name !== 'screenAuth')
  if (wrong === undefined) return
  throw new InvalidOptionError(`${method} ${url} has \`config.${wrong}\`; it must be spelt \`screenAuth\``)
}

function warn({ log }: FastifyInstance, text: string, facts: object = {}): void {
  // A logger has the same no-op function for all levels that it does not write.
  if (log.warn === log.trace) warnOnce(text)
  else log.warn(facts, `screen-auth: ${text}`)
}

function namesOf(routes: Route[]): string[] {
  return [...new Set(routes.map(({ method, url }) => `${method} ${url}`))].sort()
}
