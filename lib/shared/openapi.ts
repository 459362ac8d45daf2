import type { FastifySchema, RouteOptions } from 'fastify'
import { components } from '../../schemas/generated/compiled.ts'
import { type Operation, operationId, type Response, securitySchemes } from '../../schemas/operations.ts'

/** What @fastify/swagger passes to the `swaggerTransform` of a route, as far as it is used here. */
interface Transform {
  schema: FastifySchema
  url: string
  route: RouteOptions
  /** Missing when the host makes a Swagger 2.0 document. */
  openapiObject?: OpenApi
}

interface OpenApi {
  openapi: string
  components: { schemas: Record<string, Component>; securitySchemes?: Record<string, object> }
}

interface Component {
  description?: string
}

const REFERENCE = '#/components/schemas/'

/**
 * Config for a route of the contract: where the host has registered @fastify/swagger, the route appears as in our own
 * openapi.json, with its types as named components. They are added to the document and not to Fastify's shared
 * schemas, where they could clash with the host's.
 */
export function documented(operation: Operation): object {
  return {
    swaggerTransform({ schema, url, route, openapiObject }: Transform) {
      if (openapiObject === undefined) return { schema, url }

      const { requestBody, responses, ...rest } = operation
      const documentation = {
        ...rest,
        operationId: operationId(String(route.method), url),
        body: requestBody,
        response: mapValues(responses, toFastify)
      }
      return { url, schema: withNames(documentation, addComponents(openapiObject)) }
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

/**
 * Adds the types and the security scheme to the host's document.
 *
 * @returns the names that the types have there
 */
function addComponents({ openapi, components: host }: OpenApi): Record<string, string> {
  host.securitySchemes = { ...securitySchemes, ...host.securitySchemes }

  const own: Record<string, Component> = components
  const names = Object.fromEntries(
    Object.entries(own).map(([name, { description }]) => {
      const isTaken = host.schemas[name] !== undefined && host.schemas[name].description !== description
      return [name, isTaken ? `ScreenAuth${name}` : name]
    })
  )
  for (const [name, schema] of Object.entries(own)) {
    host.schemas[names[name] as string] ??= withNames(
      openapi.startsWith('3.0') ? toOpenapi30(schema) : schema,
      names
    )
  }
  return names
}

/** A copy in which each reference to one of our types has the name of the host's document. */
function withNames<T>(document: T, names: Record<string, string>): T {
  return JSON.parse(JSON.stringify(document), (key, value) =>
    key === '$ref' ? REFERENCE + names[value.slice(REFERENCE.length)] : value
  )
}

/** OpenAPI 3.0 has no type null, no conditions, and one example. @fastify/swagger converts routes, not components. */
function toOpenapi30<T extends object>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (value?.type === 'null') return { type: 'object', nullable: true, enum: [null] }
    if (['if', 'then', 'else'].includes(key)) return undefined
    if (!Array.isArray(value?.examples)) return value
    const { examples, ...rest } = value
    return { ...rest, example: examples[0] }
  })
}

function mapValues<T>(record: Record<string, T>, change: (value: T) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
