// A person can cancel a running request, repeat a failed one, or start another search.

import t from 'tap'
import { CARD, ENTERED, empty, FORM, formAt, held, MENU, sessionAt, shownAt, storeIn } from './session-at.ts'

const turn = () => new Promise(setImmediate)
const LIST = { layout: 'List', title: 'People', lines: {} }
const CANCELLED = { name: 'failed', busy: null, retryAt: null, message: { kind: 'info', text: 'Cancelled.' } }

t.test('a person can cancel loading, and the screen stays', async t => {
  const card = held()
  const { session, state } = await shownAt('/menu/main', { 'GET /card': card.reply })
  const opened = session.open('/card')
  t.equal(state().busy, 'loading')
  session.cancel()
  t.match(state(), { name: 'screen', path: '/menu/main', busy: null, message: null })
  card.respond(Response.json(CARD))
  await opened
  t.match(state(), { path: '/menu/main' }, 'the late response is ignored')
})

t.test('a 401 after a cancel ends the session', async t => {
  const card = held()
  const { session, state, store } = await shownAt('/menu/main', { 'GET /card': card.reply })
  const opened = session.open('/card')
  session.cancel()
  card.respond(empty(401))
  await opened
  t.match([state().name, store.token], ['login', null])
})

t.test('without a token, a 401 after a cancel does not load the login form', async t => {
  const menu = held()
  const { session, state, sent } = sessionAt({ 'GET /menu/main': menu.reply })
  const started = session.start()
  await turn()
  session.cancel()
  menu.respond(empty(401))
  await started
  t.match([state().name, sent()], ['failed', ['GET http://x/menu/main']])
})

t.test('without a current screen, a cancel leads to the state failed, and can be retried', async t => {
  const menu = held()
  const { session, state, table } = sessionAt({ 'GET /menu/main': menu.reply }, { token: 'abc' })
  const started = session.start()
  session.cancel()
  t.equal(state().name, 'starting', 'the session is still reading the token')
  await turn()
  session.cancel()
  t.match(state(), { ...CANCELLED, path: '/menu/main' })
  menu.respond(Response.json(MENU))
  await started
  const again = held()
  table['GET /menu/main'] = again.reply
  const retried = session.retry()
  t.equal(state().busy, 'loading')
  session.cancel()
  t.match(state(), CANCELLED)
  again.respond(Response.json(MENU))
  await retried
  table['GET /menu/main'] = MENU
  await session.retry()
  t.match(state(), { name: 'screen', path: '/menu/main' })
})

t.test('a person can cancel the check of a login, and the loading of the screen after it', async t => {
  const [login, card] = [held(), held()]
  const { session, state, table, store } = sessionAt({ 'POST /auth/login': login.reply, 'GET /card': card.reply })
  await session.start('/card')
  const submitted = session.submit(ENTERED)
  session.cancel()
  t.match(state(), { name: 'login', busy: null, message: null })
  t.equal(state().values.get('password'), ENTERED.password)
  login.respond(Response.json({ success: true, token: 'late', screen: MENU }))
  await submitted
  t.match([state().name, store.token], ['login', null])

  table['POST /auth/login'] = { success: true, token: 'new', screen: MENU }
  session.submit()
  while (state().busy !== 'loading') await turn()
  session.cancel()
  t.match(state(), { ...CANCELLED, path: '/card', isLoggedIn: true })
})

t.test('a cancel while the token is being stored does not undo the login', async t => {
  let store = () => {}
  const write = () => new Promise<void>(resolve => (store = resolve))
  const { session, state } = await formAt({}, { tokens: { ...storeIn({ token: null }, 'token'), write } })
  const submitted = session.submit(ENTERED)
  while (!state().isLoggedIn) await turn()
  session.cancel()
  store()
  await submitted
  t.match(state(), { ...CANCELLED, path: '/menu/main', isLoggedIn: true })
})

t.test('a save cannot be cancelled', async t => {
  const saved = held()
  const { session, state } = await shownAt('/card', { 'POST /save': saved.reply })
  session.cancel()
  const saving = session.save('save', { city: 'Paris' })
  session.cancel()
  t.equal(state().busy, 'saving')
  saved.respond(Response.json({ ...CARD, title: 'Saved' }))
  await saving
  t.match(state(), { screen: { title: 'Saved' } })
})

t.test('a retry repeats the failed request unchanged', async t => {
  const list = { ...LIST, actions: { create: '/new' } }
  const { session, state, table, sent } = await shownAt('/list', { 'GET /list': list, 'GET /new': 503 })
  await session.create()
  t.match(state(), { path: '/list', message: { kind: 'error', help: 'retry' } })
  session.dismiss()
  await session.retry()
  t.equal(state().message, null)
  await session.create()
  sent()
  table['GET /new'] = { ...CARD, record_id: undefined, actions: { save: '/save', create: '/create' } }
  await session.retry()
  t.strictSame(sent(), ['GET http://x/new'])
  t.match(state().screen.actions, { save: '', create: '/create' })
  await session.retry()
  t.strictSame(sent(), [], 'and only once')
})

