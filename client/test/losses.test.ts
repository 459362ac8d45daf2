// What becomes of unsaved changes when the session ends, and of a request that fails.

import t, { type Test } from 'tap'
import type { Session } from '../index.ts'
import { CARD, ENTERED, FORM, LOGIN, MENU } from './fixtures.ts'
import { buttonOf, empty, formAt, held, type Replies, sessionAt, shownAt, storeIn, turn } from './session-at.ts'

const LOST = 'Unsaved changes were lost'
const DRAFT = JSON.stringify({ path: '/card', user: 'username=ada', fields: [['city', 'London', 'Paris']] })

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
  for (const token of [null, 'abc\nusername=eve', 'abc']) {
    const { session, state, store } = sessionAt({}, { token, draft: DRAFT })
    await session.start()
    t.match(state().message, { text: `${LOST}.` }, `${token}`)
    t.equal(store.draft, null)
  }
})

t.test('changes that the person gives up, or that were saved, are not told as lost', async t => {
  const left = await changedAt()
  await left.session.logOut()
  t.equal(left.state().message.text, 'You are logged out.')

  const changed = await changedAt({ 'POST /save': { ...CARD, status: 'Log in again.' } })
  changed.session.enter('pin', '1234')
  changed.table['GET /menu/main'] = 401
  await changed.session.save()
  t.equal(changed.state().message.text, 'Log in again.')
})

t.test('a logout and another screen ask about the changes of a screen that could not be loaded', async t => {
  const { session, questions, store, state } = await shownAt(
    '/card',
    { 'GET /card': 503 },
    { draft: DRAFT, answer: false }
  )
  t.equal(state().name, 'failed')
  await session.logOut()
  await session.open('/menu/main')
  t.match([questions, store], [[{ about: 'unsaved' }, { about: 'unsaved' }], { token: LOGIN, draft: DRAFT }])
})

t.test('who leaves such a screen gives the changes up', async t => {
  const { session, store, state } = await shownAt('/card', { 'GET /card': 503 }, { draft: DRAFT })
  await session.open('/menu/main')
  t.match([state(), store.draft], [{ path: '/menu/main', message: null }, null])
})

t.test('changes of one screen that give way to those of another are told as lost', async t => {
  const { session, state } = await shownAt('/menu/main', { 'GET /eve': { ...CARD, title: 'Eve' } }, { draft: DRAFT })
  await session.open('/eve')
  session.enter('city', 'Rome')
  t.match(state().message, { text: `${LOST}.` })
  session.enter('city', 'Roma')
  session.dismiss()
  session.enter('city', 'Rome')
  t.equal(state().message, null, 'once')
})

const RATE = { id: 'rate', label: 'Rate', type: 'Decimal', value: '1250.50' }
const PRICED = { ...CARD, sections: [{ fields: [RATE] }] }

t.test('a draft is lost with a message if the language of the person has changed', async t => {
  const german = await shownAt('/card', { 'GET /card': PRICED }, { locale: 'de' })
  german.session.enter('rate', '1.300')
  for (const locale of ['de', 'en']) {
    const setup = { locale, draft: german.store.draft }
    const { state } = await shownAt('/card', { 'GET /card': PRICED }, setup)
    const [text, rate] = locale === 'de' ? [/are back/, '1.300'] : [/were lost/, '1,250.50']
    t.match([state().message, state().values.get('rate')], [{ text }, rate])
  }
})

t.test('the same number in another spelling is no change, and no conflict', async t => {
  const { session, state, table } = await shownAt('/card', { 'GET /card': PRICED }, { locale: 'de' })
  t.equal(state().values.get('rate'), '1.250,50')
  session.enter('rate', '1250,50')
  t.equal(state().hasChanges, false)
  session.enter('rate', '1300,00')
  table['GET /card'] = { ...CARD, sections: [{ fields: [{ ...RATE, value: '1300.00' }] }] }
  await session.reload()
  t.match(state(), { hasChanges: false, message: null })
})

t.test('a session that ends behind the form of a button says what was lost', async t => {
  const button = buttonOf({ fields: [{ id: 'reason', label: 'Reason', type: 'Text' }] })
  for (const [reason, lost] of [
    ['None', ` ${LOST}: Reason.`],
    ['', '']
  ] as const) {
    const { session, state } = await shownAt('/card', { 'POST /send': 401 })
    await session.act(button, { reason })
    t.equal(state().message.text, `Your session has ended. Log in again.${lost}`)
  }
})

t.test('a logout during a save does not say that the changes were lost', async t => {
  const save = held()
  const { session, change, state } = await changedAt({ 'POST /save': save.reply })
  const saved = session.save()
  change(null)
  save.respond(Response.json(CARD))
  await saved
  await turn()
  t.match(state().message, {
    text: 'Your session has ended. Log in again. No response. Check whether it was done: City.'
  })
})

t.test('numbers of a login form are sent in the format of the server', async t => {
  const tenant = { id: 'tenant', label: 'Tenant', type: 'Integer', value: '' }
  const form = { ...FORM, locale: { decimal_separator: ',' }, sections: [{ fields: [tenant] }] }
  const { session, bodies, state } = await formAt({ 'GET /auth/login': form, 'POST /send': {} }, { locale: 'en' })
  await session.act(buttonOf(), {})
  await session.submit({ tenant: '1,00' })
  await session.act(buttonOf())
  t.strictSame(state().message, { kind: 'error', text: 'Tenant: not a number like 1,234.', field: 'tenant' })
  await session.submit({ tenant: '1,000' })
  t.match(bodies(), [{ fields: { tenant: '' } }, { fields: { tenant: '1000' } }])
})

