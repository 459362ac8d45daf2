// A headless session at a server that is a table of responses.

import t from 'tap'
import { type Question, Session, type Store } from '../index.ts'

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
export const CARD = {
  layout: 'Card',
  title: 'Card',
  screen_id: 'person',
  record_id: '7',
  actions: { save: '/save', create: '/create', delete: '/delete' },
  sections: [
    {
      id: 'person',
      label: 'Person',
      fields: [
        { id: 'name', label: 'Name', type: 'Text', value: 'Ada' },
        { id: 'city', label: 'City', type: 'Text', value: 'London' },
        { id: 'pin', label: 'PIN', type: 'Password', value: '' },
        { id: 'since', label: 'Since', type: 'Date', value: '1815-12-10', editable: false }
      ]
    }
  ]
}
export const ENTERED = { username: 'ada', password: 'correct horse' }

/** Those of one test. Without an end, one that tries again would keep the process alive. */
const sessions: Session[] = []
t.afterEach(() => {
  for (const session of sessions.splice(0)) session.stop()
})

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
  {
    token = null as string | null,
    baseUrl = 'http://x',
    draft = null as string | null,
    answer = true as boolean | Promise<boolean>
  } = {}
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
  const store = { token, draft }
  const questions: Question[] = []
  const session = new Session({
    baseUrl,
    tokens: storeIn(store, 'token'),
    drafts: storeIn(store, 'draft'),
    onState: state => states.push('busy' in state && state.busy ? `${state.name} (busy)` : state.name),
    confirm(question) {
      questions.push(question)
      return answer
    },
    fetch: async (url, { method = '', headers, body }) => {
      const authorization = new Headers(headers).get('authorization')
      requests.push({ method, url, authorization, headers: headers as object, body: body?.toString() })
      const reply = table[`${method} ${new URL(url).pathname}`] ?? 404
      if (reply instanceof Error) throw reply
      if (typeof reply === 'function') return reply()
      return typeof reply === 'number' ? empty(reply) : Response.json(reply)
    }
  })
  sessions.push(session)
  const sent = () => requests.splice(0).map(({ method, url }) => `${method} ${url}`)
  // biome-ignore lint/suspicious/noExplicitAny: states are looked into at will, and a wrong look fails the test
  const state = () => session.state as any
  return { session, table, store, requests, sent, states, state, questions }
}

/** A store in a property. */
export function storeIn<Key extends string>(object: Record<Key, string | null>, key: Key): Store {
  return {
    read: () => object[key],
    write(text) {
      object[key] = text
    },
    clear() {
      object[key] = null
    }
  }
}

export const empty = (status: number, headers = {}) => new Response(null, { status, headers })
