// Runs the example server's app in the test process, for tests that need no separate process.

import { register } from 'node:module'
import type { InjectOptions } from 'fastify'
import type { Test } from 'tap'
import type { RecordStore } from '../../../examples/server/records/store.ts'
import { addDemoData, openStores } from '../../../examples/server/stores.ts'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO, type Json } from '../process.ts'

/** The examples import the packages by their names, which tsconfig.json maps to the sources. tap does not read it. */
const SOURCES = {
  'fastify-screen-auth': import.meta.resolve('../../../lib/index.ts'),
  'fastify-screen-auth/schemas': import.meta.resolve('../../../schemas/index.ts'),
  'screen-auth-client': import.meta.resolve('../../../client/index.ts')
}
const hook = `const sources = ${JSON.stringify(SOURCES)}
  export const resolve = (specifier, context, next) => next(sources[specifier] ?? specifier, context)`
register(`data:text/javascript,${encodeURIComponent(hook)}`)
const { buildApp } = await import('../../../examples/server/app.ts')

export type Example = Awaited<ReturnType<typeof startExample>>

/** Options of an app without a login. */
export const NO_AUTH = { enabled: false }

/** Starts the app with a new database and the demo user. It closes after the test. */
export async function startExample(t: Test, auth: Partial<Parameters<typeof buildApp>[1]> = {}) {
  const stores = await openStores('file::memory:')
  await addDemoData(stores)
  const { users, records } = stores
  const [contacts] = records as [RecordStore]
  const settings = { enabled: true, secret: SECRET, appName: 'Demo Company', ...auth }
  const app = await buildApp(stores, settings, {})
  t.teardown(async () => {
    await app.close()
    stores.close()
  })
  const send = (request: InjectOptions, token: string) =>
    app.inject({ ...request, headers: token === '' ? {} : bearer(token) })
  const get = (url: string, token = '') => send({ url }, token)
  /** Posts JSON. Returns the properties of the body, the HTTP status as `code`, and Content-Location as `url`. */
  const post = async (url: string, payload: object, token = ''): Promise<Json> => {
    const response = await send({ method: 'POST', url, payload }, token)
    const content = response.body === '' ? {} : response.json()
    return { ...content, code: response.statusCode, url: response.headers['content-location'] }
  }
  return {
    app,
    users,
    contacts,
    get,
    /** Returns the body of the response to a GET request. */
    getJson: async (url: string, token?: string): Promise<Json> => (await get(url, token)).json(),
    post,
    logIn: (fields = DEMO) => post('/auth/login', { fields })
  }
}

/** Returns all fields of a screen. */
export const fieldsOf = (screen: Json): Json[] =>
  (screen.sections ?? []).flatMap(({ fields }: { fields: Json[] }) => fields)

/** Returns the values of a Card by the id of the field. */
export const valuesOf = (screen: Json): Record<string, string> =>
  Object.fromEntries(fieldsOf(screen).map(({ id, value }) => [id, value]))
