// Habits of a server in another language, of which the contract says nothing.

import t from 'tap'
import { CARD, ENTERED, FORM, MENU, sessionAt } from './session-at.ts'

const REJECTED = { success: false, token: null, error: 'Wrong email or password.', screen: null }

t.test('an AuthResponse with status 401 after a login is a rejection with its message', async t => {
  const { session, state, sent } = sessionAt({
    'POST /auth/login': () => Response.json(REJECTED, { status: 401 })
  })
  await session.start()
  sent()
  await session.submit(ENTERED)
  t.match(state(), {
    name: 'login',
    message: { kind: 'error', text: 'Wrong email or password.' },
    busy: false
  })
  t.strictSame(
    [...state().values],
    [
      ['username', 'ada'],
      ['password', ''],
      ['company', 'ACME']
    ]
  )
  t.strictSame(sent(), ['POST http://x/auth/login'], 'the form is not fetched again')
})

t.test(
  'another screen that is named in the place of one is fetched, and shown with its own path',
  async t => {
    const table = { 'GET /old': { redirect: '/card' }, 'GET /card': CARD }
    const { session, state, requests } = sessionAt(table, { token: 'abc' })
    await session.start('/old')
    t.match(state(), { name: 'screen', path: '/card', screen: { title: 'Card' } })
    t.strictSame(
      requests.map(({ authorization }) => authorization),
      ['Bearer abc', 'Bearer abc', 'Bearer abc']
    )
  }
)

t.test('a save that leads elsewhere shows that screen', async t => {
  const table = { 'GET /card': CARD, 'POST /save': { redirect: '/menu/main' }, 'GET /menu/main': MENU }
  const { session, state } = sessionAt(table, { token: 'abc' })
  await session.start('/card')
  session.enter('name', 'Grace')
  await session.save()
  t.match(state(), { name: 'screen', path: '/menu/main', screen: { title: 'Main Menu' } })
})

t.test('a response to a login or a button may lead elsewhere in the place of its screen', async t => {
  const redirect = '/card'
  const table = {
    'GET /card': CARD,
    'POST /auth/login': { success: true, token: 'new', error: null, screen: { redirect } },
    'POST /act': { success: true, message: 'Done it.', screen: { redirect } }
  }
  const { session, state, store } = sessionAt(table)
  await session.start()
  await session.submit(ENTERED)
  t.match(state(), { path: '/card', screen: { title: 'Card' } })
  t.equal(store.token, 'new')
  const action = { id: 'a', label: 'A', kind: 'simple', endpoint: '/act', confirmMessage: '', fields: [] }
  await session.act(action)
  t.match(state(), { path: '/card', message: { text: 'Done it.' }, replaces: true })
})

t.test('a response to a login or a button is no such place itself', async t => {
  const redirect = '/card'
  const { session, state, store, sent } = sessionAt({
    'POST /auth/login': { success: true, token: 'new', error: null, screen: MENU, redirect },
    'POST /act': { success: true, message: 'Done it.', redirect }
  })
  await session.start()
  await session.submit(ENTERED)
  t.match([state().screen.title, store.token], ['Main Menu', 'new'])
  sent()
  const action = { id: 'a', label: 'A', kind: 'simple', endpoint: '/act', confirmMessage: '', fields: [] }
  await session.act(action)
  t.match(state(), { message: { text: 'Done it.' } })
  t.strictSame(sent(), ['POST http://x/act'])
})

t.test('a server that sees no need for a login leads to the menu', async t => {
  let asked = 0
  const { session, state } = sessionAt({
    'GET /menu/main': () => (asked++ === 0 ? new Response(null, { status: 401 }) : Response.json(MENU)),
    'GET /auth/login': { redirect: '/menu/main' }
  })
  await session.start()
  t.match(state(), { name: 'screen', path: '/menu/main', screen: { title: 'Main Menu' } })
})

t.test('it is followed once', async t => {
  const { session, state, sent } = sessionAt(
    { 'GET /menu/main': MENU, 'GET /a': { redirect: '/b' }, 'GET /b': { redirect: '/a' } },
    { token: 'abc' }
  )
  await session.start()
  sent()
  await session.open('/a')
  t.match(state(), {
    screen: { title: 'Main Menu' },
    message: { kind: 'error', text: 'This client cannot show this.' }
  })
  t.strictSame(sent(), ['GET http://x/a', 'GET http://x/b'])
  const login = sessionAt({ 'GET /auth/login': { redirect: '/menu/main' } })
  await login.session.start()
  t.match(login.state(), { name: 'failed', isOffline: false })
  t.strictSame(login.sent(), ['GET http://x/menu/main', 'GET http://x/auth/login', 'GET http://x/menu/main'])
})

t.test('to another origin it is not followed, and a screen that has such a property is a screen', async t => {
  for (const redirect of ['http://y/card', '//y/card', 'javascript:alert(1)', '']) {
    const { session, state, sent } = sessionAt(
      { 'GET /menu/main': MENU, 'GET /a': { redirect } },
      { token: 'abc' }
    )
    await session.start()
    sent()
    await session.open('/a')
    t.match(state(), { screen: { title: 'Main Menu' }, message: { kind: 'error' } }, redirect)
    t.strictSame(
      sent().filter(request => !request.startsWith('GET http://x/')),
      []
    )
  }
  for (const redirect of ['/b', 7]) {
    const { session, state } = sessionAt({ 'GET /a': { ...CARD, redirect } }, { token: 'abc' })
    await session.start('/a')
    t.match(state(), { path: '/a', screen: { title: 'Card' } })
  }
})

t.test('what fails leads nowhere, and the path of the form is no other screen', async t => {
  const failing = () => Response.json({ redirect: '/card' }, { status: 500 })
  const { session, state, sent } = sessionAt({ 'GET /menu/main': MENU, 'GET /a': failing }, { token: 'abc' })
  await session.start()
  sent()
  await session.open('/a')
  t.match(state(), { screen: { title: 'Main Menu' }, message: { kind: 'error' } })
  t.strictSame(sent(), ['GET http://x/a'])
  const headers = { 'content-location': '/auth/login' }
  const login = sessionAt({ 'GET /auth/login': () => Response.json({ layout: 'Card' }, { headers }) })
  await login.session.start()
  t.equal(login.state().name, 'failed')
})

t.test('the language of a screen is that of the response', async t => {
  const inGerman =
    (json: object, language = 'de') =>
    () =>
      Response.json(json, { headers: { 'content-language': language } })
  const { session, state } = sessionAt({
    'GET /auth/login': inGerman(FORM),
    'GET /card': inGerman(CARD, 'he, en')
  })
  await session.start()
  t.match(state(), { name: 'login', language: 'de' })
  await session.submit(ENTERED)
  t.match(state(), { name: 'screen', language: '' })
  await session.open('/card')
  t.match(state(), { name: 'screen', language: 'he' })
  session.enter('name', 'Grace')
  t.equal(state().language, 'he')
})
