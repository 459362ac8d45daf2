// The session with a server that is down, broken or hostile, and with stores that fail.

import { mock } from 'node:test'
import t from 'tap'
import {
  buttonOf,
  CARD,
  ENTERED,
  empty,
  FORM,
  formAt,
  held,
  MENU,
  type Reply,
  sessionAt,
  shownAt
} from './session-at.ts'

const down = new TypeError('fetch failed')
const broken = () => new Response(new ReadableStream({ start: c => c.error(new Error('reset')) }))

t.test('the session follows no HTTP redirect, and the browser caches no response', async t => {
  for (const response of [empty(302, { location: 'http://y/' }), Response.error()]) {
    const { session, requests, state } = sessionAt({ 'GET /menu/main': () => response })
    await session.start()
    t.match(requests, [{ init: { redirect: 'manual', cache: 'no-store' } }])
    t.match(state(), { name: 'failed', isOffline: false, message: { text: /refused/ } })
  }
})

t.test('a screen that fails is reported on the current screen, and not requested again', async t => {
  for (const [reply, text] of [
    [down, /cannot be reached/],
    [500, /cannot respond/],
    [503, /cannot respond/],
    [429, /cannot respond/],
    [408, /cannot respond/],
    [403, /refused/],
    [404, /nothing at this address/],
    [() => Response.json(CARD, { status: 500 }), /cannot respond/],
    [() => Response.json(CARD, { status: 404 }), /nothing at this address/],
    [() => new Response('hello'), /cannot show/],
    [broken, /cannot be reached/]
  ] as [Reply, RegExp][]) {
    const { session, state, store, states } = await shownAt('/menu/main', { 'GET /bad': reply })
    await session.open('/bad')
    t.match(state(), { name: 'screen', path: '/menu/main', message: { kind: 'error', text }, busy: null })
    t.strictSame(states, ['starting', 'screen', 'screen (loading)', 'screen'])
    t.equal(store.token, 'abc')
  }
})

t.test('without a current screen, a failure is a state of its own, and can be retried', async t => {
  const path = '/menu/main'
  for (const [reply, status, text] of [
    [down, 0, /cannot be reached/],
    [500, 500, /cannot respond/],
    [404, 404, /nothing at this address/],
    [() => Response.json({ title: 'no layout' }), 200, /cannot show/]
  ] as [Reply, number, RegExp][]) {
    const isOffline = status === 0
    const { session, state, store, table, sent } = await shownAt(path, { 'GET /menu/main': reply })
    t.match(state(), { name: 'failed', status, isOffline, path, message: { kind: 'error', text }, busy: null })
    t.equal(store.token, 'abc')
    table['GET /menu/main'] = MENU
    const retried = session.retry()
    t.match(state(), { busy: 'loading', retryAt: null })
    await Promise.all([retried, session.retry()])
    t.strictSame(sent(), ['GET http://x/menu/main'])
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
    [404, /nothing at this address/],
    [401, /refused/],
    [() => Response.json(FORM, { status: 500 }), /respond now/],
    [{ ...FORM, auth_action: undefined }, /cannot show/]
  ] as [Reply, RegExp][]) {
    table['GET /auth/login'] = unfit
    const retried = session.retry()
    t.equal(state().busy, 'loading')
    await retried
    t.match(state(), { name: 'failed', message: { text }, busy: null })
  }
  table['GET /auth/login'] = FORM
  await session.retry()
  t.match(state(), { name: 'login', message: null })
})

t.test('the screen given to start() opens after a failure of the menu', async t => {
  const { session, state, table } = await shownAt('/card', { 'GET /menu/main': 503 })
  t.equal(state().name, 'failed')
  table['GET /menu/main'] = MENU
  await session.retry()
  t.match(state(), { name: 'screen', screen: { title: 'Card' } })
  await session.open('/menu/main')
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } }, 'and is opened only once')
})

