import { components } from '../../schemas/generated/compiled.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'
import { securitySchemes } from '../../schemas/operations.ts'

export interface OpenApi {
  openapi: string
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, object> }
}

interface Schema {
  description?: string
}

const REFERENCE = '#/components/schemas/'

const contractTypes: Record<string, Schema> = components

/**
 * Adds the types of the contract and the security scheme of the guard to a document. If a component of the host has the
 * name of a type, the type gets the prefix `ScreenAuth`.
 *
 * @returns the names of the types in the document, by type
 */
export function addComponents(document: OpenApi): Record<string, string> {
  const { components = {} } = document
  const names = Object.fromEntries(
    Object.entries(contractTypes).map(([name, { description }]) => {
      const existing = components.schemas?.[name]
      return [name, existing === undefined || existing.description === description ? name : `ScreenAuth${name}`]
    })
  )
  const schemas = { ...components.schemas }
  for (const [type, name] of Object.entries(names)) {
    const schema = contractTypes[type] as Schema
    // @fastify/swagger converts the schemas of routes to OpenAPI 3.0, but not components added to the document.
    schemas[name] ??= withNames(document.openapi.startsWith('3.0') ? toOpenapi30(schema) : schema, names)
  }
  document.components = {
    ...components,
    schemas,
    securitySchemes: { ...securitySchemes, ...components.securitySchemes }
  }
  return names
}

/** Returns a copy whose references to types of the contract use their names in the document. */
export function withNames<T>(schema: T, names: Record<string, string>): T {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' ? REFERENCE + names[value.slice(REFERENCE.length)] : value
  )
}
