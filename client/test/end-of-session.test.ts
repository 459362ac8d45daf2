// The headless session ends: by a 401, and by a logout.

import t from 'tap'
import { Session } from '../index.ts'
import { CARD, ENTERED, empty, FORM, MENU, type Reply, sessionAt } from './session-at.ts'

t.test('any 401 drops the token, and leads to the login form with a message', async t => {
  const actions: [string, (session: Session) => Promise<void>][] = [
    ['GET /screen', session => session.open('/screen')],
    [
      'GET /menu/main',
      session => session.follow({ type: 'open_menu', url: '/menu/main', text: '', items: [] })
    ],
    ['POST /save', session => session.save('save', { city: 'Paris' })]
  ]
  for (const [route, act] of actions) {
    const { session, state, table, store, requests } = sessionAt({ 'GET /card': CARD }, { token: 'old' })
    await session.start('/card')
    table[route] = 401
    await act(session)
    t.match(state(), { name: 'login', message: { kind: 'error', text: /session has ended/ } }, route)
    t.equal(store.token, null)
    t.equal(requests.at(-1)?.authorization, null)

    table[route] = CARD
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', message: null })
    await session.open('/card')
    t.equal(requests.at(-1)?.authorization, 'Bearer new')
  }
})

t.test('a 401 for the screen of an address leads to the login form, too', async t => {
  const { session, state, store } = sessionAt({ 'GET /card': 401 }, { token: 'old' })
  await session.start('/card')
  t.match(state(), { name: 'login', message: { text: /session has ended/ } })
  t.equal(store.token, null)
})

t.test('a late 401 for the token before does not end the new session', async t => {
  let refuse = () => {}
  const held = new Promise<Response>(resolve => {
    refuse = () => resolve(empty(401))
  })
  const { session, state, store, table } = sessionAt({ 'GET /slow': () => held }, { token: 'old' })
  await session.start()
  const slow = session.open('/slow')
  table['GET /fast'] = 401
  await session.open('/fast')
  await session.submit(ENTERED)
  refuse()
  await slow
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
  t.equal(store.token, 'new')
})

t.test('two requests that are refused at the same time lead to one login form', async t => {
  const { session, table, states, state } = sessionAt({}, { token: 'old' })
  await session.start()
  table['GET /a'] = 401
  table['GET /b'] = 401
  const answers: (() => void)[] = []
  table['GET /auth/login'] = () =>
    new Promise(resolve => {
      answers.push(() => resolve(Response.json(FORM)))
    })
  const a = session.open('/a')
  while (answers.length < 1) await new Promise(setImmediate)
  const b = session.open('/b')
  while (answers.length < 2) await new Promise(setImmediate)
  for (const answer of answers) answer()
  await Promise.all([a, b])
  t.equal(states.filter(name => name === 'login').length, 1)
  t.match(state(), { name: 'login', message: { text: /session has ended/ } })
})

t.test('a logout drops the token, asks for the menu, and shows the form that follows', async t => {
  const { session, state, store, sent, table } = sessionAt({}, { token: 'abc' })
  await session.logOut()
  t.equal(state().name, 'starting', 'there is nothing to log out of yet')
  await session.start()
  sent()
  await session.logOut()
  t.equal(store.token, null)
  t.strictSame(sent(), ['POST http://x/auth/logout', 'GET http://x/menu/main', 'GET http://x/auth/login'])
  t.match(state(), {
    name: 'login',
    message: { kind: 'info', text: /logged out/ },
    screen: { displayName: '' }
  })
  table['POST /auth/login'] = { success: true, token: 'new', screen: { layout: 'Menu' } }
  await session.submit(ENTERED)
  t.equal(state().screen.displayName, '', 'the name is gone, too')
})

t.test('the server is told of a logout with the token that ends, which is not sent again', async t => {
  const served = { 'GET /v1/menu/main': MENU, 'GET /v1/auth/login': FORM }
  const { session, requests } = sessionAt(served, { token: 'abc', baseUrl: 'http://x/v1' })
  await session.start()
  requests.splice(0)
  await session.logOut()
  t.match(requests[0], { method: 'POST', url: 'http://x/v1/auth/logout', authorization: 'Bearer abc' })
  t.equal(requests[0]?.body, undefined)
  t.strictSame(
    requests.slice(1).map(({ authorization }) => authorization),
    [null]
  )
})

t.test('a logout outlives the page, and no other request does', async t => {
  const kept: string[] = []
  const session = new Session({
    baseUrl: 'http://x',
    tokens: { read: () => 'abc', write() {}, clear() {} },
    onState() {},
    fetch: async (url, { keepalive, redirect }) => {
      t.equal(redirect, 'manual')
      if (keepalive) kept.push(url)
      return Response.json(MENU)
    }
  })
  await session.start()
  await session.logOut()
  t.strictSame(kept, ['http://x/auth/logout'])
})

t.test('whatever the server responds to a logout, the person is logged out', async t => {
  for (const reply of [
    204,
    401,
    403,
    404,
    500,
    503,
    new TypeError('fetch failed'),
    () => new Response(new ReadableStream({ start: c => c.error(new Error('reset')) })),
    () => Response.json(FORM, { status: 401 }),
    () => {
      throw new Error('at once')
    }
  ] as Reply[]) {
    const { session, state, states, store, sent } = sessionAt(
      { 'POST /auth/logout': reply },
      { token: 'abc' }
    )
    await session.start()
    sent()
    await session.logOut()
    await new Promise(setImmediate)
    t.match(state(), { name: 'login', message: { kind: 'info', text: /logged out/ } })
    t.strictSame(states, ['starting', 'screen', 'starting', 'login'])
    t.equal(store.token, null)
    t.equal(sent().length, 3, 'nothing is asked again')
  }
})

t.test('a logout waits for no response, which does not touch the next login either', async t => {
  let refuse = () => {}
  const held = new Promise<Response>(resolve => {
    refuse = () => resolve(empty(401))
  })
  const { session, state, store } = sessionAt({ 'POST /auth/logout': () => held }, { token: 'abc' })
  await session.start()
  await session.logOut()
  t.equal(state().name, 'login')
  await session.submit(ENTERED)
  refuse()
  await new Promise(setImmediate)
  t.match(state(), { name: 'screen', message: null })
  t.equal(store.token, 'new')
})

t.test('a logout while the server cannot be reached drops the token all the same', async t => {
  const down = new TypeError('fetch failed')
  const { session, state, store, table } = sessionAt({}, { token: 'abc' })
  await session.start()
  for (const route of ['GET /menu/main', 'GET /auth/login', 'POST /auth/logout']) table[route] = down
  await session.logOut()
  t.equal(state().name, 'failed')
  t.equal(store.token, null)
  t.equal(session.isLoggedIn, false)
})

t.test('in the no-auth mode there is no token, and nothing to log out of', async t => {
  const { session, state, requests } = sessionAt({ 'GET /menu/main': { layout: 'Menu' } })
  await session.start()
  t.match(state(), { name: 'screen', screen: { displayName: '' } })
  t.equal(session.isLoggedIn, false)
  t.strictSame(
    requests.map(({ url, authorization }) => [url, authorization]),
    [['http://x/menu/main', null]]
  )
  await session.logOut()
  t.notOk(
    requests.some(({ method }) => method === 'POST'),
    'nor is the server told'
  )
})
