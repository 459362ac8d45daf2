// The session with a server that is slow, down, broken or hostile: retries, cancelled requests and lockouts.

import { mock } from 'node:test'
import t from 'tap'
import { CARD, ENTERED, FORM, LOGIN, MENU, PEOPLE } from './fixtures.ts'
import { broken, down, empty, formAt, held, type Reply, sessionAt, shownAt, turn } from './session-at.ts'

const CANCELLED = { name: 'failed', busy: null, retryAt: null, message: { kind: 'info', text: 'Cancelled.' } }

/** Stops the clock for a test. */
function stopClock(t: { teardown(end: () => void): unknown }, apis: ('setTimeout' | 'Date')[] = ['setTimeout']) {
  mock.timers.enable({ apis })
  t.teardown(() => mock.timers.reset())
}

/** Seconds until the session retries. */
const waitOf = ({ retryAt }: { retryAt: number | null }) => (retryAt === null ? null : (retryAt - Date.now()) / 1000)

t.test('the session follows no HTTP redirect, and the browser caches no response', async t => {
  for (const response of [empty(302, { location: 'http://y/' }), Response.error()]) {
    const { session, requests, state } = sessionAt({ 'GET /menu/main': () => response })
    await session.start()
    t.match(requests, [{ init: { redirect: 'manual', cache: 'no-store' } }])
    t.match(state(), { name: 'failed', isOffline: false, message: { text: /refused/ } })
  }
})

t.test('a failure is reported, and without a screen it is a state that retries after a temporary failure', async t => {
  stopClock(t)
  for (const [reply, status, retries, text] of [
    [down, 0, true, /cannot be reached/],
    [broken, 0, true, /cannot be reached/],
    [408, 408, true, /cannot respond/],
    [429, 429, true, /cannot respond/],
    [500, 500, false, /cannot respond/],
    [502, 502, true, /cannot respond/],
    [503, 503, true, /cannot respond/],
    [504, 504, true, /cannot respond/],
    [403, 403, false, /refused/],
    [404, 404, false, /nothing at this address/],
    [() => Response.json(CARD, { status: 500 }), 500, false, /cannot respond/],
    [() => new Response('hello'), 200, false, /cannot show/],
    [() => Response.json({ title: 'no layout' }), 200, false, /cannot show/]
  ] as [Reply, number, boolean, RegExp][]) {
    const shown = await shownAt('/menu/main', { 'GET /bad': reply })
    await shown.session.open('/bad')
    t.match(shown.state(), { name: 'screen', path: '/menu/main', message: { kind: 'error', text }, busy: null })
    t.equal(shown.state().message.help, `${text}`.includes('nothing') ? undefined : 'retry')
    t.strictSame(shown.states, ['starting', 'screen', 'screen (loading)', 'screen'])
    t.equal(shown.store.token, LOGIN)

    const path = '/menu/main'
    const { session, state, store, table, sent } = await shownAt(path, { 'GET /menu/main': reply })
    const failed = { name: 'failed', status, isOffline: status === 0, path, message: { kind: 'error', text } }
    t.match(state(), { ...failed, busy: null })
    t.equal(store.token, LOGIN)
    t.equal(state().retryAt !== null, retries, `${status}`)
    mock.timers.tick(1e9)
    t.strictSame(sent(), retries ? ['GET http://x/menu/main'] : [])
    while (state().busy) await turn()
    table['GET /menu/main'] = MENU
    const retried = session.retry()
    t.match(state(), { busy: 'loading', retryAt: null })
    await Promise.all([retried, session.retry()])
    t.strictSame(sent(), ['GET http://x/menu/main'], 'a person can retry, too')
    t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
  }
})

t.test('after a failure at the start, a retry requests the menu or the login form again', async t => {
  const { session, state, table } = sessionAt({ 'GET /menu/main': 502, 'GET /auth/login': down })
  await session.start()
  t.match(state(), { name: 'failed', path: '/menu/main', isOffline: false })
  table['GET /menu/main'] = 401
  await session.retry()
  t.match(state(), { name: 'failed', path: '/auth/login', isOffline: true })
  for (const [unfit, text] of [
    [401, /refused/],
    [() => Response.json(FORM, { status: 500 }), /respond now/],
    [{ ...FORM, auth_action: undefined }, /cannot show/]
  ] as [Reply, RegExp][]) {
    table['GET /auth/login'] = unfit
    await session.retry()
    t.match(state(), { name: 'failed', message: { text }, busy: null })
  }
  table['GET /auth/login'] = FORM
  await session.retry()
  t.match(state(), { name: 'login', message: null })
})

