// The session opens screens, follows menu items and presses buttons.

import t from 'tap'
import { baseUrlOf, type Session } from '../index.ts'
import { buttonOf, CARD, ENTERED, FORM, formAt, held, MENU, type Reply, sessionAt, shownAt } from './session-at.ts'

const OTHER = { layout: 'Card', title: 'Other' }

t.test('the last requested screen is shown, in any order of the responses', async t => {
  const [a, b] = [held(), held()]
  const { session, state } = await shownAt('/menu/main', { 'GET /a': a.reply, 'GET /b': b.reply })
  const opened = [session.open('/a'), session.open('/b')]
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' }, busy: 'loading' })
  b.respond(Response.json(OTHER))
  await opened[1]
  a.respond(Response.json(CARD))
  await opened[0]
  t.match(state(), { name: 'screen', screen: { title: 'Other' }, busy: null })
})

t.test('no screen can be opened before the first response', async t => {
  const menu = held()
  const { session, sent, state } = sessionAt({ 'GET /menu/main': menu.reply }, { token: 'abc' })
  const started = session.start()
  await new Promise(setImmediate)
  t.equal(state().name, 'starting')
  await session.open('/card')
  menu.respond(Response.json(MENU))
  await started
  t.strictSame(sent(), ['GET http://x/menu/main'])
})

t.test('start(url) opens the menu, then the screen, which keeps the display name', async t => {
  for (const [address, title, ...paths] of [
    ['/card?a=1', 'Card', '/menu/main', '/card?a=1'],
    ['/menu/main', 'Main Menu', '/menu/main']
  ] as const) {
    const { session, state, sent } = sessionAt({}, { token: 'abc' })
    await session.start(address)
    t.strictSame(
      sent(),
      paths.map(path => `GET http://x${path}`)
    )
    t.match(state(), { name: 'screen', path: address, displayName: 'Ada', screen: { title } })
  }
})

t.test('if the screen given to start() fails, the state is failed', async t => {
  const { state, states } = await shownAt('/nowhere')
  t.match(state(), {
    name: 'failed',
    path: '/nowhere',
    displayName: 'Ada',
    message: { kind: 'error', text: /nothing at this address/ }
  })
  t.strictSame(states, ['starting', 'failed'])
})

t.test('a base URL may have a path; only the menu and the login are below it', async t => {
  for (const baseUrl of ['https://x/v1', 'https://x/v1///', 'https://x/v1/?query#hash']) {
    const { session, sent } = sessionAt(
      {
        'GET /v1/menu/main': 401,
        'GET /v1/auth/login': { ...FORM, auth_action: '/v1/auth/login' },
        'POST /v1/auth/login': { success: true, token: 'new', error: null, screen: MENU }
      },
      { baseUrl }
    )
    await session.start()
    await session.submit(ENTERED)
    await session.open('/screen')
    await session.open('screen')
    t.equal(session.menuPath, '/v1/menu/main')
    t.equal(baseUrlOf(baseUrl), 'https://x/v1/', 'in one spelling')
    t.strictSame(sent(), [
      'GET https://x/v1/menu/main',
      'GET https://x/v1/auth/login',
      'POST https://x/v1/auth/login',
      'GET https://x/screen',
      'GET https://x/screen'
    ])
  }
})

t.test('an invalid base URL throws', async t => {
  const hosts = ['127.0.0.1:3000', 'localhost:3000', 'ftp://x', 'shttp://x', '']
  const secrets = ['http://ada:secret@x', 'http://ada@x', 'http://:secret@x']
  for (const baseUrl of [...hosts, ...secrets]) t.throws(() => sessionAt({}, { baseUrl }), TypeError, baseUrl)
})

