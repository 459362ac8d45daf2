// The headless session opens screens, follows menu items and presses buttons.

import t from 'tap'
import { baseUrlOf, readScreen } from '../index.ts'
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

t.test('a screen of an address comes after the menu; the display name is on every screen', async t => {
  const { session, state, sent } = sessionAt({ 'GET /card': CARD }, { token: 'abc' })
  await session.start('/card?a=1')
  t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/card?a=1'])
  t.match(state(), { name: 'screen', path: '/card?a=1', screen: { title: 'Card', displayName: 'Ada' } })
})

t.test('where the screen of an address cannot be shown there is the menu, with a message', async t => {
  const { session, state, states } = sessionAt({}, { token: 'abc' })
  await session.start('/nowhere')
  t.match(state(), {
    name: 'screen',
    path: '/menu/main',
    screen: { title: 'Main Menu', displayName: 'Ada' },
    message: { kind: 'error', text: /nothing at this address/ }
  })
  t.strictSame(states, ['starting', 'screen'])
})

t.test('the menu of an address is not asked for twice', async t => {
  const { session, sent } = sessionAt({}, { token: 'abc' })
  await session.start('/menu/main')
  t.strictSame(sent(), ['GET http://x/menu/main'])
})

t.test('a base URL may have a path: only menu and login are below it', async t => {
  for (const baseUrl of ['http://x/v1', 'http://x/v1///', 'http://x/v1/?query#hash']) {
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
    t.equal(baseUrlOf(baseUrl), 'http://x/v1/', 'in one spelling')
    t.strictSame(sent(), [
      'GET http://x/v1/menu/main',
      'GET http://x/v1/auth/login',
      'POST http://x/v1/auth/login',
      'GET http://x/screen',
      'GET http://x/screen'
    ])
  }
})

t.test('a service may be on https', async t => {
  const { session, sent } = sessionAt({}, { baseUrl: 'https://x' })
  await session.start()
  t.strictSame(sent(), ['GET https://x/menu/main', 'GET https://x/auth/login'])
})

t.test('a base URL that cannot be used is refused', async t => {
  for (const baseUrl of [
    '127.0.0.1:3000',
    'localhost:3000',
    'ftp://x',
    'shttp://x',
    'http://ada:secret@x',
    'http://ada@x',
    'http://:secret@x',
    ''
  ]) {
    t.throws(() => sessionAt({}, { baseUrl }), TypeError, baseUrl)
  }
})

t.test('the message that comes with a screen is shown, and `Error:` makes it an error', async t => {
  const { session, state, table } = sessionAt({}, { token: 'abc' })
  await session.start()
  for (const [status, message] of [
    ['Welcome.', { kind: 'info', text: 'Welcome.' }],
    ['Error: Not today.', { kind: 'error', text: 'Not today.' }],
    ['An Error: of spelling', { kind: 'info', text: 'An Error: of spelling' }],
    ['', null]
  ] as const) {
    table['GET /card'] = { ...CARD, status }
    await session.open('/card')
    t.strictSame(state().message, message)
  }
})

t.test('a screen lives where its Content-Location says, if that is on this server', async t => {
  const { session, state, table } = sessionAt({}, { token: 'abc' })
  await session.start()
  for (const [location, path] of [
    ['/contacts/7', '/contacts/7'],
    ['8?a=1', '/contacts/8?a=1'],
    ['http://evil.example/', '/contacts/new']
  ] as const) {
    table['GET /contacts/new'] = () => Response.json(CARD, { headers: { 'content-location': location } })
    await session.open('/contacts/new')
    t.equal(state().path, path)
  }
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
  t.match(state().message, { kind: 'error', text: 'Unknown action: dance' })
})

t.test('the session speaks in the words of the last screen', async t => {
  const ui_strings = { not_found: 'Hier ist nichts.', save: 'Speichern' }
  const { session, state } = sessionAt(
    { 'GET /de': { ...CARD, ui_strings }, 'GET /en': CARD },
    { token: 'a' }
  )
  await session.start()
  await session.open('/de')
  t.equal(session.strings.get('save'), 'Speichern')
  await session.open('/nowhere')
  t.equal(state().message.text, 'Hier ist nichts.')
  await session.open('/en')
  t.equal(session.strings.get('save'), undefined)
  await session.open('/nowhere')
  t.match(state().message.text, /nothing at this address/)
})

const BUTTON = { id: 'send', label: 'Send', kind: 'simple', endpoint: '/send' }
const buttonOf = (button: object) =>
  readScreen({ layout: 'Card', screen_actions: [{ ...BUTTON, ...button }] })?.screenActions[0] as never

