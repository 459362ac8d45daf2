import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import screenAuth from '../../../lib/index.ts'
import { options } from '../../helpers.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into at will, and a wrong look fails the test
export type Json = any

export const answer = async () => ({ layout: 'Card' })
export const PUBLIC = { screenAuth: false }

/** What a host has, one after the other; each by default as in the README. */
interface Host {
  swagger?: object
  before?: (app: FastifyInstance) => unknown
  overrides?: object
  /** Routes that are added when the plugin is loaded. */
  after?: (app: FastifyInstance) => unknown
}

/** A host with @fastify/swagger that is ready. */
export async function documentedHost(t: Test, { swagger: own, before, overrides, after }: Host) {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(swagger, { openapi: { openapi: '3.1.0' }, ...own })
  await before?.(app)
  await app.register(screenAuth, options(overrides))
  await after?.(app)
  await app.ready()
  return app
}

export async function documentOf(t: Test, host: Host): Promise<Json> {
  return (await documentedHost(t, host)).swagger()
}

export const GUARDED = [{ screenAuth: [] }]

/** The security of each operation of the host, with its method and path, and whether it has a 401. */
export function accessOf({ paths }: Json): Record<string, unknown> {
  const operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => [`${method} ${path}`, operation] as const)
  )
  const own = operations.filter(([, { tags = [] }]) => !tags.includes('Authentication'))
  return Object.fromEntries(
    own.map(([name, { security, responses }]) => {
      const has401 = responses[401] !== undefined
      if (JSON.stringify(security) === JSON.stringify(GUARDED) && has401) return [name, 'guarded']
      if (has401 || security?.length > 0) return [name, { security, has401 }]
      return [name, security === undefined ? 'as it was' : 'public']
    })
  )
}
