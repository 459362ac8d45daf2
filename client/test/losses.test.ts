// What becomes of unsaved changes when the session ends, and of a request that fails.

import t from 'tap'
import type { Session } from '../index.ts'
import {
  CARD,
  ENTERED,
  empty,
  formAt,
  LOGIN,
  MENU,
  type Replies,
  sessionAt,
  shownAt,
  storeIn,
  turn
} from './session-at.ts'

const LOST = 'Unsaved changes were lost'

/** A session at a Card with an unsaved change, which a function of the test ends in another tab. */
async function changedAt(replies: Replies = {}, { confirm }: { confirm?: () => boolean } = {}) {
  const store = { token: LOGIN as string | null }
  let change = (_: string | null) => {}
  const tokens = {
    ...storeIn(store, 'token'),
    watch(listener: typeof change) {
      change = listener
      return () => {}
    }
  }
  const at = await shownAt('/card', replies, { tokens, ...(confirm && { confirm }) })
  at.session.enter('city', 'Paris')
  return { ...at, change: (text: string | null) => change(text) }
}

t.test('a session that ends says on the login form, and on the next screen, which changes were lost', async t => {
  const ends: [string, (session: Session, change: (text: string | null) => void) => unknown][] = [
    ['a token that is over', session => session.reload()],
    ['a save', session => session.save()],
    ['a logout in another tab', (_, change) => change(null)]
  ]
  for (const [name, end] of ends) {
    const { session, table, state, change } = await changedAt()
    Object.assign(table, { 'GET /card': 401, 'POST /save': 401 })
    await end(session, change)
    await turn()
    t.match(state(), { name: 'login', message: { text: `Your session has ended. Log in again. ${LOST}: City.` } }, name)
    t.equal(session.state.hasChanges, false)
    table['GET /card'] = CARD
    await session.submit(ENTERED)
    t.match(state(), { path: '/card', message: { kind: 'info', text: `${LOST}: City.` } }, name)
    t.equal(state().values.get('city'), 'London', 'contract 5.8')
    await session.open('/menu/main')
    t.equal(state().message, null)
  }
})

t.test('another user learns that changes were lost, but not which', async t => {
  const { change, table, state } = await changedAt()
  table['GET /menu/main'] = MENU
  for (const token of ['one', 'two']) change(`${token}\nusername=eve`)
  await turn()
  t.match(state(), { path: '/menu/main', message: { text: `${LOST}.` } })
})

t.test('a draft whose user has gone in the meantime is told as lost', async t => {
  const draft = JSON.stringify({ path: '/card', user: 'username=ada', fields: [['city', 'London', 'Paris']] })
  for (const token of [null, 'abc\nusername=eve', 'abc']) {
    const { session, state, store } = sessionAt({}, { token, draft })
    await session.start()
    t.match(state().message, { text: `${LOST}.` }, `${token}`)
    t.equal(store.draft, null)
  }
})

t.test('changes that the person gives up, or that were saved, are not told as lost', async t => {
  const left = await changedAt()
  await left.session.logOut()
  t.match(left.state(), { name: 'login', message: { text: 'You are logged out.' } })

  const changed = await changedAt({ 'POST /save': { ...CARD, status: 'Log in again.' } })
  changed.session.enter('pin', '1234')
  changed.table['GET /menu/main'] = 401
  await changed.session.save()
  t.match(changed.state(), { name: 'login', message: { text: 'Log in again.' } })
})

t.test('a logout asks about the changes of a screen that could not be loaded', async t => {
  const draft = JSON.stringify({ path: '/card', user: 'username=ada', fields: [['city', 'London', 'Paris']] })
  const { session, questions, store, state } = await shownAt('/card', { 'GET /card': 503 }, { draft, answer: false })
  t.equal(state().name, 'failed')
  await session.logOut()
  t.match([questions, store], [[{ about: 'unsaved' }], { token: LOGIN, draft }])
})