t.test('a button posts its name, the record and its fields to its endpoint', async t => {
  const { session, requests, sent } = sessionAt(
    { 'GET /card': CARD, 'POST /send': { success: true } },
    { token: 'abc' }
  )
  await session.start('/card')
  sent()
  await session.act(buttonOf({ kind: 'modal' }), { to: 'Grace' })
  t.strictSame(JSON.parse(requests[0]?.body ?? ''), {
    action_id: 'send',
    record_id: '7',
    screen_title: 'Card',
    fields: { to: 'Grace' }
  })
  t.match(requests, [{ method: 'POST', url: 'http://x/send', authorization: 'Bearer abc' }])
})

t.test('what came of a button is said, or shown', async t => {
  const shown = { layout: 'Card', title: 'Shown' }
  for (const [reply, title, path, message] of [
    [{ success: true }, 'Card', '/card', { kind: 'info', text: 'Done.' }],
    [{ success: true, message: 'Sent.' }, 'Card', '/card', { kind: 'info', text: 'Sent.' }],
    [{ success: true, message: 'Sent.', screen: shown }, 'Shown', '/card', { kind: 'info', text: 'Sent.' }],
    [{ success: true, push_url: '/other' }, 'Shown', '/other', null],
    [
      { success: true, message: 'Sent.', push_url: '/other' },
      'Shown',
      '/other',
      { kind: 'info', text: 'Sent.' }
    ],
    [{ success: true, redirect_url: '/other' }, 'Shown', '/other', null],
    [{ success: false, error: 'No.' }, 'Card', '/card', { kind: 'error', text: 'No.' }],
    [{ success: false, message: 'No.' }, 'Card', '/card', { kind: 'error', text: 'No.' }],
    [{ success: false, screen: shown }, 'Card', '/card', { kind: 'error', text: /refused/ }],
    [{}, 'Card', '/card', { kind: 'error', text: /cannot show/ }],
    [500, 'Card', '/card', { kind: 'error', text: /cannot respond/ }],
    [
      () => Response.json({ success: true }, { status: 409 }),
      'Card',
      '/card',
      { kind: 'error', text: /refused/ }
    ],
    [new TypeError('fetch failed'), 'Card', '/card', { kind: 'error', text: /cannot be reached/ }]
  ] as [Reply, string, string, object | null][]) {
    const { session, state } = sessionAt(
      { 'GET /card': CARD, 'GET /other': shown, 'POST /send': reply },
      { token: 'abc' }
    )
    await session.start('/card')
    await session.act(buttonOf({}))
    t.match(state(), { name: 'screen', screen: { title }, path, message, busy: false })
  }
})

t.test('a screen that comes in the place of another says so, and one that is opened does not', async t => {
  for (const [response, replaces] of [
    [{ success: true, screen: CARD }, true],
    [{ success: true, redirect_url: '/other' }, true],
    [{ success: true, push_url: '/other' }, false]
  ] as const) {
    const { session, state } = sessionAt(
      { 'GET /card': CARD, 'GET /other': CARD, 'POST /send': response },
      { token: 'abc' }
    )
    await session.start('/card')
    t.equal(state().replaces, false)
    await session.act(buttonOf({}))
    t.equal(state().replaces, replaces)
  }
})

t.test('a button that wants a confirmation asks first', async t => {
  for (const answer of [false, true]) {
    const { session, questions, sent } = sessionAt(
      { 'POST /send': { success: true } },
      { token: 'abc', answer }
    )
    await session.start()
    sent()
    await session.act(buttonOf({ kind: 'confirm', confirm_message: 'Really send?' }))
    t.strictSame(questions, [{ about: 'action', text: 'Really send?', label: 'Send' }])
    t.strictSame(sent(), answer ? ['POST http://x/send'] : [])
    await session.act(buttonOf({ kind: 'confirm' }))
    t.match(questions[1], { text: 'Send' }, 'without a question, its label is one')
  }
})

t.test('a button that is pressed twice acts once', async t => {
  let answer = (_: boolean) => {}
  const asked = new Promise<boolean>(resolve => {
    answer = resolve
  })
  const { session, sent } = sessionAt({ 'POST /send': { success: true } }, { token: 'abc', answer: asked })
  await session.start()
  sent()
  await Promise.all([session.act(buttonOf({})), session.act(buttonOf({}))])
  t.strictSame(sent(), ['POST http://x/send'])
  const confirm = buttonOf({ kind: 'confirm' })
  const both = [session.act(confirm), session.act(confirm)]
  answer(true)
  await Promise.all(both)
  t.strictSame(sent(), ['POST http://x/send'])
})

t.test('there is no button before the login', async t => {
  const { session, sent } = sessionAt()
  await session.start()
  sent()
  await session.act(buttonOf({}))
  t.strictSame(sent(), [])
})
