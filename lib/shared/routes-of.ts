import type { FastifyInstance, FastifySchema, PrintRoutesOptions } from 'fastify'
import { rootOf } from './scope.ts'

export interface Route {
  method: string
  url: string
  scope: FastifyInstance
  isPublic: boolean
  /** The config of the route, of which this package reads `screenAuth`. */
  config: object
  schema: FastifySchema | undefined
}

/** What the router shows of a route. */
interface StoredRoute {
  method: string
  store: {
    server: FastifyInstance
    config: { url: string; screenAuth?: boolean }
    schema: FastifySchema | undefined
  }
}

/** By root: to print takes long, and no route is added after the start. */
const known = new WeakMap<FastifyInstance, Route[]>()

/** The routes of the whole server. Call it when all are there. */
export function routesOf(app: FastifyInstance): Route[] {
  const root = rootOf(app)
  const routes = known.get(root) ?? printedRoutes(app)
  known.set(root, routes)
  return routes
}

/**
 * An onRoute hook would miss every route that was added before this plugin loaded; without `await` those are most of
 * them. The router shows each route to `buildPrettyMeta` when it prints; the accessor keeps it from setting its own.
 */
function printedRoutes(app: FastifyInstance): Route[] {
  const routes: Route[] = []
  const options = {
    includeMeta: true,
    get buildPrettyMeta() {
      return ({ method, store: { server, config, schema } }: StoredRoute) => {
        routes.push({ method, url: config.url, scope: server, isPublic: config.screenAuth === false, config, schema })
        return {}
      }
    },
    set buildPrettyMeta(_theRoutersOwn) {}
  }
  app.printRoutes(options as PrintRoutesOptions)
  return routes
}
