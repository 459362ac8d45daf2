import type { FastifyRequest } from 'fastify'
import type { ScreenContract } from '../schemas/index.ts'

/** The login URL as the client reaches it: the path of the matched route, every prefix and its parameters filled in. */
export function loginUrl({ params, routeOptions }: FastifyRequest): string {
  const values = params as Record<string, string>
  return (routeOptions.url as string).replace(/:(\w+)(\([^)]*\))?/g, (_, name) =>
    encodeURIComponent(values[name] as string)
  )
}

/**
 * The login form (contract 2.6): a `Card` with one section of two fields, made anew for each request because a host
 * may change it.
 *
 * @param appName the title
 * @param url the login URL
 */
export function loginForm(appName: string, url: string): ScreenContract {
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
