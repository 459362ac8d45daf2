// The session opens and searches screens, follows menu items, presses buttons, and tells its listeners.

import { effect, reactive } from '@vue/reactivity'
import t from 'tap'
import { baseUrlOf, type Session } from '../index.ts'
import { CARD, ENTERED, FORM, LIST, MENU, OTHER } from './fixtures.ts'
import { buttonOf, down, formAt, type Reply, sessionAt, shownAt, turn } from './session-at.ts'

const withHeader = (name: string, value: string, json: object) => () =>
  Response.json(json, { headers: { [name]: value } })

t.test('a listener is called with the state at once, and after each change until it unsubscribes', async t => {
  const { session } = sessionAt()
  const names: string[] = []
  const { subscribe } = session
  const end = subscribe(({ name }) => names.push(name))
  subscribe(({ name }) => names.push(name.toUpperCase()))
  await session.start()
  end()
  session.enter('username', 'ada')
  t.strictSame(names, ['starting', 'STARTING', 'login', 'LOGIN', 'LOGIN'])
})

t.test('a listener that throws stops neither the session nor other listeners, and its error is reported', async t => {
  const errors: unknown[] = []
  const note = (error: unknown) => errors.push(error)
  const others = process.rawListeners('unhandledRejection') as (() => void)[]
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
  t.teardown(() => {
    process.off('unhandledRejection', note)
    for (const other of others) process.on('unhandledRejection', other)
  })
  const { session, states } = sessionAt()
  session.subscribe(() => {
    throw new Error('broken view')
  })
  const names: string[] = []
  session.subscribe(({ name }) => names.push(name))
  await session.start()
  await turn()
  t.strictSame([states, names], [names, ['starting', 'login']])
  t.match(errors, [{ message: 'broken view' }, { message: 'broken view' }])
})

t.test('start(url) opens the menu, then the screen, which keeps menu and name, also if it fails', async t => {
  for (const [address, shown, ...paths] of [
    ['/card?a=1', { name: 'screen', screen: { title: 'Card' } }, '/menu/main', '/card?a=1'],
    ['/menu/main', { name: 'screen', replaces: true, screen: { title: 'Main Menu' } }, '/menu/main'],
    ['/nowhere', { name: 'failed', message: { text: /nothing at this address/ } }, '/menu/main', '/nowhere']
  ] as const) {
    const { session, state, states, sent } = sessionAt({}, { token: 'abc' })
    await session.start(address)
    const expected = paths.map(path => `GET http://x${path}`)
    t.strictSame(sent(), expected)
    t.match(state(), { path: address, displayName: 'Ada', ...shown })
    t.match(session.menu, { tabs: [] })
    t.strictSame(states, ['starting', shown.name])
    await session.logOut()
    t.equal(session.menu, null)
  }
})

t.test('a base URL may have a path; only the menu and the login are below it', async t => {
  for (const baseUrl of ['https://x/v1', 'https://x/v1///', 'https://x/v1/?query#hash']) {
    const replies = {
      'GET /v1/menu/main': 401,
      'GET /v1/auth/login': { ...FORM, auth_action: '/v1/auth/login' },
      'POST /v1/auth/login': { success: true, token: 'new', error: null, screen: MENU }
    }
    const { session, sent } = sessionAt(replies, { baseUrl })
    await session.start()
    await session.submit(ENTERED)
    await session.open('/screen')
    await session.open('screen')
    t.equal(session.menuPath, '/v1/menu/main')
    t.equal(baseUrlOf(baseUrl), 'https://x/v1/', 'in one spelling')
    const paths = ['GET /v1/menu/main', 'GET /v1/auth/login', 'POST /v1/auth/login', 'GET /screen', 'GET /screen']
    const expected = paths.map(path => path.replace(' ', ' https://x'))
    t.strictSame(sent(), expected)
  }
})

t.test('an invalid base URL throws', async t => {
  const hosts = ['localhost:3000', 'ftp://x', 'shttp://x']
  const secrets = ['http://ada:secret@x', 'http://ada@x', 'http://:secret@x']
  const error = new TypeError('baseUrl must be a plain http(s) URL')
  for (const baseUrl of [...hosts, ...secrets]) t.throws(() => sessionAt({}, { baseUrl }), error, baseUrl)
  for (const baseUrl of ['127.0.0.1:3000', '']) t.throws(() => sessionAt({}, { baseUrl }), TypeError, baseUrl)
})

