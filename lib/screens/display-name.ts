import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { ScreenContract } from '../../schemas/generated/compiled.ts'
import { routesOf, type ScreenUser } from '../shared/index.ts'
import { plainScreen } from './screen.ts'

/**
 * Adds a hook that puts the name of the logged-in user on every screen that leaves a guarded route (contract 2.3, 5.6):
 * one whose schema for status 200 is ScreenContract. It is put on a copy: the host's object may be shared between users.
 * Without a layout it is no screen, but for instance an envelope of the host.
 */
export function addDisplayNames(app: FastifyInstance): void {
  const screenSchemas = new WeakSet<FastifySchema>()
  // Not earlier: a route may have been added before this plugin, whose onRoute hook would miss it.
  app.addHook('onReady', async () => {
    for (const { schema } of routesOf(app)) if (schema && sendsScreen(schema)) screenSchemas.add(schema)
  })
  app.addHook<unknown>('preSerialization', (request, reply, payload, done) => {
    const { screenUser: user } = request
    if (user === null || reply.statusCode !== 200) return done(null, payload)
    const { schema } = request.routeOptions
    if (!schema || !screenSchemas.has(schema)) {
      if (isScreen(payload) && payload.user_display_name === undefined && !responseOf(schema)) warnOfSchema(request)
      return done(null, payload)
    }
    const screen = plainScreen(payload)
    done(null, isScreen(screen) ? withDisplayName(screen, user) : payload)
  })
}

function isScreen(value: unknown): value is ScreenContract {
  return typeof (value as Partial<ScreenContract> | null)?.layout === 'string'
}

/** The routes that were warned of, by their config: there is one for each. */
const hasWarned = new WeakSet<object>()

function warnOfSchema({ log, method, routeOptions: { config, url } }: FastifyRequest): void {
  // A not-found handler has no URL.
  if (url === undefined || method === 'HEAD' || hasWarned.has(config)) return
  hasWarned.add(config)
  log.warn(
    `screen-auth: ${method} ${url} has sent a screen without the name of its user; ` +
      'add `schema: { response: { 200: ScreenContract } }` to the route'
  )
}

/** Puts the user's name on a screen that is nobody else's, unless it has one itself. */
export function withDisplayName(screen: ScreenContract, user: ScreenUser): ScreenContract {
  if (typeof screen.user_display_name !== 'string') screen.user_display_name = user.displayName
  return screen
}

/** Whether a route's schema has ScreenContract for status 200: itself, a copy, a `$ref`, or under a media type. */
function sendsScreen(schema: FastifySchema): boolean {
  const response = responseOf(schema)
  return (
    isScreenContract(response) || Object.values(response?.content ?? {}).some(type => isScreenContract(type.schema))
  )
}

/** The schema for status 200. */
function responseOf(schema: FastifySchema | undefined): Response | undefined {
  const responses = (schema?.response ?? {}) as Record<string, Response | undefined>
  return responses[200] ?? responses['2xx'] ?? responses['2XX'] ?? responses.default
}

interface Schema {
  $id?: string
  $ref?: string
}

interface Response extends Schema {
  content?: Record<string, { schema?: Schema }>
}

function isScreenContract(schema: Schema | undefined): boolean {
  const { $id } = ScreenContract
  return schema?.$id === $id || schema?.$ref === $id || schema?.$ref === `${$id}#`
}
