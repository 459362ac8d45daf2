// The documentation of the three routes and of the host's routes in @fastify/swagger.
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { type Operation, operationId, type Response } from '../../schemas/operations.ts'
import { isPublic } from '../shared/index.ts'
import { addComponents, type OpenApi, withNames } from './components.ts'

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
        return { schema, url }
      }

      const { requestBody, responses, ...rest } = operation
      const documentation = {
        ...rest,
        operationId: operationId(String(route.method), url),
        body: requestBody,
        response: mapValues(responses, toFastify)
      }
      return { url, schema: withNames(documentation, addComponents(made.openapiObject)) }
    }
  }
}

/** Converts a response to the form of Fastify's schemas: flat headers, and type null if there is no body. */
function toFastify({ description, headers = {}, content }: Response): object {
  const flat = mapValues(headers, header => ({ description: header.description, ...header.schema }))
  return {
    description,
    ...(Object.keys(headers).length > 0 && { headers: flat }),
    ...(content === undefined ? { type: 'null' } : { content })
  }
}

function mapValues<T>(record: Record<string, T>, change: (value: T) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
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