t.test('credentials and tokens are never sent to another server', async t => {
  const evil = { ...FORM, auth_action: 'https://evil.example/auth/login' }
  const form = await formAt({ 'GET /auth/login': evil })
  await form.session.submit(ENTERED)
  t.match(form.state(), { name: 'login', message: { text: /another server/ } })

  const { session, state, sent } = await shownAt('/menu/main')
  const message = { kind: 'error', text: 'This address belongs to another server.' }
  for (const url of [
    '//evil.example/',
    'http://x.evil.example/',
    'https://x/',
    'http://x:81/',
    'http://x//evil.example/',
    'javascript:1',
    'blob:http://x/y',
    'http://ada@x/',
    'http://'
  ]) {
    await session.open(url)
    t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } }, url)
    t.strictSame([state().message, session.pathOf(url)], [message, null], url)
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
    ['/.//evil.example/x', '/contacts/new'],
    ['\\\\evil.example', '/contacts/new']
  ] as const) {
    table['GET /contacts/new'] = withHeader('content-location', location, CARD)
    await session.open('/contacts/new')
    t.equal(state().path, path, location)
  }
})

t.test('the language of a screen is that of the response', async t => {
  const { session, state } = await formAt({
    'GET /auth/login': withHeader('content-language', 'de', FORM),
    'GET /card': withHeader('content-language', 'he, en', CARD)
  })
  t.match(state(), { name: 'login', language: 'de' })
  await session.submit(ENTERED)
  t.match(state(), { name: 'screen', language: '' })
  await session.open('/card')
  session.enter('name', 'Grace')
  t.match(state(), { name: 'screen', language: 'he' })
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

t.test('a search fetches the list again, and replaces its rows; only a list can be searched', async t => {
  const { session, state, sent } = await shownAt('/list?page=2', { 'GET /list': LIST })
  await session.search('a & b?')
  t.match(state(), { path: '/list?query=a%20%26%20b%3F', replaces: true })
  await session.search('')
  await session.search('\ud800')
  await session.open('/card')
  await session.search('x')
  const searches = ['/list?query=a%20%26%20b%3F', '/list', '/list?query=%EF%BF%BD'].map(path => `GET http://x${path}`)
  t.strictSame(sent(), [...searches, 'GET http://x/card'])
})

t.test('messages of menu items are shown, and unknown actions are named', async t => {
  const { session, state } = sessionAt({}, { token: 'abc' })
  const action = { url: '', text: 'Hello', items: [] }
  await session.follow({ ...action, type: 'message' })
  t.match(state(), { name: 'starting', message: null }, 'before the menu it does nothing')
  await session.start()
  await session.follow({ ...action, type: 'open_screen', url: '/nowhere' })
  t.match(state().message, { text: /nothing at this address/ })
  await session.follow({ ...action, type: 'message' })
  t.match(state(), { name: 'screen', message: { kind: 'info', text: 'Hello' } })
  await session.follow({ ...action, type: 'dance' })
  t.match(state().message, { kind: 'error', text: 'Unknown action: dance' })
})

// Redirects

t.test('the response to a save, a login or a button may be a redirect', async t => {
  const redirect = '/card'
  const { session, state, store, requests } = await formAt({
    'POST /auth/login': { success: true, token: 'new', error: null, screen: { redirect } },
    'POST /send': { success: true, message: 'Done it.', screen: { redirect } },
    'POST /save': { redirect: '/menu/main' }
  })
  await session.submit(ENTERED)
  t.match([state(), store.token], [{ path: '/card', screen: { title: 'Card' } }, 'new'])
  await session.act(buttonOf())
  t.match(state(), { path: '/card', message: { text: 'Done it.' }, replaces: true })
  await session.save('save', { name: 'Grace' })
  t.match(state(), { name: 'screen', path: '/menu/main', screen: { title: 'Main Menu' } })
  t.match(requests.at(-1), { url: 'http://x/menu/main', authorization: 'Bearer new' })
})

t.test('a `redirect` beside the properties of a screen, a login or a button is ignored', async t => {
  const redirect = '/card'
  const { session, state, store, sent } = await formAt({
    'POST /auth/login': { success: true, token: 'new', error: null, screen: MENU, redirect },
    'POST /send': { success: true, message: 'Done it.', redirect },
    'GET /other': { ...OTHER, redirect }
  })
  await session.submit(ENTERED)
  t.match([state().screen.title, store.token], ['Main Menu', 'new'])
  await session.act(buttonOf())
  t.match(state(), { message: { text: 'Done it.' } })
  await session.open('/other')
  t.match(state(), { path: '/other', screen: { title: 'Other' } })
  const shown = 'GET http://x/menu/main'
  t.strictSame(sent(), ['POST http://x/auth/login', 'POST http://x/send', shown, 'GET http://x/other'])
})

t.test('a redirect is followed once, within the same origin, and only from a 2xx', async t => {
  for (const [reply, ...requests] of [
    [{ redirect: '/b' }, 'GET http://x/a', 'GET http://x/b'],
    [{ redirect: 'http://y/card' }, 'GET http://x/a'],
    [{ redirect: '//y/card' }, 'GET http://x/a'],
    [{ redirect: '' }, 'GET http://x/a'],
    [() => Response.json({ redirect: '/card' }, { status: 500 }), 'GET http://x/a']
  ] as [Reply, ...string[]][]) {
    const { session, state, sent } = await shownAt('/menu/main', { 'GET /a': reply, 'GET /b': { redirect: '/card' } })
    await session.open('/a')
    t.match(state(), { screen: { title: 'Main Menu' }, message: { kind: 'error' } })
    t.strictSame(sent(), requests)
  }
})

t.test('instead of the form a server that needs no login may redirect to the menu, but not to a form', async t => {
  const headers = { 'content-location': '/auth/login' }
  for (const [menu, form, name] of [
    [MENU, { redirect: '/menu/main' }, 'screen'],
    [401, { redirect: '/menu/main' }, 'failed'],
    [MENU, () => Response.json({ layout: 'Card' }, { headers }), 'failed']
  ] as [Reply, Reply, string][]) {
    const { session, state, table } = sessionAt({ 'GET /menu/main': 401, 'GET /auth/login': 503 })
    await session.start()
    table['GET /menu/main'] = menu
    table['GET /auth/login'] = form
    await session.retry()
    t.match(state(), { name, ...(name === 'screen' ? { path: '/menu/main' } : { isOffline: false }) })
  }
})

// Buttons

t.test('a button posts its id, the record and its fields to its endpoint', async t => {
  const { session, table, requests, bodies, state } = await shownAt('/card', { 'POST /send': { success: true } })
  await session.act(buttonOf({ kind: 'modal' }), { to: 'Grace' })
  t.strictSame(bodies(), [{ action_id: 'send', record_id: '7', screen_title: 'Card', fields: { to: 'Grace' } }])
  const posted = { method: 'POST', url: 'http://x/send', authorization: 'Bearer abc' }
  t.match(requests, [posted, { method: 'GET', url: 'http://x/card' }], 'without a result, the screen is fetched again')
  table['GET /card'] = 503
  await session.act(buttonOf())
  t.match(state(), { screen: { title: 'Card' }, message: { text: 'Done.' } })
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
    [{ success: true, message: 'Sent.', push_url: '/nowhere' }, {}, refused(/nothing at this address/)],
    [{ success: true, message: 'Sent.', push_url: '/other' }, next, SENT],
    [{ success: true, redirect_url: '/other' }, { ...replaced, path: '/other' }, null],
    [{ success: false, error: 'No.' }, {}, NO],
    [{ success: false, message: 'No.' }, {}, NO],
    [{ success: false, screen: OTHER }, {}, refused(/refused/)],
    [{}, {}, refused(/cannot show/)],
    [500, {}, refused(/cannot respond/)],
    [() => Response.json({ success: true }, { status: 409 }), {}, refused(/Changed by others/)],
    [down, {}, refused(/^No response/)]
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
      t.equal(sent()[0], answer ? 'POST http://x/send' : undefined)
      await session.act(buttonOf({ kind: 'confirm' }))
      t.match(questions[1], { text: 'Send' }, 'the default question is its label')
    }
  }
})

