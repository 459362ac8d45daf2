// The session begins with a login, and ends with a 401 or a logout.

import t from 'tap'
import { Session } from '../index.ts'
import { CARD, ENTERED, FORM, LOGIN, MENU, OTHER } from './fixtures.ts'
import { broken, buttonOf, down, formAt, type Reply, sessionAt, shownAt, storeIn, turn } from './session-at.ts'

const ENDED = { name: 'login', message: { kind: 'info', text: /session has ended/ } }

t.test('a login requests the menu, after a 401 the form, posts to auth_action, and shows the menu', async t => {
  const { session, sent, requests, bodies, states, state, store } = sessionAt()
  await session.start()
  t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/auth/login'])
  t.match(state(), { name: 'login', message: null, displayName: '', isLoggedIn: false, screen: { title: 'Demo' } })
  await session.submit(ENTERED)
  await session.open('/screen')
  t.strictSame(bodies(), [{ fields: { ...ENTERED, company: 'ACME' } }])
  const accept = 'application/json'
  t.match(requests[0]?.init.headers, { accept, 'content-type': accept })
  t.strictSame(requests[1]?.init.headers, { accept, authorization: 'Bearer new' })
  t.strictSame(sent(), ['POST http://x/auth/login', 'GET http://x/screen'])
  t.match(state(), { name: 'screen', path: '/menu/main', displayName: 'Ada', isLoggedIn: true })
  t.strictSame(states.slice(0, 5), ['starting', 'login', 'login', 'login (saving)', 'screen'])
  t.equal(store.token, 'new\nusername=ada', 'the token, and who uses it')
})

t.test('a stored token is sent unchanged, unless it is invalid in a header', async t => {
  for (const [token, name, ...authorizations] of [
    ['no.JWT ~at all/=', 'screen', 'Bearer no.JWT ~at all/='],
    ['a.b\nusername=ada', 'screen', 'Bearer a.b'],
    ['a\rb', 'login', null, null],
    [undefined as never, 'login', null, null]
  ] as const) {
    const { session, requests, state } = sessionAt({}, { tokens: storeIn({ token }, 'token') })
    await session.start()
    t.match(state(), { name, isLoggedIn: name === 'screen' })
    const sent = requests.map(({ authorization }) => authorization)
    t.strictSame(sent, authorizations)
  }
})

t.test('a rejection clears the password; credentials that the server has not checked stay', async t => {
  const rejected = (error: string | null, status: number) => () =>
    Response.json({ success: false, token: null, error, screen: null }, { status })
  for (const [password, reply, text] of [
    ['', rejected('Falsches Kennwort.', 200), 'Falsches Kennwort.'],
    ['', rejected('No entry', 403), 'No entry'],
    ['', rejected(null, 200), 'The server refused the request.'],
    ['', 401, 'The server refused the request.'],
    ['kept', rejected('Busy.', 503), 'Busy.'],
    ['kept', () => new Response('<html>'), 'This client cannot show the response.'],
    ['kept', { success: true }, 'This client cannot show the response.'],
    ['kept', { success: true, token: 'a\nb', screen: MENU }, 'This client cannot show the response.']
  ] as [string, Reply, string][]) {
    const { session, state, store, sent } = await formAt({ 'POST /auth/login': reply })
    const { screen } = state()
    await session.submit({ username: 'ada', password: 'kept' })
    const field = password === '' && { field: 'password' }
    t.match(state(), { name: 'login', busy: null })
    t.strictSame(state().message, { kind: 'error', text, ...field })
    t.equal(state().screen, screen)
    t.strictSame(Object.fromEntries(state().values), { username: 'ada', password, company: 'ACME' })
    t.equal(store.token, null)
    t.strictSame(sent(), ['POST http://x/auth/login'], 'the form is not fetched again')
    session.enter('username', 'eve')
    t.equal(state().message.text, text, 'only a new password removes the message')
    session.enter('password', 'x')
    t.equal(state().message === null, password === '')
  }
})

