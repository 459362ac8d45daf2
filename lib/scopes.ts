import type { FastifyInstance } from 'fastify'
import { AlreadyRegisteredError } from './errors.ts'

/** The scopes in which the plugin is registered, by root. */
const registered = new WeakMap<FastifyInstance, FastifyInstance[]>()

/**
 * Sibling scopes may each have a guard, but nested guards with different secrets would reject every request.
 *
 * @throws AlreadyRegisteredError if the plugin is registered in this scope, around it or inside it
 */
export function registerOnce(app: FastifyInstance): void {
  const scopes = scopesOf(app)
  for (const scope of scopes) {
    if (scope === app) throw new AlreadyRegisteredError('in this scope')
    if (isWithin(app, scope)) throw new AlreadyRegisteredError('in a scope around this one')
    if (isWithin(scope, app)) throw new AlreadyRegisteredError('in a scope inside this one')
  }
  registered.set(rootOf(app), [...scopes, app])
}

export function isGuarded(app: FastifyInstance): boolean {
  return scopesOf(app).some(scope => isWithin(app, scope))
}

function scopesOf(app: FastifyInstance): FastifyInstance[] {
  return registered.get(rootOf(app)) ?? []
}

/** Returns whether `inner` is `outer` or a descendant of it. */
export function isWithin(inner: FastifyInstance, outer: FastifyInstance): boolean {
  return inner === outer || Object.prototype.isPrototypeOf.call(outer, inner)
}

/** Returns the root instance. Each scope has its parent as prototype, so the root is the last one before Object's. */
export function rootOf(app: FastifyInstance): FastifyInstance {
  const outer = Object.getPrototypeOf(app)
  return outer === Object.prototype ? app : rootOf(outer)
}
