import type { FastifyInstance } from 'fastify'
import { AlreadyRegisteredError, isWithin, rootOf } from './shared/index.ts'

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