t.test('credentials and tokens are never sent to another server', async t => {
  const form = await formAt({
    'GET /auth/login': { ...FORM, auth_action: 'https://evil.example/auth/login' }
  })
  await form.session.submit(ENTERED)
  t.match(form.state(), { name: 'login', message: { text: /another server/ } })

  const { session, state, sent } = await shownAt('/menu/main')
  const message = { text: /another server/ }
  for (const url of [
    '//evil.example/',
    'http://x.evil.example/',
    'https://x/',
    'http://x:81/',
    'http://x//evil.example/',
    'javascript:1',
    'blob:http://x/y',
    'http://ada@x/',
    'http://',
    'data:,x'
  ]) {
    await session.open(url)
    t.match(state(), { name: 'screen', screen: { title: 'Main Menu' }, message }, url)
    t.equal(session.pathOf(url), null)
  }
  t.strictSame([...sent(), ...form.sent()], [])
})

t.test('the status of a screen is shown as a message, and `Error:` makes it an error', async t => {
  for (const [status, message] of [
    ['Welcome.', { kind: 'info', text: 'Welcome.' }],
    ['Error: Not today.', { kind: 'error', text: 'Not today.' }],
    ['Error: ', { kind: 'error', text: 'The server refused the request.' }],
    ['An Error: of spelling', { kind: 'info', text: 'An Error: of spelling' }],
    ['', null]
  ] as const) {
    const { state } = await shownAt('/card', { 'GET /card': { ...CARD, status } })
    t.strictSame(state().message, message)
    const form = await formAt({ 'GET /auth/login': { ...FORM, status } })
    t.strictSame(form.state().message, message)
  }
})

t.test('the path of a screen is its Content-Location, if that is on the same server', async t => {
  const { session, state, table } = await shownAt('/menu/main')
  for (const [location, path] of [
    ['/contacts/7', '/contacts/7'],
    ['8?a=1', '/contacts/8?a=1'],
    ['http://evil.example/', '/contacts/new'],
    ['/.//evil.example/x', '/contacts/new'],
    ['http://x//evil.example/x', '/contacts/new'],
    ['\\\\evil.example', '/contacts/new'],
    ['blob:http://x/1', '/contacts/new']
  ] as const) {
    table['GET /contacts/new'] = () => Response.json(CARD, { headers: { 'content-location': location } })
    await session.open('/contacts/new')
    t.equal(state().path, path, location)
  }
})

t.test('messages of menu items are shown, and unknown actions are named', async t => {
  const { session, state } = sessionAt({}, { token: 'abc' })
  const action = { url: '', text: 'Hello', items: [] }
  await session.follow({ ...action, type: 'message' })
  t.match(state(), { name: 'starting' }, 'before the menu it does nothing')
  await session.start()
  await session.follow({ ...action, type: 'open_screen', url: '/nowhere' })
  t.match(state().message, { text: /nothing at this address/ })
  await session.follow({ ...action, type: 'message' })
  t.match(state(), { name: 'screen', message: { kind: 'info', text: 'Hello' } })
  await session.follow({ ...action, type: 'dance' })
  t.match(state().message, { kind: 'error', text: 'Unknown action: dance' })
})

t.test('the session uses the texts of the last screen', async t => {
  const ui_strings = { not_found: 'Hier ist nichts.', save: 'Speichern' }
  const { session, state } = await shownAt('/de', { 'GET /de': { ...CARD, ui_strings } })
  t.equal(session.strings.get('save'), 'Speichern')
  await session.open('/nowhere')
  t.equal(state().message.text, 'Hier ist nichts.')
  await session.open('/card')
  t.equal(session.strings.get('save'), undefined)
  await session.open('/nowhere')
  t.match(state().message.text, /nothing at this address/)
})

t.test('the language of a screen is that of the response', async t => {
  const inLanguage = (json: object, language: string) => () =>
    Response.json(json, { headers: { 'content-language': language } })
  const { session, state } = await formAt({
    'GET /auth/login': inLanguage(FORM, 'de'),
    'GET /card': inLanguage(CARD, 'he, en')
  })
  t.match(state(), { name: 'login', language: 'de' })
  await session.submit(ENTERED)
  t.match(state(), { name: 'screen', language: '' })
  await session.open('/card')
  session.enter('name', 'Grace')
  t.match(state(), { name: 'screen', language: 'he' })
})