t.test('before the first response and on the login form, no screen can be opened or saved', async t => {
  const { session, sent } = sessionAt()
  const tryAll = () =>
    Promise.all([session.open('/screen'), session.save('delete'), session.create(), session.reload()])
  await tryAll()
  t.strictSame(sent(), [])
  await session.start()
  sent()
  await tryAll()
  t.strictSame(sent(), [])
})

// Buttons of the login form

t.test('a button of the login form sends the values of the form, overridden by its own fields', async t => {
  const screen_actions = [{ id: 'forgot', endpoint: '/send', kind: 'modal' }]
  const { session, state, bodies } = await formAt({ 'GET /auth/login': { ...FORM, screen_actions } })
  session.enter('username', 'ada')
  await session.act(state().screen.screenActions[0], { company: 'Mine' })
  const fields = { username: 'ada', password: '', company: 'Mine' }
  t.strictSame(bodies(), [{ action_id: 'forgot', screen_title: 'Demo', fields }])
})

t.test('after a button, the login form keeps its values, and a 401 does not fetch the form again', async t => {
  for (const [reply, kind, text] of [
    [{ success: true, message: 'Sent.' }, 'success', 'Sent.'],
    [{ success: true, message: 'Sent.', redirect_url: '/menu/main' }, 'success', 'Sent.'],
    [{ success: true, push_url: '/nowhere' }, 'error', /nothing at this address/],
    [401, 'error', /refused/]
  ] as [Reply, string, string | RegExp][]) {
    const { session, state, sent } = await formAt({ 'POST /send': reply })
    for (const [id, value] of Object.entries(ENTERED)) session.enter(id, value)
    await session.act(buttonOf())
    t.match(state(), { name: 'login', message: { kind, text }, busy: null })
    t.match(Object.fromEntries(state().values), ENTERED)
    t.notOk(state().message.help, 'before the login no screen can be opened')
    t.notOk(sent().includes('GET http://x/auth/login'))
  }
})

const SWITCH = { ...FORM, title: 'Switch user', auth_action: '/switch' }

// A form with an `auth_action` after the login

const EVE = { success: true, token: 'eve', error: null, screen: { layout: 'Menu', title: 'Menu of Eve' } }
const switchAt = (replies = {}) => shownAt('/switch', { 'GET /switch': SWITCH, 'POST /switch': EVE, ...replies })

t.test('a form after the login returns the token of another user, who does not get unsaved changes', async t => {
  const { session, state, store, requests, sent, drafted } = await switchAt()
  t.match(state(), { name: 'login', path: '/switch', displayName: 'Ada' })
  await session.open('/card')
  session.enter('name', 'Grace')
  await session.open('/switch')
  t.strictSame(drafted(), [])
  sent()
  await session.submit(ENTERED)
  t.match(requests, [{ url: 'http://x/switch', authorization: 'Bearer abc' }])
  t.match(state(), { name: 'screen', path: '/menu/main', displayName: '', screen: { title: 'Menu of Eve' } })
  t.equal(store.token, 'eve\nusername=ada&username=ada', 'the earlier user is a part of the user')
  await session.open('/card')
  t.equal(state().values.get('name'), 'Ada')
})

t.test('on a form after the login a 401 ends the session, unless it rejects the input', async t => {
  const { session, state, store, table } = await switchAt()
  table['POST /switch'] = () => Response.json({ success: false, error: 'Not Eve.' }, { status: 401 })
  await session.submit(ENTERED)
  t.match([state().screen.title, state().message.text, store.token], ['Switch user', 'Not Eve.', LOGIN])
  table['POST /switch'] = 401
  await session.submit(ENTERED)
  t.match([state().screen.title, state().message.text, store.token], ['Demo', /session has ended/, null])
  await session.submit(ENTERED)
  t.equal(state().path, '/menu/main', 'and the next login does not lead back to the form')
})