t.test('after a 404 the message offers no retry', async t => {
  const { session, state } = await shownAt('/list', { 'GET /list': LIST })
  await session.open('/gone')
  t.strictSame(state().message, { kind: 'error', text: 'The server has nothing at this address.' })
})

t.test('no screen opens while a Card is being saved, and the result of the save is shown', async t => {
  const save = held()
  const { session, state, sent } = await shownAt('/card', { 'POST /save': save.reply })
  const saved = session.save('save', { city: 'Paris' })
  await session.open('/other')
  await session.reload()
  save.respond(Response.json({ ...CARD, status: 'Error: No.' }))
  await saved
  t.strictSame(sent(), ['POST http://x/save'])
  t.match(state(), { path: '/card', message: { text: 'No.' } })
})

t.test('a retry keeps unsaved changes or asks about them, like the failed request', async t => {
  const { session, state, table, questions } = await shownAt('/card', { 'GET /other': 500 })
  session.enter('city', 'Paris')
  table['GET /card'] = 500
  await session.reload()
  table['GET /card'] = CARD
  await session.retry()
  t.match([questions, state().values.get('city')], [[], 'Paris'])
  await session.open('/other')
  await session.retry()
  t.match(questions, [{ about: 'unsaved' }, { about: 'unsaved' }])
})

t.test('after a URL of another server the message offers no retry', async t => {
  const { session, state } = await shownAt('/menu/main')
  await session.open('http://y/')
  t.strictSame(state().message, { kind: 'error', text: 'This address belongs to another server.' })
})

t.test('a search fetches the list again, and replaces its rows', async t => {
  const { session, state, sent } = await shownAt('/list?page=2', { 'GET /list': LIST })
  await session.search('a & b?')
  t.match(state(), { path: '/list?query=a%20%26%20b%3F', replaces: true })
  await session.search('')
  await session.search('\ud800')
  t.strictSame(
    sent(),
    ['a%20%26%20b%3F', '', '%EF%BF%BD'].map(q => `GET http://x/list${q && `?query=${q}`}`)
  )
})

t.test('the last search is shown, and only a list can be searched', async t => {
  const [a, b] = [held(), held()]
  const at = await shownAt('/list', { 'GET /list': LIST })
  const { session, state, table, sent } = at
  table['GET /list'] = a.reply
  const first = session.search('a')
  table['GET /list'] = b.reply
  const second = session.search('b')
  b.respond(Response.json({ ...LIST, title: 'b' }))
  await second
  a.respond(Response.json({ ...LIST, title: 'a' }))
  await first
  t.match(state(), { screen: { title: 'b' }, path: '/list?query=b' })
  await session.open('/card')
  sent()
  await session.search('x')
  t.strictSame(sent(), [])
})

t.test('a lockout has an end, and does not apply to another user', async t => {
  const locked = () =>
    Response.json({ success: false, error: 'Wait.' }, { status: 401, headers: { 'retry-after': '900' } })
  const { session, state, table } = await formAt({ 'POST /auth/login': locked })
  t.equal(state().retryAt, null)
  await session.submit(ENTERED)
  const { retryAt } = state()
  t.ok(Math.abs(retryAt - Date.now() - 900_000) < 5_000)
  session.enter('password', 'other')
  session.enter('username', 'ada')
  t.match(state(), { retryAt, message: { text: 'Wait.' } })
  session.enter('username', 'eve')
  t.match(state(), { retryAt: null, message: null })
  for (const [retryAfter, seconds] of [
    ['-1', null],
    ['soon', null],
    [new Date(Date.now() + 60_000).toUTCString(), 60],
    ['99999999', 86_400]
  ] as const) {
    table['POST /auth/login'] = () => empty(503, { 'retry-after': retryAfter })
    await session.submit()
    const wait = state().retryAt && (state().retryAt - Date.now()) / 1000
    t.ok(seconds === null ? wait === null : Math.abs(wait - seconds) < 5, retryAfter)
  }
})

t.test('the end of a lockout is a new state', async t => {
  const locked = () => Response.json({ success: false, error: 'Wait.' }, { headers: { 'retry-after': '0.05' } })
  const { session, state } = await formAt({ 'POST /auth/login': locked })
  await session.submit(ENTERED)
  t.not(state().retryAt, null)
  const free = new Promise<void>(resolve => {
    session.subscribe(state => {
      if (state.name === 'login' && state.retryAt === null) resolve()
    })
  })
  // The session itself does not keep the process alive.
  const alive = setInterval(() => {}, 1000)
  await free
  clearInterval(alive)
  t.equal(state().message, null)
})

t.test('a retry of the login form is sent without a token', async t => {
  const { session, state, table, requests } = await shownAt('/menu/main', { 'GET /x': 401, 'GET /auth/login': 500 })
  await session.open('/x')
  t.match(state(), { name: 'failed', path: '/auth/login' })
  table['GET /auth/login'] = FORM
  await session.retry()
  t.match(state(), { name: 'login' })
  t.equal(requests.at(-1)?.authorization, null)
})