t.test('a redirect to another screen is followed, and that screen is shown with its own path', async t => {
  const { session, state, requests } = sessionAt({ 'GET /old': { redirect: '/card' } }, { token: 'abc' })
  await session.start('/old')
  t.match(state(), { name: 'screen', path: '/card', screen: { title: 'Card' } })
  t.strictSame(
    requests.map(({ url, authorization }) => [url, authorization]),
    ['http://x/menu/main', 'http://x/old', 'http://x/card'].map(url => [url, 'Bearer abc'])
  )
})

t.test('the response to a save, a login or a button may be a redirect', async t => {
  const redirect = '/card'
  const { session, state, store } = await formAt({
    'POST /auth/login': { success: true, token: 'new', error: null, screen: { redirect } },
    'POST /send': { success: true, message: 'Done it.', screen: { redirect } },
    'POST /save': { redirect: '/menu/main' }
  })
  await session.submit(ENTERED)
  t.match(state(), { path: '/card', screen: { title: 'Card' } })
  t.equal(store.token, 'new')
  await session.act(buttonOf())
  t.match(state(), { path: '/card', message: { text: 'Done it.' }, replaces: true })
  await session.save('save', { name: 'Grace' })
  t.match(state(), { name: 'screen', path: '/menu/main', screen: { title: 'Main Menu' } })
})

t.test('a `redirect` beside the properties of a login or a button is ignored', async t => {
  const redirect = '/card'
  const { session, state, store, sent } = await formAt({
    'POST /auth/login': { success: true, token: 'new', error: null, screen: MENU, redirect },
    'POST /send': { success: true, message: 'Done it.', redirect }
  })
  await session.submit(ENTERED)
  t.match([state().screen.title, store.token], ['Main Menu', 'new'])
  sent()
  await session.act(buttonOf())
  t.match(state(), { message: { text: 'Done it.' } })
  t.strictSame(sent(), ['POST http://x/send'])
})

t.test('a server that needs no login redirects from the form to the menu', async t => {
  const { state } = await formAt({
    'GET /menu/main': (() => {
      let count = 0
      return () => (count++ === 0 ? new Response(null, { status: 401 }) : Response.json(MENU))
    })(),
    'GET /auth/login': { redirect: '/menu/main' }
  })
  t.match(state(), { name: 'screen', path: '/menu/main', screen: { title: 'Main Menu' } })
})

t.test('a redirect is followed once, within the same origin, and only from a 2xx without a screen', async t => {
  for (const [reply, ...requests] of [
    [{ redirect: '/b' }, 'GET http://x/a', 'GET http://x/b'],
    [{ redirect: 'http://y/card' }, 'GET http://x/a'],
    [{ redirect: '//y/card' }, 'GET http://x/a'],
    [{ redirect: 'javascript:alert(1)' }, 'GET http://x/a'],
    [{ redirect: '' }, 'GET http://x/a'],
    [() => Response.json({ redirect: '/card' }, { status: 500 }), 'GET http://x/a']
  ] as [Reply, ...string[]][]) {
    const { session, state, sent } = await shownAt('/menu/main', {
      'GET /a': reply,
      'GET /b': { redirect: '/card' }
    })
    await session.open('/a')
    t.match(state(), { screen: { title: 'Main Menu' }, message: { kind: 'error' } })
    t.strictSame(sent(), requests)
  }
  for (const redirect of ['/b', 7]) {
    const { state } = await shownAt('/a', { 'GET /a': { ...CARD, redirect } })
    t.match(state(), { path: '/a', screen: { title: 'Card' } })
  }
})

