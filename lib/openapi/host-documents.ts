import type { FastifyInstance } from 'fastify'
import { isWithin, routesOf } from '../shared/index.ts'
import type { OpenApi } from './document.ts'
import { addSecurity } from './host-routes.ts'
import { referToScreens } from './host-screens.ts'
import { toYaml } from './yaml.ts'

/** What @fastify/swagger decorates an instance with. */
type MakeDocument = (options?: { yaml?: boolean }) => unknown

/** An instance that is decorated with it. */
interface Documented {
  swagger: MakeDocument
}

/**
 * Where the host uses @fastify/swagger, its document says which of the host's routes need a token, and refers to
 * ScreenContract instead of repeating it.
 *
 * The finished document is completed, because there is no place for it before: a `swaggerTransform` would be called
 * instead of the host's `transform`, and a response in a route's schema would change what the route sends.
 */
export function completeDocuments(app: FastifyInstance, { enabled }: { enabled: boolean }): void {
  // Not earlier: the host may register @fastify/swagger after this plugin.
  app.addHook('onReady', async () => {
    for (const instance of documentedInstances(app)) {
      instance.swagger = completing(instance.swagger, enabled ? app : null)
    }
  })
}

/** The instances whose documents show routes of a scope: in it, and around it. */
function documentedInstances(app: FastifyInstance): Set<Documented> {
  const scopes = new Set(routesOf(app).map(({ scope }) => scope))
  const instances = [...scopes].filter(scope => isWithin(scope, app)).map(documentedInstance)
  return new Set(instances.filter(instance => instance !== null))
}

/** The instance whose document shows the routes of a scope: itself, or the next one around it. */
function documentedInstance(scope: FastifyInstance): Documented | null {
  // Not with the option `decorator`: the function of another name could be anything of the host.
  if (!('swagger' in scope)) return null
  if (!Object.hasOwn(scope, 'swagger')) return documentedInstance(Object.getPrototypeOf(scope))
  return scope.hasPlugin('@fastify/swagger') ? (scope as object as Documented) : null
}

/** As `make`, with a document that is completed when it is asked for first. */
function completing(make: MakeDocument, guarded: FastifyInstance | null): MakeDocument {
  let document: Partial<OpenApi> | undefined
  let yaml: string | undefined
  return options => {
    document ??= completed(make(), guarded)
    if (!options?.yaml) return document
    yaml ??= isOpenApi(document) ? toYaml(document) : String(make(options))
    return yaml
  }
}

/** A copy of a document: @fastify/swagger keeps its own, and parts of it are the host's. */
function completed(made: unknown, guarded: FastifyInstance | null): Partial<OpenApi> {
  const document: Partial<OpenApi> = JSON.parse(JSON.stringify(made))
  if (!isOpenApi(document)) return document
  if (guarded !== null) addSecurity(document, routesOf(guarded), guarded)
  return referToScreens(document)
}

/** Swagger 2.0 has neither bearer tokens nor components. */
function isOpenApi(document: Partial<OpenApi>): document is OpenApi {
  return document.openapi !== undefined
}
