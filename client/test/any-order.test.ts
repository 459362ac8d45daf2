// Random calls in random order, with random responses at random times: no method rejects, and every state can be drawn.

import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { Session, type State } from '../index.ts'
import { CARD, FORM, MENU } from './fixtures.ts'
import { storeIn } from './session-at.ts'

const TOKEN = 'a-token'
const PASSWORD = 'a-password'
const EVIL = 'http://evil.example/x'

const json = (body: unknown, init?: ResponseInit) => () => Response.json(body, init)
const status = (code: number) => () => new Response(null, { status: code })

const unauthorized = status(401)

const KEYS = `layout title status sections fields id label type value editable validation pattern options row_group
  column menu tabs items action lines columns rows values on_select locale decimal_separator thousand_separator
  date_format screen_actions actions save create ui_strings screen_id record_id auth_action redirect screen error
  message push_url __proto__ constructor`.split(/\s+/)
const TEXTS = ['Decimal', 'DateRange', 'Error: x', 'z-a', '1', '{0}'.repeat(2000), '\ud800', '9'.repeat(60_000), EVIL]
const { object } = fc.letrec<{ value: unknown; object: object }>(tie => ({
  value: fc.oneof({ maxDepth: 6 }, fc.jsonValue(), fc.constantFrom(...TEXTS), fc.array(tie('value')), tie('object')),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie('value'))
}))
const kind = fc.constantFrom(
  { layout: 'Card' },
  { layout: 'List' },
  { success: true, token: TOKEN },
  { success: false }
)
const hostile = fc.tuple(object, kind).map(([object, kind]) => json({ ...object, ...kind }))

/** Whether a view can draw a value without a check of its type. */
const isDrawable = (value: unknown): boolean =>
  value === null ||
  ['string', 'boolean', 'number', 'undefined'].includes(typeof value) ||
  (value instanceof Map && [...value.values()].every(isDrawable)) ||
  (typeof value === 'object' && Object.values(value).every(isDrawable))

const known = fc.constantFrom<() => Response>(
  json(MENU),
  json(CARD),
  json(CARD, { headers: { 'content-location': '/elsewhere' } }),
  json(CARD, { headers: { 'content-location': '//evil.example/' } }),
  json({ ...CARD, status: 'Error: no' }),
  json({ ...CARD, actions: { save: EVIL, create: EVIL, delete: EVIL } }),
  json(FORM),
  json({ ...FORM, auth_action: EVIL }),
  json({ success: true, token: TOKEN, screen: MENU }),
  json({ success: true, token: TOKEN }),
  json({ success: true, token: 'a\nb' }),
  json({ success: false, error: 'no' }),
  json({ success: true, push_url: EVIL }),
  json({ success: true, redirect_url: '/card' }),
  json([null]),
  unauthorized,
  unauthorized,
  status(503),
  status(404),
  () => {
    throw new TypeError('no network')
  }
)

const response = fc.oneof({ weight: 3, arbitrary: known }, hostile)

const button = { id: 'b', label: 'B', confirmMessage: '', fields: [] }
const action = { text: '', items: [] }

const call = fc.constantFrom<(session: Session) => unknown>(
  session => session.start('/card'),
  session => session.submit({ username: 'ada', password: PASSWORD }),
  session => session.open('/card'),
  session => session.open(EVIL),
  session => session.enter('name', 'Eve'),
  session => session.enter('pin', PASSWORD),
  session => session.save(),
  session => session.save('create'),
  session => session.save('delete'),
  session => session.act({ ...button, kind: 'confirm', endpoint: '/act' }),
  session => session.act({ ...button, kind: 'simple', endpoint: EVIL }),
  session => session.follow({ ...action, type: 'message', url: '' }),
  session => session.follow({ ...action, type: 'open_menu', url: '/menu/main' }),
  session => session.reload(),
  session => session.search('x'),
  session => session.retry(),
  session => session.cancel(),
  session => session.dismiss(),
  session => session.logOut()
)

