import type { RouteHandlerMethod } from 'fastify'
import { makeScreen, screenText } from '../screens/index.ts'
import { sendJson } from '../shared/index.ts'
import type { Form, LoginSettings } from './options.ts'

/**
 * Handler of `GET /auth/login`.
 *
 * @param path the full path of the route, with the names of its parameters
 */
export function sendLoginForm(
  { appName, loginForm: change }: LoginSettings,
  path: string
): RouteHandlerMethod {
  return async (request, reply) => {
    const url = fillIn(path, request.params as Record<string, string>)
    const form = loginForm(appName, url)
    if (change === undefined) return sendJson(reply, JSON.stringify(form))
    const changed = await makeScreen('loginForm', () => change(form, request))
    return sendJson(reply, screenText('loginForm', { ...changed, auth_action: changed.auth_action ?? url }))
  }
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

/**
 * The login form (contract 2.6): a `Card` with one section of two fields, made anew for each request because a host
 * may change it.
 *
 * @param appName the title
 * @param url the login URL
 */
function loginForm(appName: string, url: string): Form {
  return {
    layout: 'Card',
    title: appName,
    auth_action: url,
    sections: [
      {
        id: 'login',
        label: 'Login',
        fields: [
          { id: 'username', label: 'Username', type: 'Text', value: '' },
          { id: 'password', label: 'Password', type: 'Password', value: '' }
        ]
      }
    ]
  }
}
