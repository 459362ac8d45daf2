// How a screen becomes JSON.
import fastJsonStringify from 'fast-json-stringify'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'

interface Schema {
  content?: Record<string, { schema?: Schema }>
  [keyword: string]: unknown
}

type Serializer = (value: unknown) => string

const compile = fastJsonStringify as (schema: object, options: { schema: unknown }) => Serializer

const CONTRACT = JSON.stringify(ScreenContract)

const serializeScreen = createSerializer(ScreenContract)

/** Lets all later routes that send only screens share a serializer, unless the host has serializers of its own. */
export function shareSerializer(app: FastifyInstance): void {
  // Fastify has no public property for its option `schemaController`.
  const key = Object.getOwnPropertySymbols(app).find(({ description }) => description === 'fastify.schemaController')
  app.addHook('onRoute', function (route) {
    // After all hooks of the route, which may change its schema, and before Fastify compiles a serializer for it.
    process.nextTick(() => {
      const builder = Reflect.get(this, key as symbol)?.getSerializerBuilder()
      if (route.serializerCompiler || this.serializerCompiler || builder?.name !== 'buildSerializerFactory') return
      const schemas = Object.values(responsesOf(route.schema)).flatMap(schemasOf)
      if (schemas.length === 0 || !schemas.every(schema => isContract(resolve(schema, this)))) return
      // A plugin that loads later may replace a schema.
      route.serializerCompiler = ({ schema }) =>
        schemas.includes(schema as Schema) ? serializeScreen : compile(schema, { schema: this.getSchemas() })
    })
  })
}

/** How a route sends screens: their serializer, unless the schema extends ScreenContract, with more properties. */
type Screens = { serialize: Serializer; names?: undefined } | { serialize?: undefined; names: string[] }

const kinds = new WeakMap<Schema, Screens | null>()

/** Returns how a route sends screens; null if its 200 schema is of another kind, undefined if it has none. */
export function screensOf({ routeOptions, server }: FastifyRequest): Screens | null | undefined {
  const responses = responsesOf(routeOptions.schema)
  const response = responses[200] ?? responses['2xx'] ?? responses['2XX'] ?? responses.default
  // A schema may be `true`.
  if (typeof response === 'object' && !kinds.has(response)) {
    const schemas = schemasOf(response).map(schema => resolve(schema, server))
    const found = schemas.find(schema => schema.$id === 'ScreenContract' || isContract(schema))
    const properties = schemas.map(schema => namesOf(schema, server))
    const names = properties.find(names => names.includes('user_display_name'))
    if (found)
      kinds.set(response, {
        serialize: isContract(found) ? serializeScreen : createSerializer(found, server.getSchemas())
      })
    else kinds.set(response, names ? { names } : null)
  }
  return kinds.get(response as Schema)
}

/**
 * Returns a serializer that sends 5 as "5" where the schema has text. It has the form of OpenAPI 3.0, with `nullable`: an
 * `anyOf` takes ten times as long to compile, and 5 is an error.
 */
function createSerializer({ $id, ...schema }: Schema, schemas: unknown = {}): Serializer {
  let serialize: Serializer | undefined
  return screen => {
    serialize ??= compile(toOpenapi30(schema), { schema: schemas })
    const text = serialize(screen)
    // The text of null.
    if (text === '{}') throw new Error('"layout" is required!')
    return text
  }
}

function responsesOf(schema: FastifySchema | undefined): Record<string, Schema | undefined> {
  return (schema?.response ?? {}) as Record<string, Schema>
}

/** Returns the schemas of a response, one for each media type: an empty one for null, which Fastify reports. */
function schemasOf(response: Schema | undefined): Schema[] {
  return (response?.content ? Object.values(response.content).map(type => type?.schema) : [response]).map(Object)
}

/** Returns a schema with what it refers to in place of its `$ref`. */
function resolve({ $ref, ...schema }: Schema, server: FastifyInstance): Schema {
  const target = typeof $ref === 'string' && server.getSchema($ref.replace(/#$/, ''))
  return { ...(target as Schema), ...schema }
}

/** Returns the properties of a schema, and of the parts of a union or an intersection. */
function namesOf(schema: Schema, server: FastifyInstance): string[] {
  const parts = [schema, schema.anyOf, schema.oneOf, schema.allOf].flat().map(part => resolve(Object(part), server))
  return parts.flatMap(({ properties }) => Object.keys(Object(properties)))
}

/** Returns whether a schema is ScreenContract. Compares the text, because a host has another object. */
function isContract(schema: Schema): boolean {
  const { title, description } = ScreenContract
  return schema.title === title && JSON.stringify({ ...schema, $id: undefined, description }) === CONTRACT
}