t.test('a double click, or two confirmations, send one request', async t => {
  for (const [path, act, form] of [
    ['send', session => session.act(buttonOf())],
    ['send', session => session.act(buttonOf({ kind: 'confirm' }))],
    ['delete', session => session.save('delete')],
    ['auth/login', session => session.submit(ENTERED), '/form']
  ] as [string, (session: Session) => Promise<void>, string?][]) {
    const replies = { 'POST /send': { success: true }, 'POST /delete': CARD, 'GET /form': FORM }
    const { session, sent } = await shownAt(form ?? '/card', replies)
    await Promise.all([act(session), act(session)])
    const posts = sent().filter(request => request.startsWith('POST'))
    t.strictSame(posts, [`POST http://x/${path}`])
  }
})

t.test('a session works as a reactive object of Vue', async t => {
  const made = sessionAt({ 'POST /save': { ...CARD, title: 'Saved' } })
  const session = reactive(made.session)
  const seen = new Set<string>()
  effect(() => seen.add('screen' in session.state ? session.state.screen.title : session.state.name))
  await session.start('/card')
  await session.submit({ username: 'ada', password: 'x' })
  session.enter('city', 'Paris')
  t.match(session.state, { name: 'screen', hasChanges: true })
  await session.save()
  await session.follow({ type: 'open_screen', url: '/card', text: '', items: [] })
  await session.logOut()
  session.stop()
  t.strictSame([...seen], ['starting', 'Demo', 'Card', 'Saved'])
})
