import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { isScreenContract, ScreenContract } from '../../schemas/generated/compiled.ts'
import { toOpenapi30 } from '../../schemas/openapi-3.0.ts'
import { logOnce } from '../events.ts'
import type { ScreenUser } from '../user.ts'
import { plainScreen } from './screen.ts'

/**
 * Adds a hook for the screens of all routes whose schema for status 200 is ScreenContract. On a guarded route it sets
 * `user_display_name` (contract 2.3, 5.6), in a copy, because the host may send one object to several users. It ignores
 * payloads without a layout, for instance an envelope of the host.
 */
export function addScreenHook(app: FastifyInstance): void {
  app.addHook<unknown>('preSerialization', (request, reply, payload, done) => {
    if (reply.statusCode !== 200) return done(null, payload)
    const { screenUser: user, routeOptions } = request
    const schema = screenSchemaOf(routeOptions.schema, request.server)
    if (!schema) {
      const isNameless = isScreen(payload) && payload.user_display_name === undefined
      if (user && isNameless && !responseOf(routeOptions.schema)) warnAboutSchema(request)
      return done(null, payload)
    }
    const screen = plainScreen(payload)
    if (!isScreen(screen)) return done(null, payload)
    if (user) withDisplayName(screen, user)
    if (!isScreenContract(screen)) useConvertingSerializer(reply, schema)
    done(null, screen)
  })
}

const forms = new WeakMap<object, Record<string, unknown>>()

/**
 * Fastify's serializer throws an error for a value like 5 in an `anyOf` of string and null. In the form of OpenAPI 3.0,
 * with `nullable`, it sends "5". An error handler may send another payload.
 */
function useConvertingSerializer(reply: FastifyReply, schema: Response): void {
  const { $id, ...own } = schema
  const form = forms.get(schema) ?? toOpenapi30(own)
  forms.set(schema, form)
  reply.serializer(sent => (isScreen(sent) ? reply.serializeInput(sent, form) : JSON.stringify(sent)))
}

function isScreen(value: unknown): value is ScreenContract {
  return typeof (value as Partial<ScreenContract> | null)?.layout === 'string'
}

function warnAboutSchema(request: FastifyRequest): void {
  const { config, url } = request.routeOptions
  // A not-found handler has no URL.
  if (url === undefined || request.method === 'HEAD') return
  const fix = 'add `schema: { response: { 200: ScreenContract } }` to the route'
  logOnce(config, request, `${request.method} ${url} has sent a screen without the name of its user; ${fix}`)
}

/** Sets the user's name on a screen without a name. Changes the screen, which must not be shared between users. */
export function withDisplayName(screen: ScreenContract, user: ScreenUser): ScreenContract {
  if (typeof screen.user_display_name !== 'string') screen.user_display_name = user.displayName
  return screen
}

interface Response {
  $id?: string
  $ref?: string
  content?: Record<string, { schema?: Response }>
}

/**
 * Returns the schema for status 200 if it is ScreenContract, a copy of it or a `$ref` to it, directly or under a media
 * type.
 */
function screenSchemaOf(schema: FastifySchema | undefined, server: FastifyInstance): Response | undefined {
  const response = responseOf(schema)
  const { $id } = ScreenContract
  const isOurs = (one: Response | undefined) =>
    one !== undefined && (one.$id === $id || one.$ref === $id || one.$ref === `${$id}#`)
  const found = [response, ...Object.values(response?.content ?? {}).map(type => type.schema)].find(isOurs)
  return found?.$ref ? (server.getSchema($id) as Response) : found
}

function responseOf(schema: FastifySchema | undefined): Response | undefined {
  const responses = (schema?.response ?? {}) as Record<string, Response | undefined>
  return responses[200] ?? responses['2xx'] ?? responses['2XX'] ?? responses.default
}
