// The example server's app in the process of the test: for everything that needs no process of its own.

import { register } from 'node:module'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { addDemoData, openStores, type Stores } from '../../../examples/server/stores.ts'
import { opaqueTokens } from '../../../lib/index.ts'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO, type Json } from '../process.ts'

register('./package-paths.js', import.meta.url)
const { buildApp } = await import('../../../examples/server/app.ts')

type Headers = Record<string, string>
type Auth = Parameters<typeof buildApp>[1]

export interface Example extends Pick<Stores, 'users' | 'contacts'> {
  app: FastifyInstance
  get(path: string, token?: string): ReturnType<typeof inject>
  /** The body of a response to GET. */
  getJson(path: string, token?: string): Promise<Json>
  /** Posts JSON. Returns the HTTP status as `code`, the URL in Content-Location as `url`, and what is in the body. */
  post(path: string, json: unknown, token?: string): Promise<Json>
  /** Posts changes to an action of a Card. */
  save(path: string, changes: object, token?: string): Promise<Json>
  logIn(fields?: object): Promise<Json>
}

/**
 * The app with the demo user in a database of its own; it closes with the test.
 *
 * @param headers sent with every request
 * @param language for clients that want no other
 */
export async function startExample(
  t: Test,
  auth: Partial<Auth> = {},
  headers: Headers = {},
  language = 'en'
): Promise<Example> {
  const stores = await openStores('file::memory:')
  await addDemoData(stores)
  const { users, contacts } = stores
  const app = await buildApp(
    stores,
    { enabled: true, secret: SECRET, appName: 'Demo Company', ...auth },
    {},
    { language }
  )
  t.teardown(async () => {
    await app.close()
    stores.close()
  })
  const get = (url: string, token = '') => inject(app, { url, headers }, token)
  const post = async (url: string, json: unknown, token = '') => {
    const payload = JSON.stringify(json)
    const request = {
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/json' },
      payload
    } as const
    const { statusCode, headers: sent, body } = await inject(app, request, token)
    return { ...(body !== '' && JSON.parse(body)), code: statusCode, url: sent['content-location'] }
  }
  return {
    app,
    users,
    contacts,
    get,
    getJson: async (url, token) => (await get(url, token)).json(),
    post,
    save: (path, changes, token) => post(path, { changes }, token),
    logIn: (fields = DEMO) => post('/auth/login', { fields })
  }
}

/** Tokens of sessions in the memory of this process, which can be ended. */
export const sessionTokens = () => opaqueTokens({ store: new Map() })

function inject(
  app: FastifyInstance,
  request: { method?: 'POST'; url: string; headers: Headers; payload?: string },
  token: string
) {
  return app.inject({ ...request, headers: { ...request.headers, ...(token !== '' && bearer(token)) } })
}
