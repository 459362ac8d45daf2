import type { preSerializationHookHandler } from 'fastify'
import { ScreenContract } from '../schemas/index.ts'
import { plainScreen } from './screens.ts'
import type { ScreenUser } from './user.ts'

/**
 * Puts the name of the logged-in user on every screen that leaves a guarded route (contract 2.3, 5.6): one whose
 * schema says that it answers 200 with a ScreenContract.
 */
export const addDisplayName: preSerializationHookHandler<unknown> = (request, reply, payload, done) => {
  const { screenUser: user } = request
  const isScreen = user !== null && reply.statusCode === 200 && answersScreen(request.routeOptions.schema)
  done(null, isScreen ? withDisplayName(payload, user) : payload)
}

/**
 * The same screen with the user's name, unless the screen sets one itself. It is put on a copy: the host's object
 * may be shared between users. What has no layout is no screen, an envelope of the host for instance.
 */
export function withDisplayName<T>(payload: T, user: ScreenUser): T {
  const screen = plainScreen(payload) as ScreenContract | null
  if (typeof screen?.layout !== 'string' || typeof screen.user_display_name === 'string') return payload
  screen.user_display_name = user.displayName
  return screen as T
}

/** Whether a route's schema has ScreenContract for status 200: itself, a copy, a `$ref`, or under a media type. */
function answersScreen(schema: { response?: unknown } | undefined): boolean {
  const responses = (schema?.response ?? {}) as Record<string, Response | undefined>
  const response = responses[200] ?? responses['2xx'] ?? responses['2XX'] ?? responses.default
  return (
    isScreenContract(response) ||
    Object.values(response?.content ?? {}).some(type => isScreenContract(type.schema))
  )
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