t.test('after a failure of the menu a retry opens the screen given to start(), once', async t => {
  const { session, state, table } = await shownAt('/card', { 'GET /menu/main': 503 })
  t.equal(state().name, 'failed')
  table['GET /menu/main'] = MENU
  await session.retry()
  t.match(state(), { name: 'screen', screen: { title: 'Card' } })
  await session.open('/menu/main')
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
})

t.test('after a failure, another screen can be opened, and the user can log out', async t => {
  const { session, state, table } = await shownAt('/nowhere', { 'GET /menu/main': 500 })
  await session.open('/nowhere')
  t.match(state(), { name: 'failed', status: 404 })
  await session.open('/card')
  t.match(state(), { name: 'screen', screen: { title: 'Card' } }, 'and not the one given to start()')
  const other = await shownAt('/card', { 'GET /menu/main': 500 })
  other.table['GET /menu/main'] = MENU
  await other.session.open('/menu/main')
  t.match(other.state(), { name: 'screen', path: '/menu/main' })
  Object.assign(other.table, { 'GET /menu/main': 401, 'GET /auth/login': 503 })
  await other.session.open('/menu/main')
  t.match(other.state(), { name: 'failed', path: '/auth/login' })
  other.table['GET /auth/login'] = FORM
  await other.session.retry()
  await other.session.submit(ENTERED)
  t.equal(other.state().path, '/menu/main', 'also after the next login')
  table['GET /menu/main'] = 401
  await session.logOut()
  t.equal(state().name, 'login')
})

t.test('the wait doubles with each retry, up to a minute, and has a random part', async t => {
  stopClock(t, ['setTimeout', 'Date'])
  const { session, state, table, sent } = sessionAt({ 'GET /menu/main': down })
  for (const [random, factor] of [
    [0, 1],
    [0.999, 1.4995]
  ] as const) {
    const spread = mock.method(Math, 'random', () => random)
    table['GET /menu/main'] = down
    await session.start()
    for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
      t.ok(Math.abs((waitOf(state()) ?? 0) - seconds * factor) < 0.01, `${seconds} s, ${random}`)
      sent()
      mock.timers.tick(seconds * factor * 1000 - 10)
      t.strictSame(sent(), [], 'not before')
      mock.timers.tick(20)
      t.strictSame(sent(), ['GET http://x/menu/main'])
      await turn()
    }
    table['GET /menu/main'] = MENU
    await session.retry()
    t.equal(state().name, 'screen', 'a success resets the wait')
    spread.mock.restore()
  }
})

t.test('a retry waits for Retry-After, up to 300 seconds', async t => {
  const spread = mock.method(Math, 'random', () => 0)
  t.teardown(() => spread.mock.restore())
  for (const [retryAfter, seconds] of [
    ['7', 7],
    ['-1', 2],
    ['999999', 300],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 2]
  ] as const) {
    const { state } = await formAt({ 'GET /menu/main': () => empty(503, { 'retry-after': retryAfter }) })
    t.equal(Math.ceil(waitOf(state()) ?? 0), seconds, retryAfter)
  }
})

t.test('a retry repeats the failed request unchanged, once', async t => {
  const { session, state, table, sent } = await shownAt('/list', { 'GET /list': PEOPLE, 'GET /new': 503 })
  await session.create()
  t.match(state(), { path: '/list', message: { kind: 'error', help: 'retry' } })
  session.dismiss()
  await session.retry()
  t.equal(state().message, null)
  await session.create()
  sent()
  table['GET /new'] = { ...CARD, record_id: undefined, actions: { save: '/save', create: '/create' } }
  await session.retry()
  t.match(state().screen.actions, { save: '', create: '/create' })
  await session.retry()
  t.strictSame(sent(), ['GET http://x/new'])
})