t.test('a question that fails means no, and the error reaches the console', async t => {
  const told: unknown[] = []
  t.intercept(console, 'error', { value: told.push.bind(told) })
  const confirm = () => Promise.reject(new ReferenceError('dialog is not defined'))
  const { session, sent, state } = await shownAt('/card', {}, { confirm })
  session.enter('name', 'Eve')
  await session.open('/x')
  await session.save('delete')
  t.strictSame(sent(), [])
  t.match([state(), told], [{ screen: { title: 'Card' }, hasChanges: true }, [/dialog/, /dialog/]])
})

/** The `online` event, which Node lacks. */
function onlineEvent(t: Test) {
  const listeners = new Set<() => void>()
  const add = (_: string, call: () => void) => listeners.add(call)
  const remove = (_: string, call: () => void) => listeners.delete(call)
  t.intercept(globalThis as never, 'addEventListener', { value: add })
  t.intercept(globalThis as never, 'removeEventListener', { value: remove })
  const fire = async () => {
    for (const call of listeners) call()
    await turn()
  }
  return { listeners, fire }
}

t.test('without a network nothing is sent, and its return sends what the person has asked for', async t => {
  const [online, offline] = [{ onLine: true }, { onLine: false }]
  const { listeners, fire } = onlineEvent(t)
  t.intercept(globalThis as never, 'navigator', { value: offline, writable: true })
  const goOnline = async () => {
    Object.assign(globalThis, { navigator: online })
    await fire()
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

  card.table['POST /send'] = cut
  await card.session.act(buttonOf())
  t.match(card.state().message, { ...unsent, help: undefined })
  card.sent()
  await goOnline()
  t.strictSame([card.state().message, card.sent()], [null, []], 'a button may count its presses')

  await card.session.open('/other')
  t.match(card.state().message, { help: 'retry' })
  card.table['GET /other'] = { layout: 'Card', title: 'Other' }
  await goOnline()
  t.match(card.state(), { path: '/other', message: null })
  card.session.stop()
  t.equal(listeners.size, 0)
})

t.test('the return of the network repeats a login without a response', async t => {
  const { fire } = onlineEvent(t)
  const { session, table, state } = await formAt({ 'POST /auth/login': new TypeError('Load failed') })
  await session.submit(ENTERED)
  t.match(state(), { message: { text: 'The server cannot be reached.', help: 'retry' } })
  t.equal(state().values.get('password'), ENTERED.password)
  table['POST /auth/login'] = { success: true, token: 'new', error: null, screen: MENU }
  await fire()
  t.match(state(), { name: 'screen', message: null })
})

t.test('after a save or a button without a response, the return of the network shows what was done', async t => {
  const { fire } = onlineEvent(t)
  const cut = new TypeError('Load failed')
  const replies = { 'POST /save': cut, 'POST /send': cut, 'POST /create': cut }
  const { session, table, state, sent } = await shownAt('/card', replies)
  await session.act(buttonOf())
  t.match(state().message, { text: /^No response/, help: 'reload' })
  sent()
  await fire()
  t.strictSame([sent(), state().message], [['GET http://x/card'], null])
  await session.save('save', { city: 'Paris' })
  t.match(state().message, { text: /^No response/, help: 'reload' })
  sent()
  await session.retry()
  t.strictSame(sent(), [], 'the save is not repeated')
  const [section] = CARD.sections
  table['GET /card'] = { ...CARD, sections: [{ ...section, fields: [{ id: 'city', type: 'Text', value: 'Paris' }] }] }
  await fire()
  t.match(state(), { hasChanges: false, message: null })
})

t.test('a new record, and a button of the login form, without a response have nothing to reload', async t => {
  const cut = new TypeError('Load failed')
  const message = { kind: 'error', text: 'No response. Check whether it was done.' }
  const card = await shownAt('/new', {
    'GET /new': { ...CARD, record_id: '', actions: { create: '/create' } },
    'POST /create': cut
  })
  await card.session.save('create', { city: 'Paris' })
  const form = await formAt({ 'POST /send': cut })
  await form.session.act(buttonOf())
  t.strictSame([card.state().message, form.state().message], [message, message])
})

t.test('a button asks about unsaved changes, and then its own question', async t => {
  const { session, questions, sent } = await shownAt('/card', { 'POST /send': { success: true } })
  session.enter('city', 'Paris')
  await session.act(buttonOf({ kind: 'confirm', confirm_message: 'Send?' }))
  t.match(questions, [{ about: 'unsaved' }, { about: 'action', text: 'Send?' }])
  t.strictSame([questions.length, sent()[0]], [2, 'POST http://x/send'])
})

t.test('a user who logs in elsewhere is not led to the address of the first one', async t => {
  const late = held()
  const { change, state, session, table } = await changedAt()
  table['GET /menu/main'] = late.reply
  const started = session.start('/card?id=2')
  await turn()
  table['GET /menu/main'] = MENU
  change('token\nusername=eve')
  late.respond(Response.json(MENU))
  await started
  await turn()
  t.equal(state().path, '/menu/main')
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
