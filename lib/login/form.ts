import type { FastifyRequest, RouteHandlerMethod } from 'fastify'
import { LOGIN_FORM } from '../../schemas/examples.ts'
import type { ScreenContract } from '../../schemas/index.ts'
import { InvalidAnswerError, ScreenFailedError } from '../base/errors.ts'
import { sendJson } from '../base/http.ts'
import { logOnce } from '../base/warnings.ts'
import type { Form, LoginForm, Settings } from '../options.ts'
import { makeScreen, screenJson } from '../screens/screen.ts'

/** Creates the handler of `GET /auth/login`, which sends the login form (contract 2.6). */
export function sendLoginForm({ appName, loginForm: change }: Settings, path: string): RouteHandlerMethod {
  return async (request, reply) => {
    // A pattern, for instance `/:tenant/auth/login`.
    const url = /[:*]/.test(path) ? pathOf(request) : path
    const form: Form = { ...LOGIN_FORM, title: appName, auth_action: url }
    if (change === undefined) return sendJson(reply, JSON.stringify(form))
    const changed = await makeScreen('loginForm', () => change(structuredClone(form), request))
    const auth_action = changed.auth_action ?? url
    // A form with another `auth_action` needs the fields of that route.
    if (auth_action === url) checkFields(changed, change, request)
    else if (!/^\/(?!\/)/.test(auth_action) || auth_action === '/auth/login')
      logOnce(change, request, '`auth_action` of loginForm must be a path with its prefix; leave it as it is')
    return sendJson(reply, screenJson('loginForm', { ...changed, auth_action }))
  }
}

function checkFields({ sections }: ScreenContract, change: LoginForm, request: FastifyRequest): void {
  const types = new Map((sections ?? []).flatMap(({ fields }) => fields.map(({ id, type }) => [id, type] as const)))
  const text = 'the type of `password` in loginForm must be Password, or clients show what the person types'
  if (types.get('password') !== 'Password') logOnce(change, request, text)
  if (types.has('username') && types.has('password')) return
  const rule = 'loginForm must keep the fields `username` and `password`; change their labels, not their ids'
  throw new ScreenFailedError('loginForm', { cause: new InvalidAnswerError(rule) })
}

/**
 * Returns the path that was asked for, before the host's `rewriteUrl`. Without what else a router accepts: an origin, a
 * query, and more slashes or backslashes at the start, which a client would read as a host.
 */
function pathOf({ originalUrl }: FastifyRequest): string {
  return originalUrl.replace(/^https?:\/\/[^/]*|[?#].*/gs, '').replace(/^[/\\\s]*/, '/')
}
