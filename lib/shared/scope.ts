import type { FastifyInstance } from 'fastify'

/** Returns whether `inner` is `outer` or a descendant of it. */
export function isWithin(inner: FastifyInstance, outer: FastifyInstance): boolean {
  return inner === outer || Object.prototype.isPrototypeOf.call(outer, inner)
}

/** Returns the root instance. Each scope has its parent as prototype, so the root is the last one before Object's. */
export function rootOf(app: FastifyInstance): FastifyInstance {
  const outer = Object.getPrototypeOf(app)
  return outer === Object.prototype ? app : rootOf(outer)
}
