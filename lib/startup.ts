import cluster from 'node:cluster'
import type { FastifyInstance, PrintRoutesOptions } from 'fastify'
import { InvalidOptionError } from './errors.ts'
import { isPublic } from './guard.ts'
import { warnOnce } from './option-rules.ts'
import type { Settings } from './options.ts'
import { isGuarded, oncePerRoot, outwards } from './scopes.ts'
import { mayProbe } from './stores/redis-store.ts'
import { type Store, withTimeout } from './stores/store.ts'
import { basisOf } from './tokens/token-service.ts'

/**
 * Checks the configs of all routes, and logs the public and the unguarded routes. Call it after all routes are added.
 *
 * @throws InvalidOptionError if a route misspells `screenAuth` in its config: the setting would have no effect
 */
export function checkAndLogRoutes(app: FastifyInstance, settings: Settings, hasMiddleware: boolean): void {
  const { enabled, isSecretRandom, prefix } = settings
  const routes = sharedRoutes(app, 'open', openRoutesOf)
  const scope = app.prefix || '/'
  const isRepeated = prefix !== '' && app.prefix.endsWith(prefix)
  if (isRepeated) warn(app, `option \`prefix\` adds ${prefix} to the prefix ${app.prefix} of the scope; leave it out`)
  if (!enabled) {
    warn(app, `authentication is off, every route under ${scope} is open`)
    return
  }
  if (isSecretRandom) warn(app, 'the secret is random: a restart ends every session; set `secret` (SVC_AUTH_SECRET)')
  warnAboutStores(app, settings, scope)
  const open =
    routes && namesOf(routes.filter(({ store }) => isPublic(store.config) && outwards(store.server).includes(app)))
  const names = open?.join(', ') ?? 'the public ones, which Fastify cannot list because of a constraint'
  const unguarded = hasMiddleware ? ', and all middleware of `app.use`, because its plugin came first' : ''
  const rule = `screen-auth: every route under ${scope} needs a token except ${names}${unguarded}`
  app.log.info({ publicRoutes: open }, rule)
  if (routes === null) return

  const path = app.prefix.replace(/\/$/, '')
  const isBelow = (url: string) => `${url}/`.startsWith(`${path}/`)
  const outside = namesOf(routes.filter(({ store: { config } }) => !isPublic(config) && isBelow(config.url)))
  const fix = 'register it on the root instance, or wrap the plugin that registers it with fastify-plugin'
  const text = `NOT guarded, because these routes are outside the scope of this plugin: ${outside.join(', ')}; ${fix}`
  if (outside.length > 0) warn(app, text, { unguardedRoutes: outside })
}

/** The first scope with a certain secret, session store or token service. */
const firstScopeWith = oncePerRoot<unknown, FastifyInstance>()

/** Warns if another scope accepts the same tokens, if failed logins are not shared, and if Redis is down. */
function warnAboutStores(app: FastifyInstance, { tokens, throttle }: Settings, scope: string): void {
  const basis = basisOf(tokens)
  const other = basis.map(key => firstScopeWith(app, key, () => app)).find(first => first !== app)
  const text = `and ${scope} accept each other's tokens; for different users, set different secrets or stores`
  if (other) warn(app, `${other.prefix || '/'} ${text}`)

  const store = basis.find(key => 'giveBack' in Object(key)) as Store | undefined
  if (throttle && !throttle.store && (store || cluster.isWorker))
    warn(app, 'each process counts failed logins for itself, and allows all guesses; set `throttle.store`')
  if (store === undefined || other || !mayProbe.get(store)?.()) return
  // A write, because a Redis that is full or read-only still serves reads.
  const reply = Promise.resolve(store.set('screen_auth_probe', true, 1))
  withTimeout(reply, 2000, () => new Error('no reply within 2 s')).catch(err => {
    app.log.warn({ err }, 'screen-auth: the store of the tokens failed; logins or all requests with a token get a 503')
  })
}

/** Checks the config of a route, also as an onRoute hook. */
export function checkConfig({ method, url, config }: { method: string | string[]; url: string; config?: object }) {
  const wrong = Object.keys(Object(config)).find(name => /^screen[-_]?auth$/i.test(name) && name !== 'screenAuth')
  if (wrong === undefined) return
  throw new InvalidOptionError(`${method} ${url} has \`config.${wrong}\`; it must be spelt \`screenAuth\``)
}

function warn({ log }: FastifyInstance, text: string, facts: object = {}): void {
  // A logger has the same no-op function for all levels that it does not write.
  if (log.warn === log.trace) warnOnce(text)
  else log.warn(facts, `screen-auth: ${text}`)
}

function namesOf(routes: Route[]): string[] {
  return [...new Set(routes.map(({ method, store }) => `${method} ${store.config.url}`))].sort()
}

/** A route as the router passes it to `buildPrettyMeta`. */
interface Route {
  method: string
  store: { server: FastifyInstance; config: { url: string; screenAuth?: boolean } }
}

/** One list for all scopes of a server: printing one for each of them would take long. */
const sharedRoutes = oncePerRoot<'open', Route[] | null>()

/** Checks the configs of all routes, and returns the routes that are public or outside all scopes of the plugin. */
function openRoutesOf(root: FastifyInstance): Route[] | null {
  const routes = routesOf(root)
  for (const { method, store } of routes ?? []) checkConfig({ method, url: store.config.url, config: store.config })
  return routes?.filter(({ store: { config, server } }) => isPublic(config) || !isGuarded(server)) ?? null
}

/**
 * Returns the routes of the whole server, or null if the router cannot print them: it throws an error for some values of
 * a host's own constraint strategies. Call it after all routes are added.
 *
 * Collects the routes while the router prints them. An onRoute hook would miss routes that were added before this
 * plugin loaded: most routes, if the host registers it without `await`. The router calls `buildPrettyMeta` for each
 * route. The empty setter prevents the router from replacing the function.
 */
function routesOf(app: FastifyInstance): Route[] | null {
  const routes: Route[] = []
  const options = {
    includeMeta: true,
    get buildPrettyMeta() {
      return (route: Route) => {
        routes.push({ ...route })
        return {}
      }
    },
    set buildPrettyMeta(_defaultOfRouter) {}
  }
  try {
    app.printRoutes(options as PrintRoutesOptions)
    return routes
  } catch {
    return null
  }
}
