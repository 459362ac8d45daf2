// The session begins with a login, and ends with a 401 or a logout.

import { createServer } from 'node:http'
import t from 'tap'
import { Session } from '../index.ts'
import {
  buttonOf,
  CARD,
  ENTERED,
  empty,
  FORM,
  formAt,
  held,
  MENU,
  type Replies,
  type Reply,
  sessionAt,
  shownAt,
  storeIn
} from './session-at.ts'

const down = new TypeError('fetch failed')
const turn = () => new Promise(setImmediate)
const ENDED = { name: 'login', message: { kind: 'info', text: /session has ended/ } }

t.test('a login requests the menu, after a 401 the form, posts to auth_action, and shows the menu', async t => {
  const { session, sent, bodies, states, state, store } = sessionAt()
  await session.start()
  t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/auth/login'])
  t.match(state(), { name: 'login', message: null, displayName: '', screen: { title: 'Demo' } })
  t.equal(session.state.isLoggedIn, false)

  await session.submit(ENTERED)
  t.strictSame(bodies(), [{ fields: { ...ENTERED, company: 'ACME' } }])
  t.strictSame(sent(), ['POST http://x/auth/login'])
  t.match(state(), { name: 'screen', path: '/menu/main', displayName: 'Ada', screen: { title: 'Main Menu' } })
  t.strictSame(states, ['starting', 'login', 'login', 'login (saving)', 'login (saving)', 'screen'])
  t.equal(store.token, 'new')
  t.equal(session.state.isLoggedIn, true)
})

t.test('the headers accept JSON, and declare JSON bodies', async t => {
  const { session, requests } = sessionAt()
  await session.start()
  await session.submit(ENTERED)
  await session.open('/screen')
  const accept = 'application/json'
  t.strictSame(
    requests.map(({ init }) => init.headers),
    [{ accept }, { accept }, { accept, 'content-type': accept }, { accept, authorization: 'Bearer new' }]
  )
})

t.test('a stored token is sent unchanged, unless it is invalid in a header', async t => {
  for (const [token, name, ...authorizations] of [
    ['no.JWT ~at all/=', 'screen', 'Bearer no.JWT ~at all/='],
    ['a\nb', 'login', null, null],
    ['', 'login', null, null],
    [undefined as never, 'login', null, null]
  ] as const) {
    const { session, requests, state } = sessionAt({}, { tokens: storeIn({ token }, 'token') })
    await session.start()
    t.equal(state().name, name)
    t.equal(session.state.isLoggedIn, name === 'screen')
    t.strictSame(
      requests.map(({ authorization }) => authorization),
      authorizations
    )
  }
})

t.test('a rejection keeps the form and the username, and clears the password', async t => {
  for (const [status, error, text] of [
    [200, 'Falsches Kennwort.', 'Falsches Kennwort.'],
    [401, 'Nope', 'Nope'],
    [403, 'No entry', 'No entry'],
    [200, null, 'The server refused the request.'],
    [401, undefined, 'The server refused the request.']
  ] as const) {
    const rejection = { success: false, token: null, error, screen: null }
    const { session, state, store, sent } = await formAt({
      'POST /auth/login': () => (error === undefined ? empty(status) : Response.json(rejection, { status }))
    })
    const { screen } = state()
    await session.submit(ENTERED)
    t.match(state(), { name: 'login', message: { kind: 'error', text }, busy: null })
    t.equal(state().screen, screen)
    t.strictSame(Object.fromEntries(state().values), { username: 'ada', password: '', company: 'ACME' })
    t.equal(store.token, null)
    t.strictSame(sent(), ['POST http://x/auth/login'], 'the form is not fetched again')
  }
})

t.test('credentials that the server has not checked stay in the form', async t => {
  for (const [reply, text] of [
    [down, /cannot be reached/],
    [500, /cannot respond now/],
    [() => Response.json({ success: false, error: 'Busy.' }, { status: 503 }), /^Busy\.$/],
    [() => Response.json({ success: false, error: 'Too large.' }, { status: 413 }), /^Too large\.$/],
    [404, /nothing at this address/],
    [() => new Response('<html>'), /cannot show/],
    [{ success: true }, /cannot show/],
    [{ success: true, token: 'a\nb', screen: MENU }, /cannot show/]
  ] as [Reply, RegExp][]) {
    const { session, state } = await formAt({ 'POST /auth/login': reply })
    await session.submit(ENTERED)
    t.match(state(), { name: 'login', message: { kind: 'error', text } })
    t.equal(state().values.get('password'), 'correct horse')
  }
})

