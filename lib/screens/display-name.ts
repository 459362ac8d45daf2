import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ScreenContract } from '../../schemas/index.ts'
import type { ScreenUser } from '../shared/index.ts'
import { responseOf, sendsScreen } from './response-schema.ts'
import { plainScreen } from './screen.ts'

/**
 * Adds a hook that sets `user_display_name` on the screens of all guarded routes whose schema for status 200 is
 * ScreenContract (contract 2.3, 5.6). The hook changes a copy, because the host may send one object to several users.
 * It ignores payloads without a layout, for instance an envelope of the host.
 */
export function addDisplayNames(app: FastifyInstance): void {
  app.addHook<unknown>('preSerialization', (request, reply, payload, done) => {
    const { screenUser: user } = request
    if (user === null || reply.statusCode !== 200) return done(null, payload)
    const { schema } = request.routeOptions
    if (!schema || !sendsScreen(schema)) {
      if (isScreen(payload) && payload.user_display_name === undefined && !responseOf(schema)) warnAboutSchema(request)
      return done(null, payload)
    }
    const screen = plainScreen(payload)
    done(null, isScreen(screen) ? withDisplayName(screen, user) : payload)
  })
}

function isScreen(value: unknown): value is ScreenContract {
  return typeof (value as Partial<ScreenContract> | null)?.layout === 'string'
}

/** The configs of the routes with a logged warning. Each route has its own config. */
const hasWarned = new WeakSet<object>()

function warnAboutSchema({ log, method, routeOptions: { config, url } }: FastifyRequest): void {
  // A not-found handler has no URL.
  if (url === undefined || method === 'HEAD' || hasWarned.has(config)) return
  hasWarned.add(config)
  log.warn(
    `screen-auth: ${method} ${url} has sent a screen without the name of its user; ` +
      'add `schema: { response: { 200: ScreenContract } }` to the route'
  )
}

/** Sets the user's name on a screen without a name. Changes the screen, which must not be shared between users. */
export function withDisplayName(screen: ScreenContract, user: ScreenUser): ScreenContract {
  if (typeof screen.user_display_name !== 'string') screen.user_display_name = user.displayName
  return screen
}
