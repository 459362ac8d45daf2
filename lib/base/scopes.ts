import type { FastifyInstance } from 'fastify'
import { AlreadyRegisteredError } from './errors.ts'

/** The scopes in which the plugin is registered. */
const registered = new WeakSet<FastifyInstance>()
/** Those, and all scopes around them. */
const outer = new WeakSet<FastifyInstance>()

/**
 * Sibling scopes may each have a guard, but nested guards with different secrets would reject every request.
 *
 * @throws AlreadyRegisteredError if the plugin is registered in this scope, around it or inside it
 */
export function registerOnce(app: FastifyInstance): void {
  if (registered.has(app)) throw new AlreadyRegisteredError('in this scope')
  if (isInScope(app)) throw new AlreadyRegisteredError('in a scope around this one')
  if (outer.has(app)) throw new AlreadyRegisteredError('in a scope inside this one')
  registered.add(app)
  for (const scope of outwards(app)) outer.add(scope)
}

export const isInScope = (app: FastifyInstance) => outwards(app).some(scope => registered.has(scope))
export const rootOf = (app: FastifyInstance) => outwards(app).at(-1) as FastifyInstance

/** Returns a scope and all scopes around it, up to the root. Each has its parent as prototype. */
export function outwards(app: FastifyInstance): FastifyInstance[] {
  const parent = Object.getPrototypeOf(app)
  return parent === Object.prototype ? [app] : [app, ...outwards(parent)]
}

/** Returns a function that creates a value once for a key, and returns it to all scopes of a root instance. */
export function oncePerRoot<Key, Value>() {
  const byRoot = new WeakMap<FastifyInstance, Map<Key, Value>>()
  return (app: FastifyInstance, key: Key, create: (root: FastifyInstance) => Value): Value => {
    const root = rootOf(app)
    const values = byRoot.get(root) ?? new Map<Key, Value>()
    byRoot.set(root, values)
    if (!values.has(key)) values.set(key, create(root))
    return values.get(key) as Value
  }
}