t.test('after a response with a token but no screen the session requests the menu', async t => {
  const { session, state, sent } = await formAt({ 'POST /auth/login': { success: true, token: 'new' } })
  await session.submit(ENTERED)
  t.equal(state().name, 'screen')
  t.strictSame(sent(), ['POST http://x/auth/login', 'GET http://x/menu/main'])
})

t.test('a login form that arrives after the login is not shown', async t => {
  const [a, b, form] = [held(), held(), held()]
  const { session, table, state } = await shownAt('/menu/main', { 'GET /a': a.reply, 'GET /b': b.reply })
  const opened = [session.open('/a'), session.open('/b')]
  b.respond(empty(401))
  await opened[1]
  t.equal(state().name, 'login')
  table['GET /auth/login'] = form.reply
  table['GET /b'] = CARD
  a.respond(empty(401))
  await turn()
  await session.submit(ENTERED)
  t.equal(state().name, 'screen')
  form.respond(Response.json(FORM))
  await opened[0]
  t.equal(state().name, 'screen')
})

t.test('on the login form no screen can be opened or saved', async t => {
  const { session, sent } = sessionAt()
  await session.save('delete')
  await session.reload()
  await session.start()
  sent()
  await session.open('/screen')
  await session.save('delete')
  t.strictSame(sent(), [])
})

t.test('by default the session uses the fetch of the platform', async t => {
  const server = createServer((_request, response) => response.end(JSON.stringify(MENU)))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const session = new Session({ baseUrl: `http://127.0.0.1:${port}` })
  await session.start()
  t.match(session.state, { name: 'screen', screen: { title: 'Main Menu' } })
})

t.test('every 401 drops the token, and shows the login form with a message', async t => {
  for (const [route, act] of Object.entries<(session: Session) => Promise<void>>({
    'GET /screen': session => session.open('/screen'),
    'GET /menu/main': session => session.follow({ type: 'open_menu', url: '/menu/main', text: '', items: [] }),
    'GET /card': session => session.start('/card'),
    'POST /save': session => session.save('save', { city: 'Paris' }),
    'POST /send': session => session.act(buttonOf())
  })) {
    const { session, state, table, store, requests } = await shownAt('/card')
    table[route] = 401
    await act(session)
    t.match(state(), ENDED, route)
    t.equal(store.token, null)
    t.equal(requests.at(-1)?.authorization, null)

    table[route] = CARD
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', message: null })
    await session.open('/card')
    t.equal(requests.at(-1)?.authorization, 'Bearer new')
  }
})

t.test('a late 401 for the previous token does not end the new session', async t => {
  const slow = held()
  const { session, state, store, table } = await shownAt('/menu/main', { 'GET /slow': slow.reply, 'GET /fast': 401 })
  const opened = session.open('/slow')
  await session.open('/fast')
  table['GET /fast'] = MENU
  await session.submit(ENTERED)
  slow.respond(empty(401))
  await opened
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
  t.equal(store.token, 'new')
})

t.test('a 401 after stop() does not end another session with the same store', async t => {
  const menu = held()
  const { session, states, sent, store } = sessionAt({ 'GET /menu/main': menu.reply }, { token: 'old' })
  const starting = session.start()
  while (sent().length === 0) await turn()
  session.stop()
  states.length = 0
  menu.respond(empty(401))
  await starting
  t.strictSame([states, sent(), store.token], [[], [], 'old'])
})

t.test('two concurrent 401s show one login form', async t => {
  const { session, table, states, state } = await shownAt('/menu/main', { 'GET /a': 401, 'GET /b': 401 })
  const forms: ((form: Response) => void)[] = []
  table['GET /auth/login'] = () => new Promise(resolve => forms.push(resolve))
  const a = session.open('/a')
  while (forms.length < 1) await turn()
  const b = session.open('/b')
  while (forms.length < 2) await turn()
  for (const respond of forms) respond(Response.json(FORM))
  await Promise.all([a, b])
  t.equal(states.filter(name => name === 'login').length, 1)
  t.match(state(), ENDED)
})

