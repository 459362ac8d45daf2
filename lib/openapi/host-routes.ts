import type { FastifyInstance, RouteOptions } from 'fastify'
import { operations } from '../../schemas/operations.ts'
import { isWithin, routesOf } from '../shared/index.ts'
import { addSecurityScheme } from './components.ts'
import { type OpenApi, type Operation, operationsOf } from './document.ts'

/** @fastify/swagger copies such a property of a schema to the operation, and so do most transforms of hosts. */
const MARK = 'x-screen-auth'

/** Whether a route needs a token; undefined when that is not known, or outside of the scope of the guard. */
type Access = 'guarded' | 'public' | undefined

type Marks = Map<Operation, Access>

const UNAUTHORIZED = operations['/menu/main'].get.responses[401]

/** Calls `make` while the schema of each route is marked. Fastify itself has read them before. */
export function withMarks<T>(routes: RouteOptions[], make: () => T): T {
  // A route without a schema stays without: some transforms hide those.
  const markable = routes.flatMap(route => (route.schema ? [{ route, schema: route.schema }] : []))
  for (const { route, schema } of markable) {
    route.schema = { ...schema, ...{ [MARK]: accessOf(route.config) } }
  }
  try {
    return make()
  } finally {
    for (const { route, schema } of markable) route.schema = schema
  }
}

/** Takes the marks off the operations of a document. */
export function takeMarks(document: Pick<OpenApi, 'paths'>): Marks {
  const marks: Marks = new Map()
  for (const { operation } of operationsOf(document)) {
    const marked: Operation & { [MARK]?: Access } = operation
    marks.set(operation, marked[MARK])
    delete marked[MARK]
  }
  return marks
}

/** Adds what the guard does with each route, except what the host has said itself. */
export function addSecurity(document: OpenApi, marks: Marks, guarded: FastifyInstance): void {
  const accessAt = accessByUrl(guarded)
  for (const { path, method, operation } of operationsOf(document)) {
    const access = marks.get(operation) ?? accessAt(method, path)
    if (access === 'guarded') {
      addSecurityScheme(document)
      operation.security ??= [{ screenAuth: [] }]
      operation.responses[401] ??= structuredClone(UNAUTHORIZED)
    }
    // Without this the document's own default would be in force.
    if (access === 'public' && document.security?.length) operation.security ??= []
  }
}

/**
 * Finds routes that have no mark: added before this plugin was, without a schema, or with a transform that makes a new
 * one. The path in the document may have lost or got a prefix, so it is the route with the most similar URL.
 */
function accessByUrl(guarded: FastifyInstance): (method: string, path: string) => Access {
  const routes = routesOf(guarded).map(({ method, url, scope, isPublic }) => ({
    method,
    shape: shapeOfUrl(url),
    access: isWithin(scope, guarded) ? accessOf({ screenAuth: !isPublic }) : undefined
  }))
  return (method, path) => {
    const shape = shapeOfPath(path)
    const distance = (route: { shape: string }) => Math.abs(route.shape.length - shape.length)
    const [nearest] = routes
      .filter(
        route => route.method === method && (endsWith(route.shape, shape) || endsWith(shape, route.shape))
      )
      .sort((a, b) => distance(a) - distance(b))
    return nearest?.access
  }
}

function accessOf(config: { screenAuth?: boolean } | undefined): Access {
  return config?.screenAuth === false ? 'public' : 'guarded'
}

function endsWith(long: string, short: string): boolean {
  return long === short || (short.startsWith('/') && long.endsWith(short))
}

/** `/users/{}` for `/users/:id(^\\d+$)/`. */
function shapeOfUrl(url: string): string {
  const parameter = /::|:\w+(\((?:[^()]|\([^()]*\))*\))?|\((?:[^()]|\([^()]*\))*\)|\*/g
  return url.replace(parameter, found => (found === '::' ? ':' : '{}')).replace(/\/$/, '')
}

/** `/users/{}` for `/users/{id}/`. */
function shapeOfPath(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '')
}
