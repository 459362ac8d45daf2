import type { TSchema } from '@sinclair/typebox'
import { successOrFailure } from '../auth.ts'
import { ACCEPTED, CREDENTIALS, LOGIN_FORM, LOGIN_SECTION, MAIN_MENU, REJECTED } from '../examples.ts'
import { AuthRequest, AuthResponse, Field, ScreenContract, Section } from '../index.ts'
import { mapSchema, mapValues, type Schema } from '../map-schema.ts'
import { toOpenapi30 } from '../openapi-3.0.ts'
import { json, notOfContract, type Operation, operationId, operations, securitySchemes, tags } from '../operations.ts'

/** Version of the contract that the published files describe. Each `$id` contains it. */
export const CONTRACT_VERSION = '1'

/** Version of the published data: schemas, OpenAPI documents and the files of the conformance kit. */
export const DATA_VERSION = '1.0.0'

const types = { AuthRequest, AuthResponse, ScreenContract, Section, Field }

type Name = keyof typeof types

const NAMES = Object.keys(types) as Name[]

/** For the JSON Schemas only: a mock server prefers the example of an OpenAPI component to that of a response. */
const examples: Record<Name, object[]> = {
  AuthRequest: [CREDENTIALS],
  AuthResponse: [ACCEPTED, REJECTED],
  ScreenContract: [LOGIN_FORM, MAIN_MENU],
  Section: [LOGIN_SECTION],
  Field: LOGIN_SECTION.fields
}

/** A type of the contract as one self-contained JSON Schema 2020-12 document. */
export function jsonSchema(name: Name): object {
  const used = NAMES.filter(other => other !== name && mentions(types[name], other))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:screen-service-auth:${CONTRACT_VERSION}:${name}`,
    $comment: `Contract version ${CONTRACT_VERSION}, data version ${DATA_VERSION}`,
    ...linked(name, '#/$defs/'),
    examples: examples[name],
    ...(used.length > 0 && { $defs: definitions(used, '#/$defs/') })
  }
}

/** Types as components of an OpenAPI 3.1 document, with references to each other. */
export function components(): Record<string, object> {
  return definitions(NAMES, '#/components/schemas/')
}

function definitions(names: Name[], base: string): Record<string, object> {
  return Object.fromEntries(names.map(name => [name, linked(name, base)]))
}

/** Contract as an OpenAPI 3.1 document. */
export function openapi(schemas = components()): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Login of a screen service',
      version: DATA_VERSION,
      'x-contract-version': CONTRACT_VERSION,
      description:
        'The login form, the login and the main menu. **Every other path and method of the service, known or unknown, responds with 401 to a request without a valid bearer token.** The service defines the responses to requests with a valid token.\n\nThe contract leaves some details open, such as the statuses of a refused login and the maximum size of its body. This document describes the behaviour of the reference server.\n\nA server in the no-auth mode has no login: `/auth/login` responds with 404, and all other routes need no token.',
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' }
    },
    servers: [{ url: '/', description: 'The service, including its path prefix if there is one' }],
    tags,
    paths: mapValues<Record<string, Operation>, object>(operations, (methods, path) =>
      mapValues(methods, (operation, method) => published(method, path, operation))
    ),
    components: { securitySchemes, schemas }
  }
}

/** An operation of any server: one in the no-auth mode has no public routes (contract 5.7). */
function published(method: string, path: string, { body, responses, ...operation }: Operation): object {
  const message = `Route ${method.toUpperCase()}:${path} not found`
  const example = { statusCode: 404, error: 'Not Found', message }
  const isLogin = operation.security.length === 0
  return {
    operationId: operationId(method, path),
    ...operation,
    requestBody: body && {
      description: body.description,
      required: true,
      content: json('AuthRequest', { credentials: body.examples[0] })
    },
    responses: {
      ...responses,
      404: isLogin ? notOfContract('The server is in the no-auth mode, so it has no login', example) : undefined
    }
  }
}

/** Contract as an OpenAPI 3.0 document, for tools that do not support OpenAPI 3.1. */
export function openapi30(): object {
  return { ...openapi(mapValues(components(), toOpenapi30)), openapi: '3.0.3' }
}

/** Schema as plain JSON, with a reference in place of each nested type of the contract. */
function linked(name: Name, base: string): object {
  const { $id, ...schema } = types[name]
  const plain = mapSchema(schema, part => {
    const isNested = part.title !== name && NAMES.includes(part.title)
    return isNested ? { $ref: base + part.title } : portable(part)
  })
  return name === 'AuthResponse' ? { ...plain, ...successOrFailure } : plain
}

/**
 * An equivalent schema that code generators support. Some of them read `additionalProperties: true` beside properties
 * as a map, and an `anyOf` of a schema and null as a separate class.
 */
function portable({ properties, additionalProperties, anyOf, ...rest }: Schema): object {
  const isMap = Object.keys(properties ?? {}).length === 0
  const [schema] = anyOf ?? []
  return {
    ...rest,
    // Every `anyOf` of the contract is a schema or null.
    ...(schema?.type ? { ...schema, type: [schema.type, 'null'] } : anyOf && { anyOf }),
    ...(isMap ? additionalProperties && { additionalProperties } : { properties })
  }
}

function mentions(schema: TSchema, name: Name): boolean {
  return JSON.stringify(schema).includes(`"title":"${name}"`)
}

/** Text of every published file, by its path in `generated/`. */
export function publishedFiles(): Record<string, string> {
  const types = Object.fromEntries(NAMES.map(name => [`json/${name}.json`, jsonSchema(name)]))
  const documents = { ...types, 'openapi.json': openapi(), 'openapi-3.0.json': openapi30() }
  return mapValues(documents, document => `${JSON.stringify(document, null, 2)}\n`)
}
