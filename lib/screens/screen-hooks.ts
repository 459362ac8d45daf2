import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isScreenContract, type ScreenContract } from '../../schemas/generated/compiled.ts'
import { logOnce } from '../base/warnings.ts'
import { plainScreen, setDisplayName } from './screen.ts'
import { screensOf } from './serializer.ts'

/** The layouts that known clients draw. */
const LAYOUTS = ['Card', 'List', 'HeaderLines', 'Grid', 'Menu']

/**
 * Adds hooks for the screens of all routes whose schema for status 200 is ScreenContract or extends it. On a guarded
 * route they set `user_display_name` (contract 2.3, 5.6), in a copy, because the host may send one object to several
 * users. They ignore payloads without a layout, for instance an envelope of the host.
 */
export function addScreenHooks(app: FastifyInstance): void {
  app.addHook<unknown>('preSerialization', (request, reply, payload, done) => {
    const user = request.screenUser
    const screens = reply.statusCode === 200 ? screensOf(request) : null
    if (!screens) {
      const isNameless = isScreen(payload) && payload.user_display_name === undefined
      // The host's own schema may have another kind of layout, for instance that of a print.
      if (user && isNameless && (screens === undefined || LAYOUTS.includes(payload.layout)))
        warnAboutName(request, reply.statusCode)
      return done(null, payload)
    }
    const { serialize, names } = screens
    const screen = plainScreen(payload, names)
    if (!isScreen(screen)) return done(null, payload)
    if (user) setDisplayName(screen, user)
    done(null, !serialize || isScreenContract(screen) ? screen : converted(screen, serialize))
  })
  // A handler that returns nothing sends an empty response. Fastify skips the hook above.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isEmpty = payload === undefined && reply.statusCode === 200 && request.method !== 'HEAD'
    if (isEmpty && screensOf(request)?.serialize) return done(new Error('the handler has returned no screen'))
    done(null, payload)
  })
}

function isScreen(value: unknown): value is ScreenContract {
  return typeof (value as Partial<ScreenContract> | null)?.layout === 'string'
}

/** Fastify's serializer throws an error for 5 in an `anyOf` of string and null. That of the host may send any screen. */
function converted(screen: unknown, serialize: (screen: unknown) => string): unknown {
  try {
    return JSON.parse(serialize(screen))
  } catch {
    return screen
  }
}

function warnAboutName(request: FastifyRequest, statusCode: number): void {
  const { config, url } = request.routeOptions
  // A not-found handler has no URL.
  if (url === undefined || request.method === 'HEAD' || statusCode < 200 || statusCode > 299) return
  const status = statusCode === 200 ? '' : 'send it with status 200, and '
  const fix = `${status}add \`schema: { response: { 200: ScreenContract } }\` to the route`
  logOnce(config, request, `${request.method} ${url} has sent a screen without the name of its user; ${fix}`)
}
