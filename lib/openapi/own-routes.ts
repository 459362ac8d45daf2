import type { FastifySchema, RouteOptions } from 'fastify'
import { type Operation, operationId, type Response } from '../../schemas/operations.ts'
import { addComponents, type OpenApi, withNames } from './components.ts'

/** What @fastify/swagger passes to the `swaggerTransform` of a route, as far as it is used here. */
type Transform = { schema: FastifySchema; url: string; route: RouteOptions } & (
  | { openapiObject: OpenApi }
  | { swaggerObject: { securityDefinitions?: object } }
)

/** In Swagger 2.0, which knows no bearer tokens. */
const securityDefinitions = { screenAuth: { type: 'apiKey', name: 'Authorization', in: 'header' } }

/**
 * Config for a route of the contract: where the host has registered @fastify/swagger, the route appears as in our own
 * openapi.json, with its types as named components. They are added to the document and not to Fastify's shared
 * schemas, where they could clash with the host's.
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

/** A response as Fastify's schemas describe one: flat headers, and type null when there is no body. */
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