t.test('a form after the login can be left', async t => {
  const { session, state } = await switchAt()
  await session.open('/nowhere')
  t.match(state(), { name: 'login', path: '/switch', message: { kind: 'error' } })
  await session.open('/menu/main')
  t.match(state(), { name: 'screen', replaces: false, screen: { title: 'Main Menu' } })
  await session.open('/switch')
  await Promise.all([session.submit(ENTERED), session.open('/card')])
  t.match(state(), { path: '/card', displayName: 'Ada' }, 'also while it is being sent')
  await session.logOut()
  t.match(state(), { name: 'login', path: '/auth/login', message: { text: /logged out/ } })
})

// The screen after the login

t.test('every 401 ends the session; the next login of the same user leads back to the screen, once', async t => {
  for (const [route, path, act] of [
    ['GET /other', '/other', session => session.open('/other')],
    ['GET /menu/main', '/menu/main', s => s.follow({ type: 'open_menu', url: '/menu/main', text: '', items: [] })],
    ['GET /card', '/card', session => session.reload()],
    ['POST /save', '/card', session => session.save('save', { city: 'Paris' })],
    ['POST /send', '/card', session => session.act(buttonOf())]
  ] as [string, string, (session: Session) => Promise<void>][]) {
    const { session, state, table, store, requests, sent } = await shownAt('/card', { 'GET /other': OTHER })
    await session.open('/nowhere')
    const before = table[route]
    table[route] = 401
    await act(session)
    t.match(state(), ENDED, route)
    t.equal(store.token, null)
    t.equal(requests.at(-1)?.authorization, null)
    table[route] = before ?? CARD
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', path, replaces: true })
    t.equal(sent().at(-1), path === '/menu/main' ? 'POST http://x/auth/login' : `GET http://x${path}`)
    await session.open('/card')
    t.equal(requests.at(-1)?.authorization, 'Bearer new')
    await session.logOut()
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', path: '/menu/main' }, 'not after a logout')
  }
})

t.test(
  'a session ends with the name of its user in the form, and only the next login of that user leads back',
  async t => {
    const eve = { username: 'eve', password: 'x' }
    const company = { id: 'company', type: 'Text', value: 'ACME' }
    const pin = { ...FORM, sections: [{ fields: [company, { id: 'password', type: 'Password' }] }] }
    for (const [path, entered, form, token] of [
      ['/other', { password: 'y' }],
      ['/other', { username: ' ada ', password: 'y' }],
      ['/menu/main', eve],
      ['/menu/main', { password: 'correct horse' }, pin],
      ['/other', {}, FORM, 'old\nusername=ada'],
      ['/menu/main', ENTERED, FORM, 'old'],
      ['/menu/main', eve, FORM, 'old\nusername=ada']
    ] as [string, Record<string, string>, object?, string?][]) {
      const { session, state, table } = sessionAt({ 'GET /auth/login': form ?? FORM }, { token: token ?? null })
      await session.start()
      if (!token) await session.submit(ENTERED)
      table['GET /other'] = 401
      await session.open('/other')
      table['GET /other'] = OTHER
      const username = form === pin ? undefined : token === 'old' ? '' : 'ada'
      t.strictSame([state().values.get('username'), state().values.get('password')], [username, ''])
      await session.submit(entered)
      t.equal(state().path, path, JSON.stringify(entered))
      t.equal(state().displayName, 'Ada', 'all users have the same display name')
      await session.logOut()
      t.not(state().values.get('username'), 'ada', 'a logout leaves no name')
    }
  }
)

t.test('only the same user gets the unsaved changes back after a reload', async t => {
  for (const [user, token, city] of [
    ['username=ada', LOGIN, 'Paris'],
    ['username=eve', LOGIN, 'London'],
    ['', 'abc', 'London'],
    ['', null, 'Paris']
  ] as const) {
    const draft = JSON.stringify({ user, path: '/card', fields: [['city', 'London', 'Paris']] })
    const replies = { 'GET /menu/main': MENU }
    const { state, store } = await shownAt('/card', replies, { draft, token })
    t.equal(state().values.get('city'), city, user)
    t.equal(store.draft?.includes('Paris') ?? false, city === 'Paris')
  }
})

