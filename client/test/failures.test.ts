// The headless session at a server that is away, or that cannot be used.

import { mock } from 'node:test'
import t from 'tap'
import { Session } from '../index.ts'
import { CARD, ENTERED, empty, FORM, MENU, type Reply, sessionAt } from './session-at.ts'

const down = new TypeError('fetch failed')

t.test('a redirect is not followed, and no response is kept by the browser', async t => {
  let used: RequestInit & { cache?: string } = {}
  for (const answer of [empty(302, { location: 'http://y/' }), Response.error()]) {
    const session = new Session({
      baseUrl: 'http://x',
      tokens: { read: () => 'abc', write() {}, clear() {} },
      onState() {},
      fetch: async (_, init) => {
        used = init
        return answer
      }
    })
    await session.start()
    t.match(used, { redirect: 'manual', cache: 'no-store' })
    t.match(session.state, { name: 'failed', isOffline: false, message: { text: /refused/ } })
  }
})

t.test('one bad screen is said on the screen that stays, and is not asked for again', async t => {
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
    [() => new Response(new ReadableStream({ start: c => c.error(new Error('reset')) })), /cannot be reached/]
  ] as [Reply, RegExp][]) {
    const { session, state, store, states } = sessionAt({ 'GET /bad': reply }, { token: 'abc' })
    await session.start()
    await session.open('/bad')
    const shown = { name: 'screen', path: '/menu/main', message: { kind: 'error', text }, busy: false }
    t.match(state(), shown)
    t.strictSame(states, ['starting', 'screen', 'screen (busy)', 'screen'])
    t.equal(store.token, 'abc')
    await session.retry()
    t.equal(states.length, 4, 'there is nothing to retry')
  }
})

t.test('without a screen to stay on, the failure is the screen, and can be retried', async t => {
  for (const [reply, isOffline, text] of [
    [down, true, /cannot be reached/],
    [500, false, /cannot respond/],
    [404, false, /nothing at this address/],
    [() => Response.json({ title: 'no layout' }), false, /cannot show/]
  ] as [Reply, boolean, RegExp][]) {
    const { session, state, store, table, sent } = sessionAt({ 'GET /menu/main': reply }, { token: 'abc' })
    await session.start()
    const path = '/menu/main'
    t.match(state(), { name: 'failed', isOffline, path, message: { kind: 'error', text }, busy: false })
    t.equal(store.token, 'abc')
    table['GET /menu/main'] = MENU
    sent()
    const retried = session.retry()
    t.match(state(), { busy: true, retryAt: null })
    await Promise.all([retried, session.retry()])
    t.strictSame(sent(), ['GET http://x/menu/main'])
    t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
  }
})

t.test('a server that is down at the start is asked for the menu again, or for the form', async t => {
  const { session, state, table } = sessionAt({ 'GET /auth/login': down })
  const menu = table['GET /menu/main'] as Reply
  table['GET /menu/main'] = 502
  await session.start()
  t.match(state(), { name: 'failed', path: '/menu/main', isOffline: false })
  table['GET /menu/main'] = menu
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
    t.equal(state().busy, true)
    await retried
    t.match(state(), { name: 'failed', message: { text }, busy: false })
  }
  table['GET /auth/login'] = FORM
  await session.retry()
  t.match(state(), { name: 'login', message: null })
})

t.test('the screen of an address is not forgotten while the server is down', async t => {
  const { session, state, table } = sessionAt({ 'GET /menu/main': 503, 'GET /card': CARD }, { token: 'abc' })
  await session.start('/card')
  t.equal(state().name, 'failed')
  table['GET /menu/main'] = MENU
  await session.retry()
  t.match(state(), { name: 'screen', screen: { title: 'Card' } })
  await session.open('/menu/main')
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } }, 'and opened only once')
})

t.test('another screen can be asked for, and the session ended, while one does not come', async t => {
  const { session, state } = sessionAt({ 'GET /menu/main': 500, 'GET /card': CARD }, { token: 'abc' })
  await session.start()
  await session.open('/card')
  t.match(state(), { name: 'screen', screen: { title: 'Card' } })
  const other = sessionAt({}, { token: 'abc' })
  const menu = other.table['GET /menu/main'] as Reply
  other.table['GET /menu/main'] = 500
  await other.session.start()
  other.table['GET /menu/main'] = menu
  await other.session.logOut()
  t.equal(other.state().name, 'login')
})

/** When the session tries again, in seconds from now. */
const waitOf = ({ retryAt }: { retryAt: number | null }) =>
  retryAt === null ? null : (retryAt - Date.now()) / 1000

t.test('the session tries again by itself when that may help, and only then', async t => {
  for (const [reply, tries] of [
    [down, true],
    [408, true],
    [429, true],
    [502, true],
    [503, true],
    [504, true],
    [500, false],
    [501, false],
    [403, false],
    [404, false],
    [() => new Response('hello'), false]
  ] as [Reply, boolean][]) {
    const { session, state } = sessionAt({ 'GET /menu/main': reply })
    await session.start()
    t.equal(state().retryAt !== null, tries, String(reply))
  }
})

t.test('what will not help is not tried', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { session, sent } = sessionAt({ 'GET /menu/main': 500 })
  await session.start()
  sent()
  mock.timers.tick(1e9)
  t.strictSame(sent(), [])
})

t.test('it waits twice as long each time, up to a minute, and not as long as all others', async t => {
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
    t.equal(state().name, 'screen', 'after a success it begins anew')
    spread.mock.restore()
  }
})

t.test('a server that says when to come back is not asked earlier', async t => {
  const spread = mock.method(Math, 'random', () => 0)
  t.teardown(() => spread.mock.restore())
  for (const [retryAfter, seconds] of [
    ['7', 7],
    ['0', 2],
    ['-1', 2],
    ['999999', 300],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 2]
  ] as const) {
    const { session, state } = sessionAt({
      'GET /menu/main': () => empty(503, { 'retry-after': retryAfter })
    })
    await session.start()
    t.equal(Math.ceil(waitOf(state()) ?? 0), seconds, retryAfter)
  }
})

t.test('a session that is stopped sends nothing more, and shows nothing more', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { session, sent, states } = sessionAt({ 'GET /menu/main': down })
  await session.start()
  sent()
  session.stop()
  mock.timers.tick(1e9)
  t.strictSame(sent(), [])

  let respond = () => {}
  const held = new Promise<Response>(resolve => {
    respond = () => resolve(Response.json(CARD))
  })
  const other = sessionAt({ 'GET /card': () => held }, { token: 'abc' })
  await other.session.start()
  const opened = other.session.open('/card')
  other.session.stop()
  respond()
  await opened
  t.strictSame(other.states, ['starting', 'screen', 'screen (busy)'])
  t.strictSame(states, ['starting', 'failed'])
})

t.test('a login that is stopped shows nothing more', async t => {
  const { session, state } = sessionAt()
  await session.start()
  const submitted = session.submit(ENTERED)
  session.stop()
  await submitted
  t.match(state(), { name: 'login', busy: true })
})
