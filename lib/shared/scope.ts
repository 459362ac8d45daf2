import type { FastifyInstance } from 'fastify'

/** Whether a scope is the other one, or Fastify has made it inside the other. */
export function isWithin(inner: FastifyInstance, outer: FastifyInstance): boolean {
  return inner === outer || Object.prototype.isPrototypeOf.call(outer, inner)
}

/** Fastify makes each scope from the one around it, so the root is the last of its prototypes but Object's. */
export function rootOf(app: FastifyInstance): FastifyInstance {
  const outer = Object.getPrototypeOf(app)
  return outer === Object.prototype ? app : rootOf(outer)
}