t.test('an end of all sessions by a button or a new password ends this session at once, with the reason', async t => {
  for (const [text, reply, act] of [
    ['Over.', { success: true, message: 'Over.' }, session => session.act(buttonOf())],
    ['Over.', { ...OTHER, status: 'Over.' }, session => session.save('save', { pin: '1234' })],
    ['Saved.', OTHER, session => session.save('save', { pin: '1234' })]
  ] as [string, object, (session: Session) => Promise<void>][]) {
    const { session, state, table, store } = await shownAt('/card')
    table['POST /send'] = table['POST /save'] = () => {
      for (const route of ['GET /menu/main', 'GET /card']) table[route] = 401
      return Response.json(reply)
    }
    await act(session)
    t.match([state(), store.token], [{ name: 'login', message: { text } }, null])
    const other = await shownAt('/card', { 'POST /send': reply, 'POST /save': reply })
    await act(other.session)
    t.match(other.state(), { name: 'screen', message: { kind: 'success', text } })
  }
})

// The logout

t.test('a logout sends the dropped token even if the page is closed', async t => {
  const served = { 'GET /v1/menu/main': MENU }
  const { session, state, store, requests } = sessionAt(served, { token: 'abc', baseUrl: 'http://x/v1' })
  await session.logOut()
  t.equal(state().name, 'starting', 'before the start a logout does nothing')
  await session.start()
  requests.length = 0
  await session.logOut()
  t.equal(store.token, null)
  const sent = requests.map(({ method, url, authorization, init }) => [method, url, authorization, init.keepalive])
  t.strictSame(sent, [
    ['POST', 'http://x/v1/auth/logout', 'Bearer abc', true],
    ['GET', 'http://x/v1/menu/main', null, false]
  ])
  t.match(requests[0]?.init, { redirect: 'manual', body: undefined })
})

t.test('a logout succeeds with any response', async t => {
  for (const reply of [204, 401, 404, 503, down, broken, () => Response.json(FORM, { status: 401 })] as Reply[]) {
    const { session, state, states, store, sent } = await shownAt('/menu/main', { 'POST /auth/logout': reply })
    await session.logOut()
    await turn()
    t.match(state(), { name: 'login', message: { kind: 'success', text: /logged out/ }, displayName: '' })
    t.strictSame(states, ['starting', 'screen', 'starting', 'login'])
    t.equal(store.token, null)
    t.strictSame(sent(), ['POST http://x/auth/logout', 'GET http://x/menu/main', 'GET http://x/auth/login'])
  }
})

t.test('in the no-auth mode there is no token, and a logout only loads the menu', async t => {
  const { session, state, requests, sent } = sessionAt({ 'GET /menu/main': { layout: 'Menu' } })
  await session.start()
  t.match(state(), { name: 'screen', displayName: '', isLoggedIn: false })
  t.match(requests, [{ url: 'http://x/menu/main', authorization: null }])
  await session.logOut()
  t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/menu/main'], 'no logout is sent')
})

t.test('a logout while the token is being stored succeeds', async t => {
  let stored = () => {}
  const write = () => new Promise<void>(resolve => (stored = resolve))
  const { session } = await formAt({}, { tokens: { read: () => null, write, clear: () => {} } })
  const login = session.submit(ENTERED)
  while (!session.state.isLoggedIn) await turn()
  await session.logOut()
  stored()
  await login
  t.equal(session.state.name, 'login')
  t.notOk(session.state.isLoggedIn)
})

t.test('without a store for the token, a login survives another start()', async t => {
  const { session, store, state } = await formAt({}, { tokens: undefined as never })
  await session.submit(ENTERED)
  await session.start('/card')
  session.enter('city', 'Paris')
  t.match([state(), store.draft], [{ path: '/card', isLoggedIn: true }, '"user":"username=ada"'])
})

t.test('by default the session uses the fetch of the platform', async t => {
  t.intercept(globalThis, 'fetch', { value: async () => Response.json(MENU) })
  const session = new Session({ baseUrl: 'http://127.0.0.1' })
  await session.start()
  t.match(session.state, { name: 'screen', screen: { title: 'Main Menu' } })
})
