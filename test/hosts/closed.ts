import { connect } from 'node:net'
import type { FastifyInstance, FastifyServerOptions, InjectOptions, RouteOptions } from 'fastify'
import type { Test } from 'tap'
import screenAuth from '../../lib/index.ts'
import { bearer, emptyHost, FAILURE, forge, logIn, MENU, options, portOf } from '../helpers.ts'

export const FORGED = forge(undefined, undefined, { secret: 'another-secret-of-at-least-32-by' })

/** A guarded request, and its status with a token. Default: 200. */
export type Guarded = string | (InjectOptions & { status?: number })

/** A host that records each run of a guarded handler: one of a route without `screenAuth: false`. */
export function newHost(t: Test, serverOptions: FastifyServerOptions = {}) {
  const app = emptyHost(t, serverOptions)
  const ran: string[] = []
  app.addHook('onRoute', (route: RouteOptions) => {
    const { handler } = route
    if ((route.config as { screenAuth?: boolean } | undefined)?.screenAuth === false) return
    route.handler = function (...request) {
      ran.push(`${route.method} ${route.url}`)
      return handler.apply(this, request)
    }
  })
  // For handlers that are not those of routes.
  const note = (text: string) => async () => {
    ran.push('note')
    return text
  }
  return { app, ran, note }
}

/** A recording host with the plugin and the route `/screen`. `add` runs before or after the plugin is registered. */
export async function hostWith(
  t: Test,
  add: (app: FastifyInstance) => unknown = () => {},
  {
    isBefore = true,
    serverOptions = {},
    ...overrides
  }: { isBefore?: boolean; serverOptions?: object; [option: string]: unknown } = {}
) {
  const host = newHost(t, serverOptions)
  if (isBefore) await add(host.app)
  await host.app.register(screenAuth, options(overrides))
  if (!isBefore) await add(host.app)
  host.app.all('/screen', async () => 'x')
  return host
}

/** Asserts that each request gets 401 and runs no handler without a valid token, and is served with one. */
export async function closed(
  t: Test,
  { app, ran }: { app: FastifyInstance; ran: string[] },
  requests: Guarded[],
  token = forge()
): Promise<void> {
  for (const guarded of requests) {
    const { status = 200, ...request } = typeof guarded === 'string' ? { url: guarded } : guarded
    const name = `${request.method ?? 'GET'} ${request.url}`
    const send = (authorization: object) =>
      app.inject({ ...request, headers: { ...request.headers, ...authorization } })

    ran.length = 0
    for (const authorization of [{}, bearer(FORGED)]) {
      const { statusCode, body } = await send(authorization)
      t.strictSame({ statusCode, body }, { statusCode: 401, body: '' }, `${name} without a valid token`)
    }
    t.strictSame(ran, [], `${name} ran no handler`)

    t.equal((await send(bearer(token))).statusCode, status, `${name} with a token`)
    if (status < 400) t.not(ran.length, 0, `${name} ran its handler`)
  }
}

/** Asserts the whole login: the form, a wrong password, the right one, and the main menu with the token. */
export async function loginWorks(t: Test, app: FastifyInstance, prefix = ''): Promise<string> {
  const url = `${prefix}/auth/login`
  t.match((await app.inject(url)).json(), { layout: 'Card', auth_action: url })

  const wrong = await logIn(app, { username: 'ada', password: 'wrong' }, url)
  t.equal(wrong.statusCode, 200)
  t.match(wrong.json(), FAILURE)

  const right = await logIn(app, undefined, url)
  t.equal(right.statusCode, 200)
  const { success, token, screen } = right.json()
  t.strictSame({ success, screen }, { success: true, screen: { ...MENU, user_display_name: 'Ada Lovelace' } })
  t.strictSame((await app.inject({ url: `${prefix}/menu/main`, headers: bearer(token) })).json(), screen)
  return token
}

/** Starts the server if needed, sends raw text over a new socket, and returns all data until the connection ends. */
export async function talk(app: FastifyInstance, text: string): Promise<string> {
  const socket = connect(await portOf(app), '127.0.0.1')
  let response = ''
  try {
    socket.write(text)
    for await (const chunk of socket.setTimeout(60_000, () => socket.destroy(new Error('no response'))))
      response += chunk
  } catch (error) {
    response += `[${(error as NodeJS.ErrnoException).code ?? (error as Error).message}]`
  }
  return response
}