t.test('a logout drops the token, requests the menu, and shows the login form', async t => {
  const { session, state, store, sent, table } = sessionAt({}, { token: 'abc' })
  await session.logOut()
  t.equal(state().name, 'starting', 'before the start a logout does nothing')
  await session.start()
  sent()
  await session.logOut()
  t.equal(store.token, null)
  t.strictSame(sent(), ['POST http://x/auth/logout', 'GET http://x/menu/main', 'GET http://x/auth/login'])
  const message = { kind: 'success', text: /logged out/ }
  t.match(state(), { name: 'login', message, displayName: '' })
  table['POST /auth/login'] = { success: true, token: 'new', screen: { layout: 'Menu' } }
  await session.submit(ENTERED)
  t.equal(state().displayName, '', 'the display name is dropped, too')
})

t.test('the session sends a logout with the dropped token, even if the page is closed', async t => {
  const served = { 'GET /v1/menu/main': MENU, 'GET /v1/auth/login': FORM }
  const { session, requests } = await shownAt('/v1/menu/main', served, { baseUrl: 'http://x/v1' })
  await session.logOut()
  t.strictSame(
    requests.map(({ method, url, authorization, init }) => [method, url, authorization, init.keepalive]),
    [
      ['POST', 'http://x/v1/auth/logout', 'Bearer abc', true],
      ['GET', 'http://x/v1/menu/main', null, false]
    ]
  )
  t.match(requests[0]?.init, { redirect: 'manual', body: undefined })
})

t.test('a logout succeeds with any response', async t => {
  for (const reply of [
    204,
    401,
    403,
    404,
    500,
    503,
    down,
    () => new Response(new ReadableStream({ start: c => c.error(new Error('reset')) })),
    () => Response.json(FORM, { status: 401 }),
    () => {
      throw new Error('at once')
    }
  ] as Reply[]) {
    const { session, state, states, store, sent } = await shownAt('/menu/main', {
      'POST /auth/logout': reply
    })
    await session.logOut()
    await turn()
    t.match(state(), { name: 'login', message: { kind: 'success', text: /logged out/ } })
    t.strictSame(states, ['starting', 'screen', 'screen', 'starting', 'login'])
    t.equal(store.token, null)
    t.equal(sent().length, 3, 'no request is repeated')
  }
})

t.test('a logout does not wait for the response, and a late response does not end the next session', async t => {
  const logout = held()
  const { session, state, store } = await shownAt('/menu/main', { 'POST /auth/logout': logout.reply })
  await session.logOut()
  t.equal(state().name, 'login')
  await session.submit(ENTERED)
  logout.respond(empty(401))
  await turn()
  t.match(state(), { name: 'screen', message: null })
  t.equal(store.token, 'new')
})

t.test('a logout drops the token even if the server cannot be reached', async t => {
  const { session, state, store, table } = await shownAt('/menu/main')
  for (const route of ['GET /menu/main', 'GET /auth/login', 'POST /auth/logout']) table[route] = down
  await session.logOut()
  t.equal(state().name, 'failed')
  t.equal(store.token, null)
  t.equal(session.state.isLoggedIn, false)
})

for (const isStoredFirst of [true, false]) {
  t.test(`a logout while the token is being stored succeeds: ${isStoredFirst}`, async t => {
    let stored = () => {}
    const store = { token: null as string | null }
    const write = (token: string) =>
      new Promise<void>(resolve => {
        stored = () => {
          store.token = token
          resolve()
        }
      })
    const { session } = await formAt({}, { tokens: { ...storeIn(store, 'token'), write } })
    const login = session.submit(ENTERED)
    while (!session.state.isLoggedIn) await turn()
    const logout = session.logOut()
    if (!isStoredFirst) await logout
    stored()
    await Promise.all([login, logout])
    t.equal(session.state.name, 'login')
    t.notOk(session.state.isLoggedIn)
  })
}

t.test('in the no-auth mode there is no token, and a logout only loads the menu', async t => {
  const served: Replies = { 'GET /menu/main': { layout: 'Menu' } }
  const { session, state, requests, sent } = sessionAt(served)
  await session.start()
  t.match(state(), { name: 'screen', displayName: '' })
  t.equal(session.state.isLoggedIn, false)
  t.match(requests, [{ url: 'http://x/menu/main', authorization: null }])
  await session.logOut()
  t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/menu/main'], 'no logout is sent')
})
