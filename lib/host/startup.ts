import cluster from 'node:cluster'
import threads from 'node:worker_threads'
import type { FastifyContextConfig, FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import { InvalidOptionError } from '../base/errors.ts'
import { withTimeout } from '../base/promises.ts'
import { isInScope, oncePerRoot, outwards, rootOf } from '../base/scopes.ts'
import { logOnce } from '../base/warnings.ts'
import { isPublic } from '../guard.ts'
import type { Counts } from '../limits/counts.ts'
import type { Settings } from '../options.ts'
import { mayProbe } from '../stores/redis-store.ts'
import type { Store } from '../stores/store.ts'
import { issuersOf, type TokenService } from '../tokens/token-service.ts'

/** Plugins that must come before this one, and what happens otherwise. */
const FIRST: Record<string, string> = {
  '@fastify/cors': 'requests from other origins fail, because preflights get a 401',
  '@fastify/helmet': 'a 401 has no security headers',
  '@fastify/rate-limit': 'it does not count requests that get a 401',
  '@fastify/swagger': 'its document lacks the login'
}

/** Returns which of these plugins the app has so far, and `use` if it has middleware. */
export const pluginsOf = (app: FastifyInstance) =>
  [...Object.keys(FIRST), 'use'].filter(name => outwards(app).some(it => it.hasPlugin(name) || it.hasDecorator(name)))

/**
 * Checks the configs of all routes, and logs the public and the unguarded routes. Call it after all routes are added.
 *
 * @param before the result of {@link pluginsOf} when this plugin was registered
 */
export function reportStart(app: FastifyInstance, settings: Settings, tokens: TokenService, before: string[]) {
  const { enabled, prefix, throttle } = settings
  const routes = sharedRoutes(app, 'routes', unguardedRoutesOf)
  const scopePath = app.prefix || '/'
  if (prefix && app.prefix.endsWith(prefix))
    warn(app, `option \`prefix\` adds ${prefix} to the prefix ${app.prefix} of the scope; leave it out`)
  if (!enabled) return void warn(app, `authentication is off, every route under ${scopePath} is open`)
  if (settings.secret === undefined && settings.tokens === undefined)
    warn(app, 'the secret is random: a restart ends every session; set `secret` (SVC_AUTH_SECRET)')
  if (throttle === null) warn(app, 'failed logins are not limited, which allows all guesses; remove `throttle: false`')
  for (const name of pluginsOf(app).filter(name => name in FIRST && !before.includes(name)))
    warn(app, `${name} came after this plugin: ${FIRST[name]}; register ${name} before`)
  warnAboutStores(app, tokens, settings, scopePath)
  const publicRoutes = routes?.filter(({ config, server }) => isPublic(config) && outwards(server).includes(app))
  const names = publicRoutes
    ? listOf(publicRoutes)
    : 'the public ones, which Fastify cannot list because of a constraint'
  const unguarded = before.includes('use') ? ', and all middleware of `app.use`, because its plugin came first' : ''
  app.log.info(`screen-auth: every route under ${scopePath} needs a token except ${names}${unguarded}`)

  // @fastify/cors adds a route for OPTIONS, which has no data.
  const outside = routes?.filter(({ method, config }) => !isPublic(config) && method !== 'OPTIONS') ?? []
  const text = `NOT guarded, because these routes are outside the scope of this plugin: ${listOf(outside)}`
  const fix = 'mark what may be open with `config: { screenAuth: false }`, or register on the root, with fastify-plugin'
  if (outside.length > 0) warn(app, `${text}; ${fix}`)
}

/** The first scope with a certain secret, token store or token service. */
const firstScopeWith = oncePerRoot<unknown, FastifyInstance>()

/** Of the first scope that counts failed logins in memory; undefined are those that scopes share by default. */
const firstCounts = oncePerRoot<'memory', Counts | undefined>()

/** Warns if another scope accepts the same tokens, if failed logins are not shared, and if Redis is down. */
function warnAboutStores(app: FastifyInstance, tokens: TokenService, { throttle }: Settings, scopePath: string): void {
  const issuers = issuersOf(tokens)
  const other = issuers.map(key => firstScopeWith(app, key, () => app)).find(first => first !== app)
  const text = `and ${scopePath} accept each other's tokens; for different users, set different secrets or stores`
  if (other) warn(app, `${other.prefix || '/'} ${text}`)
  const store = issuers.find(key => 'giveBack' in Object(key)) as Store | undefined
  if (throttle && !throttle.store && (store || cluster.isWorker || !threads.isMainThread))
    warn(app, 'each process counts failed logins for itself, and allows all guesses; set `throttle.store`')
  if (throttle && !throttle.store && firstCounts(app, 'memory', () => throttle.counts) !== throttle.counts)
    warn(app, 'scopes count failed logins apart, and each allows all guesses; pass the same `loginLimits()` to all')
  if (store === undefined || other || !mayProbe.get(store)?.()) return
  // A write, because a Redis that is full or read-only still serves reads.
  const reply = Promise.resolve(store.set('screen_auth_probe', true, 1))
  withTimeout(reply, 2000, () => new Error('no reply within 2 s')).catch(err => {
    app.log.warn({ err }, 'screen-auth: the store of the tokens failed; logins or all requests with a token get a 503')
  })
}

/** Checks the config of a route, also as an onRoute hook. */
export function checkConfig({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
  for (const [name, value] of Object.entries(Object(config))) {
    const isValid = name === 'screenAuth' && ['boolean', 'undefined'].includes(typeof value)
    if (isValid || !/^screen[-_]?auth$/i.test(name)) continue
    throw new InvalidOptionError(`${method} ${url} has \`config.${name}\`; it must be \`screenAuth\`, true or false`)
  }
}

/** Warns once for all scopes of a server. */
const warn = (app: FastifyInstance, text: string) => logOnce(rootOf(app), app, text)

/** Lists routes in about 4,000 characters at most, because Docker splits lines of 16 KB. */
function listOf(routes: Route[]): string {
  const all = new Set(routes.map(({ method, config }) => `${method} ${config.url}`))
  const names = [...all].filter(name => !name.startsWith('HEAD ') || !all.has(name.replace('HEAD', 'GET'))).sort()
  const folderOf = (name: string) => name.slice(0, name.lastIndexOf('/') + 1)
  const sizes: Record<string, number> = {}
  for (const name of names) sizes[folderOf(name)] = (sizes[folderOf(name)] ?? 0) + 1
  const textOf = (name: string, size = 0) => (size > 10 ? `${folderOf(name)}… (${size} routes)` : name)
  const text = [...new Set(names.map(name => textOf(name, sizes[folderOf(name)])))].join(', ')
  return text.length > 4000 ? `${text.slice(0, 4000)}… (${names.length} routes in all)` : text
}

type RouteData = { server: FastifyInstance; config: FastifyContextConfig & { url: string } }
type Route = RouteData & { method: HTTPMethods }

/** One list for all scopes of a server: printing one for each of them would take long. */
const sharedRoutes = oncePerRoot<'routes', Route[] | null>()

/**
 * Checks the configs of all routes, and returns the routes that are public or outside all scopes of the plugin; null if
 * the router cannot print them: it throws an error for some values of a host's own constraint strategies. An onRoute
 * hook would miss routes that were added before this plugin loaded.
 */
function unguardedRoutesOf(root: FastifyInstance): Route[] | null {
  const routes: Route[] = []
  /** The router calls it for each route that it prints. The empty setter prevents that the router replaces it. */
  function collect({ method, store: { server, config } }: { method: HTTPMethods; store: RouteData }): object {
    routes.push({ method, server, config })
    return {}
  }
  try {
    root.printRoutes(Object.defineProperty({ includeMeta: true }, 'buildPrettyMeta', { get: () => collect, set() {} }))
  } catch {
    return null
  }
  for (const { method, config } of routes) checkConfig({ method, url: config.url, config })
  return routes.filter(({ config, server }) => isPublic(config) || !isInScope(server))
}