t.test('a person can cancel loading: the screen stays, and only a late 401 counts', async t => {
  for (const [late, name] of [
    [Response.json(CARD), 'screen'],
    [empty(401), 'login']
  ] as const) {
    const card = held()
    const { session, state, store } = await shownAt('/menu/main', { 'GET /card': card.reply })
    const opened = session.open('/card')
    t.equal(state().busy, 'loading')
    session.cancel()
    t.match(state(), { name: 'screen', path: '/menu/main', busy: null, message: null })
    card.respond(late)
    await opened
    t.match(state(), { name, path: name === 'screen' ? '/menu/main' : '/auth/login' })
    t.equal(store.token, name === 'screen' ? LOGIN : null)
  }
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
  session.dismiss()
  t.match(state(), { ...CANCELLED, path: '/menu/main' })
  menu.respond(Response.json(MENU))
  await started
  const again = held()
  table['GET /menu/main'] = again.reply
  const retried = session.retry()
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

t.test('while a Card is being saved nothing cancels it or opens a screen, and its result is shown', async t => {
  const save = held()
  const { session, state, sent, table } = await shownAt('/card', { 'POST /save': save.reply })
  session.cancel()
  const saved = session.save('save', { city: 'Paris' })
  session.cancel()
  t.equal(state().busy, 'saving')
  await session.open('/other')
  await session.reload()
  save.respond(Response.json({ ...CARD, status: 'Error: No.' }))
  await saved
  t.strictSame(sent(), ['POST http://x/save'])
  t.match(state(), { path: '/card', message: { text: 'No.' } })
  const menu = held()
  Object.assign(table, { 'GET /menu/main': menu.reply, 'POST /save': CARD })
  const changed = session.save('save', { pin: '1234' })
  await turn()
  session.cancel()
  menu.respond(Response.json(MENU))
  await changed
  t.match(state(), { path: '/card', message: { text: 'Saved.' } }, 'nor while the session checks a new password')
})

t.test('a lockout has an end, and does not apply to another user', async t => {
  const locked = () =>
    Response.json({ success: false, error: 'Wait.' }, { status: 401, headers: { 'retry-after': '900' } })
  const { session, state, table } = await formAt({ 'POST /auth/login': locked })
  t.equal(state().retryAt, null)
  await session.submit(ENTERED)
  const { retryAt } = state()
  t.ok(Math.abs((waitOf(state()) ?? 0) - 900) < 5)
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
    const wait = waitOf(state())
    t.ok(seconds === null ? wait === null : Math.abs((wait ?? 0) - seconds) < 5, retryAfter)
  }
})

t.test('the end of a lockout is a new state', async t => {
  stopClock(t)
  const locked = () => Response.json({ success: false, error: 'Wait.' }, { headers: { 'retry-after': '5' } })
  const { session, state } = await formAt({ 'POST /auth/login': locked })
  await session.submit(ENTERED)
  t.not(state().retryAt, null)
  mock.timers.tick(5_000)
  t.match(state(), { name: 'login', retryAt: null, message: null })
})

t.test('a Node process may exit before the end of a lockout, but not before a retry', async t => {
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const last = () => timers().at(-1) as unknown as { returned: NodeJS.Timeout }
  await formAt({ 'GET /menu/main': down })
  t.equal(last().returned.hasRef(), true)
  const locked = () => Response.json({ success: false }, { headers: { 'retry-after': '900' } })
  const { session } = await formAt({ 'POST /auth/login': locked })
  await session.submit(ENTERED)
  t.equal(last().returned.hasRef(), false)
})

t.test('after stop() the session sends and shows nothing, and a 401 ends no other session with its store', async t => {
  stopClock(t)
  const failed = await formAt({ 'GET /menu/main': down })
  failed.session.stop()
  mock.timers.tick(1e9)
  t.strictSame([failed.sent(), failed.states], [[], ['starting', 'failed']])

  for (const late of [Response.json(CARD), empty(401)]) {
    const card = held()
    const { session, states, store } = await shownAt('/menu/main', { 'GET /card': card.reply })
    const opened = session.open('/card')
    session.stop()
    card.respond(late)
    await opened
    t.strictSame([states, store.token], [['starting', 'screen', 'screen (loading)'], LOGIN])
  }

  const login = await formAt()
  const submitted = login.session.submit(ENTERED)
  login.session.stop()
  await submitted
  t.match(login.state(), { name: 'login', busy: 'saving' })

  const reading = sessionAt({}, { token: 'abc' })
  const started = reading.session.start()
  reading.session.stop()
  await started
  t.strictSame([reading.sent(), reading.states], [[], ['starting']])
})