t.test('a login form after a second redirect, or without an auth_action, is a failure', async t => {
  const headers = { 'content-location': '/auth/login' }
  for (const reply of [{ redirect: '/menu/main' }, () => Response.json({ layout: 'Card' }, { headers })]) {
    const { state } = await formAt({ 'GET /auth/login': reply })
    t.match(state(), { name: 'failed', isOffline: false })
  }
})

t.test('a button posts its id, the record and its fields to its endpoint', async t => {
  const { session, requests, bodies } = await shownAt('/card', { 'POST /send': { success: true } })
  await session.act(buttonOf({ kind: 'modal' }), { to: 'Grace' })
  t.strictSame(bodies(), [{ action_id: 'send', record_id: '7', screen_title: 'Card', fields: { to: 'Grace' } }])
  t.match(requests, [{ method: 'POST', url: 'http://x/send', authorization: 'Bearer abc' }])
})

t.test('the result of a button is shown', async t => {
  const SENT = { kind: 'success', text: 'Sent.' }
  const NO = { kind: 'error', text: 'No.' }
  const refused = (text: RegExp) => ({ kind: 'error', text })
  const replaced = { name: 'screen', screen: { title: 'Other' }, replaces: true }
  const next = { ...replaced, path: '/other', replaces: false }
  for (const [reply, shown, message] of [
    [{ success: true }, {}, { kind: 'success', text: 'Done.' }],
    [{ success: true, message: 'Sent.' }, {}, SENT],
    [{ success: true, message: 'Sent.', screen: OTHER }, replaced, SENT],
    [{ success: true, push_url: '/other' }, next, null],
    [{ success: true, message: 'Sent.', push_url: '/other' }, next, SENT],
    [{ success: true, redirect_url: '/other' }, { ...replaced, path: '/other' }, null],
    [{ success: false, error: 'No.' }, {}, NO],
    [{ success: false, message: 'No.' }, {}, NO],
    [{ success: false, screen: OTHER }, {}, refused(/refused/)],
    [{}, {}, refused(/cannot show/)],
    [500, {}, refused(/cannot respond/)],
    [() => Response.json({ success: true }, { status: 409 }), {}, refused(/has changed on the server/)],
    [new TypeError('fetch failed'), {}, refused(/cannot be reached/)]
  ] as [Reply, object, object | null][]) {
    const replies = { 'GET /other': OTHER, 'POST /send': reply }
    for (const at of [shownAt('/card', replies), formAt(replies)]) {
      const { session, state } = await at
      const { name, screen, path } = state()
      await session.act(buttonOf())
      t.match(state(), { name, screen, path, ...shown, message, busy: null })
    }
  }
})

t.test('a confirm button asks first', async t => {
  for (const answer of [false, true]) {
    const replies = { 'POST /send': { success: true } }
    for (const at of [shownAt('/card', replies, { answer }), formAt(replies, { answer })]) {
      const { session, questions, sent } = await at
      await session.act(buttonOf({ kind: 'confirm', confirm_message: 'Really send?' }))
      t.strictSame(questions, [{ about: 'action', text: 'Really send?', details: '', label: 'Send' }])
      t.strictSame(sent(), answer ? ['POST http://x/send'] : [])
      await session.act(buttonOf({ kind: 'confirm' }))
      t.match(questions[1], { text: 'Send' }, 'the default question is its label')
    }
  }
})

t.test('a double click, or two confirmations, send one request', async t => {
  for (const [path, act] of [
    ['send', session => session.act(buttonOf())],
    ['send', session => session.act(buttonOf({ kind: 'confirm' }))],
    ['delete', session => session.save('delete')]
  ] as [string, (session: Session) => Promise<void>][]) {
    const { session, sent } = await shownAt('/card', {
      'POST /send': { success: true },
      'POST /delete': CARD
    })
    await Promise.all([act(session), act(session)])
    t.strictSame(sent(), [`POST http://x/${path}`])
  }
})