t.test('after a failure, another screen can be opened, and the user can log out', async t => {
  const { session, state, table } = await shownAt('/nowhere', { 'GET /menu/main': 500 })
  await session.open('/card')
  t.match(state(), { name: 'screen', screen: { title: 'Card' } }, 'and not the one given to start()')
  const other = await shownAt('/card', { 'GET /menu/main': 500 })
  other.table['GET /menu/main'] = MENU
  await other.session.open('/menu/main')
  t.match(other.state(), { name: 'screen', path: '/menu/main' })
  table['GET /menu/main'] = 401
  await session.logOut()
  t.equal(state().name, 'login')
})

/** Seconds until the session retries. */
const waitOf = ({ retryAt }: { retryAt: number | null }) => (retryAt === null ? null : (retryAt - Date.now()) / 1000)

t.test('the session retries by itself only after a temporary failure', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  for (const [retries, ...replies] of [
    [true, down, 408, 429, 502, 503, 504],
    [false, 500, 501, 403, 404, () => new Response('hello')]
  ] as [boolean, ...Reply[]][]) {
    for (const reply of replies) {
      const { session, state, sent } = await formAt({ 'GET /menu/main': reply })
      t.equal(state().retryAt !== null, retries, String(reply))
      mock.timers.tick(1e9)
      t.strictSame(sent(), retries ? ['GET http://x/menu/main'] : [])
      session.stop()
    }
  }
})

t.test('the wait doubles with each retry, up to a minute, and has a random part', async t => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.teardown(() => mock.timers.reset())
  const { session, state, table, sent } = sessionAt({ 'GET /menu/main': down })
  for (const [random, factor] of [
    [0, 1],
    [0.5, 1.25],
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
      await new Promise(setImmediate)
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
    ['0', 2],
    ['-1', 2],
    ['999999', 300],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 2]
  ] as const) {
    const { state } = await formAt({ 'GET /menu/main': () => empty(503, { 'retry-after': retryAfter }) })
    t.equal(Math.ceil(waitOf(state()) ?? 0), seconds, retryAfter)
  }
})

t.test('after stop() the session sends and shows nothing', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const failed = await formAt({ 'GET /menu/main': down })
  failed.session.stop()
  mock.timers.tick(1e9)
  t.strictSame([failed.sent(), failed.states], [[], ['starting', 'failed']])

  const card = held()
  const opening = await shownAt('/menu/main', { 'GET /card': card.reply })
  const opened = opening.session.open('/card')
  opening.session.stop()
  card.respond(Response.json(CARD))
  await opened
  t.strictSame(opening.states, ['starting', 'screen', 'screen (loading)'])

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

t.test('the session works with stores that fail', async t => {
  const fail = () => {
    throw new Error('no storage')
  }
  const reject = () => Promise.reject(new Error('no storage'))
  for (const deed of [fail, reject]) {
    const store = { read: deed, write: deed, clear: deed }
    const accepted = { success: true, token: 'new', screen: CARD }
    const { session, state } = await formAt(
      { 'POST /auth/login': accepted, 'GET /x': 401 },
      { tokens: store, drafts: store }
    )
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', busy: null })
    session.enter('name', 'Eve')
    t.ok(session.state.hasChanges)
    await session.open('/x')
    t.match(state(), { name: 'login', busy: null, message: { kind: 'info' } })
  }
})

t.test('a value with deep nesting is an empty text, and causes no stack overflow', async t => {
  const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const { session, state } = await shownAt('/card', {
    'GET /card': () => new Response(`{"layout":"Card","title":${nested},"ui_strings":{"refused":${nested}}}`),
    'POST /send': () => new Response(`{"success":false,"error":${nested}}`)
  })
  t.match(state(), { name: 'screen', screen: { title: 'Card' }, path: '/card', busy: null })
  await session.act(buttonOf())
  t.match(state(), { busy: null, message: { text: 'The server refused the request.' } })
})
