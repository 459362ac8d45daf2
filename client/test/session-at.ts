// A session with a fake server, which is a table of responses.

import t from 'tap'
import { type Question, readScreen, Session, type SessionOptions, type Store } from '../index.ts'
import { CARD, FORM, LOGIN, MENU } from './fixtures.ts'

/** A button as the session reads it. */
export const buttonOf = (button: object = {}) =>
  readScreen({
    layout: 'Card',
    screen_actions: [{ id: 'send', label: 'Send', kind: 'simple', endpoint: '/send', ...button }]
  })?.screenActions[0] as never

/** The sessions of one test, to stop them: a session that retries would keep the process alive. */
const sessions: Session[] = []
t.afterEach(() => {
  for (const session of sessions.splice(0)) session.stop()
})

/** An object is a JSON response, a number an empty response with that status, and an Error a network failure. */
export type Reply = object | number | Error | (() => Response | Promise<Response>)
export type Replies = Record<string, Reply>

interface Setup extends Partial<SessionOptions> {
  token?: string | null
  draft?: string | null
  /** The answer to every question. */
  answer?: boolean | Promise<boolean>
}

/** A session with a fake server. By default that server requires a login. */
export function sessionAt(
  replies: Replies = {},
  { token = null, draft = null, answer = true, ...options }: Setup = {}
) {
  const table: Replies = {
    'GET /menu/main': () => (requests.at(-1)?.authorization == null ? empty(401) : Response.json(MENU)),
    'GET /auth/login': FORM,
    'POST /auth/login': { success: true, token: 'new', error: null, screen: MENU },
    'GET /card': CARD,
    ...replies
  }
  const requests: { method: string; url: string; authorization: string | null; init: RequestInit }[] = []
  const states: string[] = []
  const store = { token, draft }
  const questions: Question[] = []
  const session = new Session({
    baseUrl: 'http://x',
    tokens: storeIn(store, 'token'),
    drafts: storeIn(store, 'draft'),
    confirm(question) {
      questions.push(question)
      return answer
    },
    fetch: async (url, init) => {
      const { method = '', headers } = init
      requests.push({ method, url, authorization: new Headers(headers).get('authorization'), init })
      const reply = table[`${method} ${new URL(url).pathname}`] ?? 404
      if (reply instanceof Error) throw reply
      if (typeof reply === 'function') return reply()
      return typeof reply === 'number' ? empty(reply) : Response.json(reply)
    },
    ...options
  })
  sessions.push(session)
  session.subscribe(({ name, busy }) => states.push(busy && name !== 'starting' ? `${name} (${busy})` : name))
  return {
    session,
    table,
    store,
    requests,
    states,
    questions,
    /** The requests since the last call. */
    sent: () => requests.splice(0).map(({ method, url }) => `${method} ${url}`),
    /** The fields of the stored draft. */
    drafted: () => JSON.parse(store.draft ?? '{"fields":[]}').fields,
    /** The bodies of the requests. */
    bodies: () => requests.flatMap(({ init: { body } }) => (body ? [JSON.parse(body as string)] : [])),
    // biome-ignore lint/suspicious/noExplicitAny: tests read any property, and fail if it is missing
    state: () => session.state as any
  }
}

/** A logged-in session at the screen of a path, without the requests so far. */
export async function shownAt(path: string, replies: Replies = {}, setup: Setup = {}) {
  const at = sessionAt(replies, { token: LOGIN, ...setup })
  await at.session.start(path)
  at.sent()
  return at
}

/** A session at the login form, without the requests so far. */
export async function formAt(replies: Replies = {}, setup: Setup = {}) {
  const at = sessionAt(replies, setup)
  await at.session.start()
  at.sent()
  return at
}

/** A response that arrives when `respond` is called. */
export function held() {
  let respond = (_: Response) => {}
  const response = new Promise<Response>(resolve => {
    respond = resolve
  })
  return { reply: () => response, respond: (reply: Response) => respond(reply) }
}

/** A store in a property of an object. */
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

/** Waits until all responses that have arrived are handled. */
export const turn = () => new Promise(setImmediate)

/** A network failure. */
export const down = new TypeError('fetch failed')

/** The connection ends during the body. */
export const broken = () => new Response(new ReadableStream({ start: c => c.error(new Error('reset')) }))