/** A call; a response to the first or last open request; an answer to all questions; or a login or logout elsewhere. */
const step = fc.oneof(
  { weight: 3, arbitrary: call.map(call => ({ call })) },
  { weight: 3, arbitrary: fc.record({ response, isLast: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constantFrom(true, false, null).map(answer => ({ answer })) },
  { weight: 1, arbitrary: fc.constantFrom(TOKEN, null).map(token => ({ token })) }
)

t.test('the session works in any order of calls and responses', async t => {
  // A question that fails is told there.
  t.intercept(console, 'error', { value() {} })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const wrong: string[] = []
      const store = { token: TOKEN as string | null, draft: null as string | null }
      const requests: { authorization: string | null; settle: (of: () => Response) => void }[] = []
      const questions: ((answer: boolean | null) => void)[] = []
      let posts = 0
      let isSaving = false
      let notify = (_: string | null) => {}
      const session: Session = new Session({
        baseUrl: 'http://x',
        tokens: {
          ...storeIn(store, 'token'),
          read: async () => store.token,
          watch(listener) {
            notify = listener
            return () => {}
          }
        },
        drafts: storeIn(store, 'draft'),
        confirm: () =>
          new Promise((resolve, reject) =>
            questions.push(answer => (answer === null ? reject(new Error('closed')) : resolve(answer)))
          ),
        fetch: (url, { method = '', headers, body }) =>
          new Promise((resolve, reject) => {
            const sent = new URL(url)
            const authorization = new Headers(headers).get('authorization')
            if (sent.origin !== 'http://x') wrong.push(`sent to ${url}`)
            if (authorization !== null && authorization !== `Bearer ${TOKEN}`) wrong.push(authorization)
            if (url.includes(TOKEN) || url.includes(PASSWORD) || String(body).includes(TOKEN))
              wrong.push('a secret in the URL or the body')
            if (authorization && method === 'GET' && sent.pathname === '/auth/login') wrong.push('a token for the form')
            const isLogout = sent.pathname === '/auth/logout'
            // A newer GET may replace a running POST; a second POST must not start.
            if (method === 'POST' && !isLogout) {
              if (isSaving) wrong.push('a second POST at the same time')
              posts += 1
            }
            if (!isLogout) isSaving = method === 'POST'
            const respond = async (of: () => Response) => of()
            requests.push({
              authorization,
              settle(of) {
                if (method === 'POST' && !isLogout) isSaving = false
                respond(of).then(resolve, reject)
              }
            })
          })
      })
      session.subscribe(state => {
        if (!['starting', 'login', 'screen', 'failed'].includes(state.name)) wrong.push(`state ${state.name}`)
        if (!isDrawable(state)) wrong.push('a value of a wrong type')
        if (state.name === 'starting' ? state.busy === null : state.busy === undefined) wrong.push('not busy')
        if (state.isLoggedIn !== state.canOpen && state.name === 'login') wrong.push('canOpen differs from isLoggedIn')
      })
      const calls: Promise<unknown>[] = []
      const isBusy = (state: State) => state.busy !== null
      const settle = async (respond: () => Response, isLast: boolean) => {
        const request = isLast ? requests.pop() : requests.shift()
        const { token } = store
        request?.settle(respond)
        await turn()
        // Only a 401 that has cleared the token counts: a late 401 after a logout must not end the next session.
        const isEnd = respond === unauthorized && request?.authorization && token !== null && store.token === null
        if (isEnd && (session.state.isLoggedIn || store.draft)) wrong.push('token or draft left after a 401')
      }

      calls.push(session.start())
      for (const step of steps) {
        if ('call' in step) {
          const wasBusy = isBusy(session.state)
          const before = posts
          // As in a double click.
          calls.push(Promise.resolve(step.call(session)), Promise.resolve(step.call(session)))
          await turn()
          if (posts - before > 1) wrong.push('sent twice')
          if (wasBusy && posts > before) wrong.push('sent while busy')
        } else if ('answer' in step) {
          const before = posts
          for (const question of questions.splice(0)) question(step.answer)
          await turn()
          if (posts - before > 1) wrong.push('two answers sent it twice')
        } else if ('token' in step) {
          if ((step.token === null) !== (store.token === null)) {
            store.token = step.token
            notify(step.token)
            await turn()
            // The session ignores the responses to older requests.
            isSaving = false
          }
        } else await settle(step.response, step.isLast)
        if (store.draft?.includes(PASSWORD)) wrong.push('a password in the draft')
      }
      for (const question of questions.splice(0)) question(false)
      await turn()
      for (let n = 0; n < 200 && requests.length > 0; n += 1) await settle(unauthorized, false)
      if (requests.length > 0) wrong.push('sends requests without end')
      await Promise.all(calls)
      if (isBusy(session.state) || session.state.name === 'starting') wrong.push(`busy: ${session.state.name}`)
      session.stop()
      assert.deepEqual(wrong, [])
    }),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 40) }
  )
})
