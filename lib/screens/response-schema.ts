import type { FastifySchema, RouteOptions } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'
import { mapValues } from '../shared/index.ts'

interface Response {
  $id?: string
  $ref?: string
  content?: Record<string, { schema: Response }>
}

/**
 * Returns whether the schema for status 200 is ScreenContract, a copy of it or a `$ref` to it, directly or under a
 * media type.
 */
export function sendsScreen(schema: FastifySchema): boolean {
  const response = responseOf(schema)
  return (
    isScreenContract(response) || Object.values(response?.content ?? {}).some(type => isScreenContract(type.schema))
  )
}

export function responseOf(schema: FastifySchema | undefined): Response | undefined {
  const responses = (schema?.response ?? {}) as Record<string, Response | undefined>
  return responses[200] ?? responses['2xx'] ?? responses['2XX'] ?? responses.default
}

/** What {@link toNullable} returned. */
const nullable = new WeakSet<object>()

function isScreenContract(schema: Response | undefined): boolean {
  if (schema === undefined) return false
  const { $id } = ScreenContract
  return nullable.has(schema) || schema.$id === $id || schema.$ref === $id || schema.$ref === `${$id}#`
}

/**
 * An onRoute hook that writes ScreenContract as in OpenAPI 3.0: `nullable` in place of an `anyOf` with null. Fastify's
 * serializer is slow to compile an `anyOf`, and throws an error for a value like 5 in place of "5".
 */
export function useNullable(route: RouteOptions): void {
  const response = route.schema?.response as Record<string, Response> | undefined
  if (response) route.schema = { ...route.schema, response: mapValues(response, toNullable) }
}

function toNullable(schema: Response): Response {
  const { content, $id } = Object(schema) as Response
  if (content) return { ...schema, content: mapValues(content, type => ({ ...type, schema: toNullable(type.schema) })) }
  if ($id !== ScreenContract.$id) return schema
  // Without the id, which the host's shared ScreenContract may have.
  const { $id: _, ...form } = toOpenapi30(schema)
  nullable.add(form)
  return form
}
