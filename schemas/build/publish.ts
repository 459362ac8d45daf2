import type { TSchema } from '@sinclair/typebox'
import { successOrFailure } from '../auth.ts'
import { AuthRequest, AuthResponse, Field, ScreenContract, Section } from '../index.ts'
import { operationId, operations, securitySchemes, tags } from '../operations.ts'

const types = { AuthRequest, AuthResponse, ScreenContract, Section, Field }

type Name = keyof typeof types

const NAMES = Object.keys(types) as Name[]

/** A type of the contract as one self-contained JSON Schema 2020-12 document. */
export function jsonSchema(name: Name): object {
  const used = NAMES.filter(other => other !== name && mentions(types[name], other))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:fastify-screen-auth:${name}`,
    ...linked(name, '#/$defs/'),
    ...(used.length > 0 && { $defs: definitions(used, '#/$defs/') })
  }
}

/** The types as components of an OpenAPI 3.1 document, with references to each other. */
export function components(): Record<string, object> {
  return definitions(NAMES, '#/components/schemas/')
}

function definitions(names: Name[], base: string): Record<string, object> {
  return Object.fromEntries(names.map(name => [name, linked(name, base)]))
}

/** The contract as an OpenAPI 3.1 document. */
export function openapi(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Login of a screen service',
      version,
      description:
        'The login form, the login and the main menu. **Every other path and method of the service responds with 401 without a valid bearer token**, unknown ones too. The service itself defines their responses to a valid one.',
      license: { name: 'MIT', identifier: 'MIT' }
    },
    servers: [{ url: '/', description: 'The service, with its prefix if it has one' }],
    tags,
    paths: Object.fromEntries(
      Object.entries(operations).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [
            method,
            { operationId: operationId(method, path), ...operation }
          ])
        )
      ])
    ),
    components: { securitySchemes, schemas: components() }
  }
}

/** The schema as plain JSON, with a reference in place of each nested type of the contract. */
function linked(name: Name, base: string): object {
  const { $id, ...schema } = types[name]
  const whole = name === 'AuthResponse' ? { ...schema, ...successOrFailure } : schema
  return JSON.parse(JSON.stringify(whole), (key, value) => {
    const isNested = key !== '' && NAMES.includes(value?.title)
    return isNested ? { $ref: base + value.title } : value
  })
}

function mentions(schema: TSchema, name: Name): boolean {
  return JSON.stringify(schema).includes(`"title":"${name}"`)
}

/** The text of every published file, by its path below `generated/`. */
export function publishedFiles(version: string): Record<string, string> {
  const types = Object.fromEntries(NAMES.map(name => [`json/${name}.json`, jsonSchema(name)]))
  return Object.fromEntries(
    Object.entries({ ...types, 'openapi.json': openapi(version) }).map(([path, document]) => [
      path,
      `${JSON.stringify(document, null, 2)}\n`
    ])
  )
}
