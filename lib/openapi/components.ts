import { components } from '../../schemas/generated/compiled.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'
import { securitySchemes } from '../../schemas/operations.ts'
import type { OpenApi, Schema } from './document.ts'

export const REFERENCE = '#/components/schemas/'

const own: Record<string, Schema> = components

/** Adds the security scheme of the guard to the host's document, which may have one of that name. */
export function addSecurityScheme(document: OpenApi): void {
  const { components } = document
  document.components = {
    ...components,
    securitySchemes: { ...securitySchemes, ...components?.securitySchemes }
  }
}

/**
 * Adds types of the contract to the host's document.
 *
 * @returns the names that the types have there
 */
export function addComponents(document: OpenApi, types = Object.keys(own)): Record<string, string> {
  const names = namesIn(document)
  const schemas = { ...document.components?.schemas }
  for (const type of types) {
    schemas[names[type] as string] ??= withNames(inVersion(document, own[type] as Schema), names)
  }
  document.components = { ...document.components, schemas }
  return names
}

/** The names of our types in the host's document: a component of the host keeps its name. */
export function namesIn({ components }: OpenApi): Record<string, string> {
  return Object.fromEntries(
    Object.entries(own).map(([name, { description }]) => {
      const there = components?.schemas?.[name]
      return [name, there === undefined || there.description === description ? name : `ScreenAuth${name}`]
    })
  )
}

/** A copy in which each reference to one of our types has the name of the host's document. */
export function withNames<T>(schema: T, names: Record<string, string>): T {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' ? REFERENCE + names[value.slice(REFERENCE.length)] : value
  )
}

/** @fastify/swagger converts the schemas of routes to the version of the document, but not what is added to it. */
export function inVersion<T extends object>({ openapi }: OpenApi, schema: T): T {
  return openapi.startsWith('3.0') ? toOpenapi30(schema) : schema
}
