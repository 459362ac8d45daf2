import type { RouteHandlerMethod } from 'fastify'
import { LOGIN_FORM } from '../../schemas/examples.ts'
import type { ScreenContract } from '../../schemas/index.ts'
import { makeScreen, screenText } from '../screens/index.ts'
import { InvalidAnswerError, ScreenFailedError, sendJson } from '../shared/index.ts'
import type { Form, LoginSettings } from './options.ts'

/**
 * Handler of `GET /auth/login`: the login form (contract 2.6).
 *
 * @param path the full path of the route, with the names of its parameters
 */
export function sendLoginForm({ appName, loginForm: change }: LoginSettings, path: string): RouteHandlerMethod {
  return async (request, reply) => {
    const url = fillIn(path, request.params as Record<string, string>)
    const form: Form = { ...LOGIN_FORM, title: appName, auth_action: url }
    if (change === undefined) return sendJson(reply, JSON.stringify(form))
    const changed = await makeScreen('loginForm', () => change(structuredClone(form), request))
    const { auth_action = url } = changed
    // A form that is submitted to a route of the host has the fields of that route.
    if (auth_action === url) checkFields(changed)
    return sendJson(reply, screenText('loginForm', { ...changed, auth_action }))
  }
}

/** @throws ScreenFailedError when a form is no login, because a field is missing or has another id */
function checkFields({ sections = [] }: ScreenContract): void {
  const ids = sections.flatMap(({ fields }) => fields.map(({ id }) => id))
  if (['username', 'password'].every(id => ids.includes(id))) return
  const rule = 'loginForm must keep the fields `username` and `password`; change their labels, not their ids'
  throw new ScreenFailedError('loginForm', { cause: new InvalidAnswerError(rule) })
}

/**
 * The login URL as the client reaches it: a path whose parameters are filled in. An empty one would leave two slashes at
 * the beginning, and what follows them is a host.
 */
function fillIn(path: string, values: Record<string, string>): string {
  return path
    .replace(/:(\w+)(\([^)]*\))?/g, (_, name) => encodeURIComponent(values[name] as string))
    .replace(/^\/+/, '/')
}
