import type { FastifyRequest, RouteHandlerMethod } from 'fastify'
import { LOGIN_FORM } from '../../schemas/examples.ts'
import type { ScreenContract } from '../../schemas/index.ts'
import { InvalidAnswerError, ScreenFailedError } from '../errors.ts'
import { sendJson } from '../http.ts'
import type { Form, Settings } from '../options.ts'
import { makeScreen, screenText } from '../screens/screen.ts'

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
    if (auth_action === url) checkFields(changed)
    return sendJson(reply, screenText('loginForm', { ...changed, auth_action }))
  }
}

function checkFields({ sections }: ScreenContract): void {
  const ids = (sections ?? []).flatMap(({ fields }) => fields.map(({ id }) => id))
  if (['username', 'password'].every(id => ids.includes(id))) return
  const rule = 'loginForm must keep the fields `username` and `password`; change their labels, not their ids'
  throw new ScreenFailedError('loginForm', { cause: new InvalidAnswerError(rule) })
}

/**
 * Returns the path that was asked for, before the host's `rewriteUrl`. Without what else a router accepts: an origin, a
 * query, and more slashes or backslashes at the start, which a client would read as a host.
 */
function pathOf({ originalUrl, server: { initialConfig } }: FastifyRequest): string {
  const { useSemicolonDelimiter } = { ...initialConfig, ...initialConfig.routerOptions }
  return originalUrl
    .replace(/^https?:\/\/[^/]*/, '')
    .replace(useSemicolonDelimiter ? /[?#;].*/s : /[?#].*/s, '')
    .replace(/^[/\\\s]*/, '/')
}
