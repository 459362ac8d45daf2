import type { FastifyInstance, FastifySchema, PrintRoutesOptions } from 'fastify'
import { rootOf } from './scope.ts'

export interface Route {
  method: string
  url: string
  scope: FastifyInstance
  isPublic: boolean
  /** The config of the route. This package reads `screenAuth`. */
  config: object
  schema: FastifySchema | undefined
}

/** A route as the router passes it to `buildPrettyMeta`. */
interface StoredRoute {
  method: string
  store: {
    server: FastifyInstance
    config: { url: string; screenAuth?: boolean }
    schema: FastifySchema | undefined
  }
}

/** Cached by root: printing the routes is slow, and no route is added after the start. */
const cache = new WeakMap<FastifyInstance, Route[]>()

/** Returns the routes of the whole server. Call it after all routes are added. */
export function routesOf(app: FastifyInstance): Route[] {
  const root = rootOf(app)
  const routes = cache.get(root) ?? collectRoutes(app)
  cache.set(root, routes)
  return routes
}

/**
 * Collects the routes while the router prints them. An onRoute hook would miss routes that were added before this
 * plugin loaded: most routes, if the host registers it without `await`. The router calls `buildPrettyMeta` for each
 * route. The empty setter prevents the router from replacing the function.
 */
function collectRoutes(app: FastifyInstance): Route[] {
  const routes: Route[] = []
  const options = {
    includeMeta: true,
    get buildPrettyMeta() {
      return ({ method, store: { server, config, schema } }: StoredRoute) => {
        routes.push({ method, url: config.url, scope: server, isPublic: config.screenAuth === false, config, schema })
        return {}
      }
    },
    set buildPrettyMeta(_defaultOfRouter) {}
  }
  app.printRoutes(options as PrintRoutesOptions)
  return routes
}
