import type { FastifyInstance, FastifyRequest, RawServerBase, RouteGenericInterface } from 'fastify'

/** A request of any server. A `FastifyRequest` alone is one of an HTTP/1 server. */
export type AnyRequest = FastifyRequest<RouteGenericInterface, RawServerBase>

/** Returns whether `inner` is `outer` or a descendant of it. */
export function isWithin(inner: FastifyInstance, outer: FastifyInstance): boolean {
  return inner === outer || Object.prototype.isPrototypeOf.call(outer, inner)
}

/** Returns the root instance. Each scope has its parent as prototype, so the root is the last one before Object's. */
export function rootOf(app: FastifyInstance): FastifyInstance {
  const outer = Object.getPrototypeOf(app)
  return outer === Object.prototype ? app : rootOf(outer)
}

/** Returns whether a route is public. Own properties only: a polluted `Object.prototype` would open all routes. */
export function isPublic(config: { screenAuth?: boolean } | undefined): boolean {
  return Object.hasOwn(Object(config), 'screenAuth') && config?.screenAuth === false
}

type With<T, Name> = T extends unknown ? (Name extends keyof T ? T : never) : never

/** Like `in`, but for own properties only: a polluted `Object.prototype` must not log anyone in. */
export function has<T extends object, Name extends string>(value: T, name: Name): value is T & With<T, Name> {
  return Object.hasOwn(value, name)
}
