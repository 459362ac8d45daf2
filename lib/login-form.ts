import type { ScreenContract } from '../schemas/index.ts'

/**
 * The login form (contract 2.6): a `Card` with one section of two fields, made anew for each request because a host
 * may change it.
 *
 * @param appName the title
 * @param url the login URL, with every prefix
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
