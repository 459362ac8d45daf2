// A headless session at a server that is a table of responses.

import { Session } from '../../../examples/client/session.js'

export const FORM = {
  layout: 'Card',
  title: 'Demo',
  auth_action: '/auth/login',
  sections: [
    {
      id: 'login',
      label: 'Login',
      fields: [
        { id: 'username', label: 'Username', type: 'Text', value: '' },
        { id: 'password', label: 'Password', type: 'Password', value: '' },
        { id: 'company', label: 'Company', type: 'Text', value: 'ACME', editable: false }
      ]
    }
  ]
}
export const MENU = { layout: 'Menu', title: 'Main Menu', user_display_name: 'Ada', menu: { tabs: [] } }
export const CARD = { ...FORM, auth_action: undefined, save_action: '/save', title: 'Card' }
export const ENTERED = new Map([
  ['username', 'ada'],
  ['password', 'correct horse']
])

interface Request {
  method: string
  url: string
  authorization: string | null
  headers: object
  body: string | undefined
}

export type Reply = object | number | Error | (() => Response | Promise<Response>)

/**
 * A session at a server that is a table of its responses: an object as JSON, a number as an empty response of that
 * status, an Error as a broken network. By default it is one that wants a login.
 */
export function sessionAt(
  replies: Record<string, Reply> = {},
  { token = null as string | null, baseUrl = 'http://x' } = {}
) {
  const table: Record<string, Reply> = {
    'GET /menu/main': () => (lastToken() === null ? empty(401) : Response.json(MENU)),
    'GET /auth/login': FORM,
    'POST /auth/login': { success: true, token: 'new', error: null, screen: MENU },
    ...replies
  }
  const requests: Request[] = []
  const lastToken = () => requests.at(-1)?.authorization ?? null
  const states: string[] = []
  const store = { token }
  const session = new Session({
    baseUrl,
    tokens: {
      read: () => store.token,
      write(token: string) {
        store.token = token
      },
      clear() {
        store.token = null
      }
    },
    onState: ({ name }) => states.push(name),
    fetch: async (url, { method = '', headers, body }) => {
      const authorization = new Headers(headers).get('authorization')
      requests.push({ method, url, authorization, headers: headers as object, body: body?.toString() })
      const reply = table[`${method} ${new URL(url).pathname}`] ?? 404
      if (reply instanceof Error) throw reply
      if (typeof reply === 'function') return reply()
      return typeof reply === 'number' ? empty(reply) : Response.json(reply)
    }
  })
  const sent = () => requests.splice(0).map(({ method, url }) => `${method} ${url}`)
  // biome-ignore lint/suspicious/noExplicitAny: states are looked into at will, and a wrong look fails the test
  const state = () => session.state as any
  return { session, table, store, requests, sent, states, state }
}

export const empty = (status: number, headers = {}) => new Response(null, { status, headers })
