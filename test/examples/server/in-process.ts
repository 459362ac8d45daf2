// The example server's app in the process of the test: for everything that needs no process of its own.

import { register } from 'node:module'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { UserStore } from '../../../examples/server/user-store.ts'
import { opaqueTokens } from '../../../lib/index.ts'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO, type Json } from '../process.ts'

register('./package-paths.js', import.meta.url)
const { buildApp } = await import('../../../examples/server/app.ts')

type Headers = Record<string, string>
type Auth = Parameters<typeof buildApp>[1]

export interface Example {
  app: FastifyInstance
  users: UserStore
  get(path: string, token?: string): ReturnType<typeof inject>
  /** The body of a response to GET. */
  getJson(path: string, token?: string): Promise<Json>
  /** Posts the fields of a form. Returns the status and what is in the body. */
  post(path: string, fields: object, token?: string): Promise<Json>
  logIn(fields?: object): Promise<Json>
}

/**
 * The app with the demo user in a database of its own; it closes with the test.
 *
 * @param headers sent with every request
 */
export async function startExample(
  t: Test,
  auth: Partial<Auth> = {},
  headers: Headers = {}
): Promise<Example> {
  const users = await UserStore.open('file::memory:')
  await users.addDemoUserIfEmpty()
  const app = await buildApp(users, { enabled: true, secret: SECRET, appName: 'Demo Company', ...auth }, {})
  t.teardown(async () => {
    await app.close()
    users.close()
  })
  const get = (url: string, token = '') => inject(app, { url, headers }, token)
  const post = async (url: string, fields: object, token = '') => {
    const { statusCode, body } = await inject(
      app,
      { method: 'POST', url, headers, payload: { fields } },
      token
    )
    return { status: statusCode, ...JSON.parse(body) }
  }
  return {
    app,
    users,
    get,
    getJson: async (url, token) => (await get(url, token)).json(),
    post,
    logIn: (fields = DEMO) => post('/auth/login', fields)
  }
}

/** Tokens of sessions in the memory of this process, which can be ended. */
export const sessionTokens = () => opaqueTokens({ store: new Map() })

function inject(
  app: FastifyInstance,
  request: { method?: 'POST'; url: string; headers: Headers; payload?: object },
  token: string
) {
  return app.inject({ ...request, headers: { ...request.headers, ...(token !== '' && bearer(token)) } })
}
