import type { FastifyInstance } from 'fastify'
import { operations } from '../../schemas/operations.ts'
import { isWithin, type Route } from '../shared/index.ts'
import { addSecurityScheme } from './components.ts'
import { type OpenApi, operationsOf } from './document.ts'

const UNAUTHORIZED = operations['/menu/main'].get.responses[401]

/**
 * Adds what the guard does with each route, except what the host has said itself.
 *
 * @param guarded the scope of the guard
 */
export function addSecurity(document: OpenApi, routes: Route[], guarded: FastifyInstance): void {
  let isGuarded = false
  const shaped = routes.map(route => ({ ...route, shape: shapeOfUrl(route.url) }))
  for (const { path, method, operation } of operationsOf(document)) {
    const route = nearest(
      shapeOfPath(path),
      shaped.filter(route => route.method === method)
    )
    if (route === undefined || !isWithin(route.scope, guarded)) continue
    operation.security ??= route.isPublic ? [] : [{ screenAuth: [] }]
    if (route.isPublic) continue
    operation.responses = { 401: UNAUTHORIZED, ...operation.responses }
    isGuarded = true
  }
  if (isGuarded) addSecurityScheme(document)
}

/** The route of a path, which may have lost or got a prefix in the document: the one that is most similar. */
function nearest<T extends { shape: string }>(path: string, routes: T[]): T | undefined {
  const distance = ({ shape }: T) => Math.abs(shape.length - path.length)
  const [first] = routes
    .filter(({ shape }) => endsWith(shape, path) || endsWith(path, shape))
    .sort((a, b) => distance(a) - distance(b))
  return first
}

function endsWith(long: string, short: string): boolean {
  return long === short || (short.startsWith('/') && long.endsWith(short))
}

/** `/users/{}` for `/users/:id(^\\d+$)/`. */
function shapeOfUrl(url: string): string {
  const parameter = /::|:\w+(\((?:[^()]|\([^()]*\))*\))?|\((?:[^()]|\([^()]*\))*\)|\*/g
  const shapes: Record<string, string> = { '::': ':', '*': '{*}' }
  return url.replace(parameter, found => shapes[found] ?? '{}').replace(/\/$/, '')
}

/** `/users/{}` for `/users/{id}/`. */
function shapeOfPath(path: string): string {
  return path.replace(/\{[^}*]*\}/g, '{}').replace(/\/$/, '')
}