t.test('without a network nothing is sent, and its return sends what the person has asked for', async t => {
  const [online, offline] = [{ onLine: true }, { onLine: false }]
  const listeners = new Set<() => void>()
  t.intercept(globalThis as never, 'navigator', { value: offline, writable: true })
  t.intercept(globalThis as never, 'addEventListener', { value: (_: string, call: () => void) => listeners.add(call) })
  t.intercept(globalThis as never, 'removeEventListener', {
    value: (_: string, call: () => void) => listeners.delete(call)
  })
  const goOnline = async () => {
    Object.assign(globalThis, { navigator: online })
    for (const call of listeners) call()
    await turn()
    Object.assign(globalThis, { navigator: offline })
  }
  const cut = () => Promise.reject(new TypeError('Failed to fetch'))
  const unsent = { kind: 'error', text: 'No connection. Nothing was sent.', help: 'retry' }

  const login = await formAt({ 'POST /auth/login': cut })
  await login.session.submit(ENTERED)
  t.match([login.state().message, login.state().values.get('password')], [unsent, ENTERED.password])
  login.table['POST /auth/login'] = { success: true, token: 'new', error: null, screen: MENU }
  await goOnline()
  t.match(login.state(), { name: 'screen', message: null })
  login.session.stop()

  const card = await shownAt('/card', { 'POST /save': cut, 'POST /delete': cut, 'GET /other': cut })
  await card.session.save('save', { city: 'Paris' })
  t.match(card.state(), { message: unsent, hasChanges: true })
  card.session.enter('city', 'Rome')
  t.equal(card.state().message, null, 'other values wait for the person')
  card.sent()
  await goOnline()
  t.strictSame(card.sent(), [])

  await card.session.save('delete')
  t.match([card.questions.length, card.state().message], [1, unsent])
  card.table['POST /delete'] = CARD
  await goOnline()
  t.strictSame([card.questions.length, card.sent()], [1, ['POST http://x/delete', 'POST http://x/delete']])

  await card.session.open('/other')
  t.match(card.state().message, { help: 'retry' })
  card.table['GET /other'] = { layout: 'Card', title: 'Other' }
  await goOnline()
  t.match(card.state(), { path: '/other', message: null })
  card.session.stop()
  t.equal(listeners.size, 0)
})

t.test('after a save without a response, the return of the network shows what was saved', async t => {
  t.intercept(globalThis as never, 'addEventListener', { value: (_: string, call: () => void) => (goOnline = call) })
  let goOnline = () => {}
  const { session, table, state } = await shownAt('/card', { 'POST /save': new TypeError('Load failed') })
  await session.save('save', { city: 'Paris' })
  t.match(state().message, { text: /^No response/, help: 'reload' })
  const [section] = CARD.sections
  table['GET /card'] = { ...CARD, sections: [{ ...section, fields: [{ id: 'city', type: 'Text', value: 'Paris' }] }] }
  goOnline()
  await turn()
  t.match(state(), { hasChanges: false, message: null })
})

t.test('a mistake in the host’s fetch reaches the console, and is no failure of the network', async t => {
  const { error } = console
  t.teardown(() => Object.assign(console, { error }))
  for (const mistake of [
    () => Promise.reject(new ReferenceError('tokn is not defined')),
    () => Promise.reject(new TypeError('Cannot read properties of undefined')),
    () => ({ ok: true, status: 200 }) as Response
  ]) {
    const told: unknown[] = []
    console.error = told.push.bind(told)
    const { session, state } = sessionAt({ 'GET /menu/main': mistake })
    await session.start()
    t.match(state(), { name: 'failed', isOffline: false, message: { text: 'This client has an error.' } })
    t.match(told, [/tokn|undefined|not a function/])
  }
})

t.test('every failure of the network counts as one', async t => {
  for (const failure of [
    new DOMException('', 'AbortError'),
    new DOMException('', 'TimeoutError'),
    new TypeError('NetworkError when attempting to fetch resource.'),
    Object.assign(new Error('read'), { code: 'ECONNRESET' })
  ]) {
    const { session, state } = sessionAt({ 'GET /menu/main': () => Promise.reject(failure) })
    await session.start()
    t.match(state(), { name: 'failed', isOffline: true, message: { text: /cannot be reached/ } }, `${failure}`)
  }
})

t.test('the fetch of a browser works, and so does a platform without AbortSignal.timeout', async t => {
  t.intercept(AbortSignal as never, 'timeout', { value: undefined })
  const { session, state } = sessionAt(
    {},
    {
      // As `window.fetch`, which refuses to be called as a method of another object.
      fetch: async function (this: unknown) {
        if (this !== undefined) throw new TypeError('Illegal invocation')
        return empty(204)
      }
    }
  )
  await session.start()
  t.match(state(), { name: 'failed', message: { text: /cannot show/ } })
})
