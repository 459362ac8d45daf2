// The documentation of the three routes and of the host's routes in @fastify/swagger.
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { AuthRequest, components } from '../../schemas/generated/compiled.ts'
import { mapSchema, mapValues, type Schema } from '../../schemas/map-schema.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'
import { type Operation, operationId, type Response, securitySchemes } from '../../schemas/operations.ts'
import { isPublic } from '../guard.ts'

interface OpenApi {
  openapi: string
  components: { schemas: Record<string, Schema>; securitySchemes?: Record<string, object> }
}

const REFERENCE = '#/components/schemas/'

type Transform = { schema: FastifySchema; url: string; route: RouteOptions } & (
  | { openapiObject: OpenApi }
  | { swaggerObject: { securityDefinitions?: object } }
)

/** Swagger 2.0 has no bearer scheme. */
const securityDefinitions = { screenAuth: { type: 'apiKey', name: 'Authorization', in: 'header' } }

/**
 * Returns the config of a route of the contract. In a document of @fastify/swagger the route appears as in this
 * package's openapi.json, with its types as named components. Adds the types to the document: in Fastify's shared
 * schemas, their names could clash with the host's.
 */
export function documented(operation: Operation): object {
  return {
    swaggerTransform({ schema, url, route, ...made }: Transform) {
      if ('swaggerObject' in made) {
        const { swaggerObject } = made
        swaggerObject.securityDefinitions = { ...securityDefinitions, ...swaggerObject.securityDefinitions }
        // The route itself has none: its handler validates.
        return { schema: { ...schema, ...(operation.body && { body: AuthRequest }) }, url }
      }

      const names = addComponents(made.openapiObject)
      const { body, responses, ...rest } = operation
      const response = mapValues(responses, response => toFastify(response, names))
      const ownBody = body && { body: withNames(body, names) }
      return { url, schema: { ...rest, ...ownBody, operationId: operationId(String(route.method), url), response } }
    }
  }
}

/** Converts a response to the form of Fastify's schemas: flat headers, and type null if there is no body. */
function toFastify({ description, headers, content }: Response, names: Record<string, string>): object {
  return {
    description,
    ...(headers && { headers: mapValues(headers, ({ description, schema }) => ({ description, ...schema })) }),
    ...(content === undefined
      ? { type: 'null' }
      : { content: mapValues(content, type => ({ ...type, schema: withNames(type.schema, names) })) })
  }
}

/**
 * Adds the types of the contract and the security scheme of the guard to a document. If a component of the host has the
 * name of a type, the type gets the prefix `ScreenAuth`.
 *
 * @returns the names of the types in the document, by type
 */
function addComponents(document: OpenApi): Record<string, string> {
  const { schemas, ...others } = document.components
  const names = mapValues<Schema, string>(components, ({ description }, name) => {
    const existing = schemas[name]
    return existing === undefined || existing.description === description ? name : `ScreenAuth${name}`
  })
  // @fastify/swagger converts the schemas of routes to OpenAPI 3.0, but not components added to the document.
  const convert = document.openapi.startsWith('3.0') ? toOpenapi30 : (schema: Schema) => schema
  const types = Object.entries(components).map(([type, schema]) => [names[type], withNames(convert(schema), names)])
  document.components = {
    ...others,
    schemas: { ...Object.fromEntries(types), ...schemas },
    securitySchemes: { ...securitySchemes, ...others.securitySchemes }
  }
  return names
}

/** Returns a copy whose references to types of the contract use their names in the document. */
function withNames<T extends object>(schema: T, names: Record<string, string>): T {
  return mapSchema(schema, part =>
    part.$ref ? { ...part, $ref: REFERENCE + names[part.$ref.slice(REFERENCE.length)] } : part
  )
}

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
    const get = () => (isPublic(route.config) ? [] : [{ screenAuth: [] }])
    if (!('security' in schema)) Object.defineProperty(schema, 'security', { get, enumerable: true })
    route.schema = schema
  })
}
