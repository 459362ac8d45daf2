import { components } from '../../schemas/generated/compiled.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'
import { securitySchemes } from '../../schemas/operations.ts'

/** An OpenAPI document of a host, as far as it is used here. */
export interface OpenApi {
  openapi: string
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, object> }
}

interface Schema {
  description?: string
}

const REFERENCE = '#/components/schemas/'

const own: Record<string, Schema> = components

/**
 * Adds the types of the contract and the security scheme of the guard to a document.
 *
 * @returns the names that the types have there: a component of the host keeps its name
 */
export function addComponents(document: OpenApi): Record<string, string> {
  const { components = {} } = document
  const names = Object.fromEntries(
    Object.entries(own).map(([name, { description }]) => {
      const there = components.schemas?.[name]
      return [name, there === undefined || there.description === description ? name : `ScreenAuth${name}`]
    })
  )
  const schemas = { ...components.schemas }
  for (const [type, name] of Object.entries(names)) {
    const schema = own[type] as Schema
    // @fastify/swagger converts the schemas of routes to the version of the document, but not what is added to it.
    schemas[name] ??= withNames(document.openapi.startsWith('3.0') ? toOpenapi30(schema) : schema, names)
  }
  document.components = {
    ...components,
    schemas,
    securitySchemes: { ...securitySchemes, ...components.securitySchemes }
  }
  return names
}

/** A copy in which each reference to one of our types has the name of the document. */
export function withNames<T>(schema: T, names: Record<string, string>): T {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' ? REFERENCE + names[value.slice(REFERENCE.length)] : value
  )
}
