// The headless session opens screens, saves Cards and follows menu items.

import t from 'tap'
import { Service } from '../../../examples/client/service.js'
import { CARD, ENTERED, FORM, MENU, type Reply, sessionAt } from './session-at.ts'

t.test('what the person wanted last is shown, in whatever order the responses come', async t => {
  const answers: Record<string, () => void> = {}
  const held = (title: string) => () =>
    new Promise<Response>(resolve => {
      answers[title] = () => resolve(Response.json({ layout: 'Card', title }))
    })
  const { session, state } = sessionAt({ 'GET /a': held('A'), 'GET /b': held('B') }, { token: 'abc' })
  await session.start()
  const [a, b] = [session.open('/a'), session.open('/b')]
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' }, busy: true })
  await Promise.resolve()
  answers.B?.()
  await b
  answers.A?.()
  await a
  t.match(state(), { name: 'screen', screen: { title: 'B' }, busy: false })
})

t.test('no screen can be opened before the first response', async t => {
  let respond = () => {}
  const menu = new Promise<Response>(resolve => {
    respond = () => resolve(Response.json(MENU))
  })
  const { session, sent, state } = sessionAt({ 'GET /menu/main': () => menu }, { token: 'abc' })
  const started = session.start()
  await new Promise(setImmediate)
  t.equal(state().name, 'starting')
  await session.open('/card')
  respond()
  await started
  t.strictSame(sent(), ['GET http://x/menu/main'])
})

t.test('what the server refuses is said on the screen that stays', async t => {
  const { session, state } = sessionAt(
    {
      'GET /no': 403,
      'GET /bad': 400,
      'GET /text': () => new Response('hello'),
      'GET /screen': () => Response.json(CARD, { status: 404 })
    },
    { token: 'abc' }
  )
  await session.start()
  for (const [url, text] of [
    ['/nowhere', /nothing at this address/],
    ['/screen', /nothing at this address/],
    ['/no', /refused this \(403\)/],
    ['/bad', /refused this \(400\)/],
    ['/text', /cannot show/]
  ] as const) {
    await session.open(url)
    t.match(state(), { name: 'screen', path: '/menu/main', message: { kind: 'error', text }, busy: false })
  }
})

t.test('a screen of an address comes after the menu; the display name is on every screen', async t => {
  const { session, state, sent } = sessionAt({ 'GET /card': CARD }, { token: 'abc' })
  await session.start('card?a=1')
  t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/card?a=1'])
  t.match(state(), { name: 'screen', path: '/card?a=1', screen: { title: 'Card', displayName: 'Ada' } })
})

t.test('a base URL may have a prefix, with or without a slash at its end', async t => {
  for (const baseUrl of ['http://x/v1', 'http://x/v1///', 'http://x/v1/?query#hash']) {
    const { session, sent } = sessionAt(
      { 'GET /v1/menu/main': 401, 'GET /v1/auth/login': { ...FORM, auth_action: '/v1/auth/login' } },
      { baseUrl }
    )
    await session.start()
    await session.submit(ENTERED)
    t.equal(session.menuPath, '/v1/menu/main')
    t.equal(new Service(baseUrl, fetch).baseUrl, 'http://x/v1/', 'in one spelling')
    t.strictSame(sent(), [
      'GET http://x/v1/menu/main',
      'GET http://x/v1/auth/login',
      'POST http://x/v1/auth/login'
    ])
  }
})

t.test('a service may be on https', async t => {
  const { session, sent } = sessionAt({}, { baseUrl: 'https://x' })
  await session.start()
  t.strictSame(sent(), ['GET https://x/menu/main', 'GET https://x/auth/login'])
})

t.test('a base URL that cannot be used is refused', async t => {
  const make = (baseUrl: string) => () => sessionAt({}, { baseUrl })
  t.throws(make('127.0.0.1:3000'), TypeError)
  t.throws(make('localhost:3000'), /must begin with http/)
  t.throws(make('ftp://x'), /must begin with http/)
  t.throws(make('shttp://x'), /must begin with http/)
  for (const credentials of ['ada:secret', 'ada', ':secret'])
    t.throws(make(`http://${credentials}@x`), /no username and no password/)
})

t.test('a Card is saved where it says, and the response is shown', async t => {
  const { session, state, table, requests } = sessionAt({ 'GET /card': CARD }, { token: 'abc' })
  await session.start('/card')
  for (const [reply, message, password] of [
    [{ success: false, message: 'Too short.' }, { kind: 'error', text: 'Too short.' }, ''],
    [{ success: false }, { kind: 'error', text: 'Not saved.' }, ''],
    [{ success: true, message: 'Changed.' }, { kind: 'info', text: 'Changed.' }, ''],
    [{ success: true }, { kind: 'info', text: 'Saved.' }, ''],
    [500, { kind: 'error', text: /at the moment/ }, 'correct horse'],
    [404, { kind: 'error', text: /nothing at/ }, 'correct horse']
  ] as [Reply, object, string][]) {
    table['POST /save'] = reply
    const saving = session.save(ENTERED)
    t.match(state(), { busy: true, message: null })
    await Promise.all([saving, session.save(ENTERED)])
    t.match(state(), { name: 'screen', screen: { title: 'Card' }, message, busy: false })
    t.equal(state().values.get('username'), 'ada')
    t.equal(state().values.get('password'), password)
  }
  t.equal(requests.filter(({ method }) => method === 'POST').length, 6)
  t.equal(requests.at(-1)?.body, '{"fields":{"username":"ada","password":"correct horse","company":"ACME"}}')
})

t.test('messages of menu items are shown, and unknown actions are named', async t => {
  const { session, state } = sessionAt({}, { token: 'abc' })
  const action = { url: '', text: 'Hello', items: [] }
  await session.follow({ ...action, type: 'message' })
  t.strictSame(state(), { name: 'starting' }, 'there is no menu yet')
  await session.start()
  await session.follow({ ...action, type: 'open_screen', url: '/nowhere' })
  t.match(state().message, { text: /nothing at this address/ })
  await session.follow({ ...action, type: 'message' })
  t.match(state(), { name: 'screen', message: { kind: 'info', text: 'Hello' } })
  await session.follow({ ...action, type: 'dance' })
  t.match(state().message, { kind: 'error', text: /cannot follow the action "dance"/ })
})
