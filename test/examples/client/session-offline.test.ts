// The headless session at a server that is away, or that cannot be used.

import t from 'tap'
import { Session } from '../../../examples/client/session.js'
import { CARD, empty, FORM, MENU, type Reply, sessionAt } from './session-at.ts'

t.test('a redirect is not followed, and said; and no response is kept by the browser', async t => {
  let used: RequestInit = {}
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
    t.match(session.state, { name: 'offline', message: { text: /leads to another address/ } })
  }
})

t.test('a server that does not respond leaves the token where it is, and is asked again', async t => {
  for (const [reply, text] of [
    [new TypeError('fetch failed'), /cannot be reached/],
    [500, /cannot answer/],
    [503, /cannot answer/],
    [429, /cannot answer/],
    [408, /cannot answer/],
    [() => Response.json(CARD, { status: 500 }), /cannot answer/],
    [() => new Response(new ReadableStream({ start: c => c.error(new Error('reset')) })), /cannot be reached/]
  ] as [Reply, RegExp][]) {
    const { session, state, store, table, sent } = sessionAt({ 'GET /screen': reply }, { token: 'abc' })
    await session.start()
    await session.open('/screen')
    t.match(state(), { name: 'offline', path: '/screen', message: { kind: 'error', text }, busy: false })
    t.equal(store.token, 'abc')
    await session.retry()
    t.equal(state().name, 'offline')
    table['GET /screen'] = CARD
    sent()
    const retried = session.retry()
    t.equal(state().busy, true)
    await Promise.all([retried, session.retry()])
    t.strictSame(sent(), ['GET http://x/screen'])
    t.match(state(), { name: 'screen', screen: { title: 'Card' } })
    await session.retry()
    t.strictSame(sent(), [])
  }
})

t.test('a server that is down at the start is asked for the menu again, or for the form', async t => {
  const { session, state, table } = sessionAt({ 'GET /auth/login': new TypeError('fetch failed') })
  const menu = table['GET /menu/main'] as Reply
  table['GET /menu/main'] = 502
  await session.start()
  t.match(state(), { name: 'offline', path: '/menu/main' })
  table['GET /menu/main'] = menu
  await session.retry()
  t.match(state(), { name: 'offline', message: { text: /cannot be reached/ } })
  for (const [unfit, text] of [
    [404, /nothing at this address/],
    [401, /wants a login, but shows no form/],
    [() => Response.json(FORM, { status: 500 }), /at the moment/],
    [{ ...FORM, auth_action: undefined }, /cannot show/]
  ] as [Reply, RegExp][]) {
    table['GET /auth/login'] = unfit
    const retried = session.retry()
    t.equal(state().busy, true)
    await retried
    t.match(state(), { name: 'offline', message: { text }, busy: false })
  }
  table['GET /auth/login'] = FORM
  await session.retry()
  t.match(state(), { name: 'login', message: null })
})

t.test('the screen of an address is not forgotten while the server is down', async t => {
  const { session, state, table } = sessionAt({ 'GET /menu/main': 503, 'GET /card': CARD }, { token: 'abc' })
  await session.start('/card')
  t.equal(state().name, 'offline')
  table['GET /menu/main'] = MENU
  await session.retry()
  t.match(state(), { name: 'screen', screen: { title: 'Card' } })
  await session.open('menu/main')
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } }, 'and opened only once')
})

t.test('a server without a menu is one that cannot be used', async t => {
  const { session, state } = sessionAt({ 'GET /menu/main': 404 })
  await session.start()
  t.match(state(), { name: 'offline', message: { text: /nothing at this address/ } })
})

t.test('another screen can be asked for, and the session ended, while one does not come', async t => {
  const { session, state } = sessionAt({ 'GET /screen': 500, 'GET /card': CARD }, { token: 'abc' })
  await session.start()
  await session.open('/screen')
  await session.open('/card')
  t.match(state(), { name: 'screen', screen: { title: 'Card' } })
  await session.open('/screen')
  await session.logOut()
  t.equal(state().name, 'login')
})

t.test('it is said after how many seconds it is worth asking again', async t => {
  for (const [retryAfter, seconds] of [
    ['7', 7],
    ['0', 5],
    ['-1', 1],
    ['999999', 300],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 5]
  ] as const) {
    const { session, state } = sessionAt({
      'GET /menu/main': () => empty(503, { 'retry-after': retryAfter })
    })
    await session.start()
    t.equal(state().retryIn, seconds, retryAfter)
  }
})
