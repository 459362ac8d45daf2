// The headless session: watched by the conformance kit, and with answers that no good server gives.

import t from 'tap'
import { watchClient } from '../../../conformance/index.ts'
import { Service } from '../../../examples/client/service.js'
import { Session } from '../../../examples/client/session.js'

const FORM = {
  layout: 'Card',
  title: 'Demo',
  auth_action: '/auth/login',
  sections: [
    {
      id: 'login',
      label: 'Login',
      fields: [
        { id: 'username', label: 'Username', type: 'Text', value: '' },
        { id: 'password', label: 'Password', type: 'Password', value: '' },
        { id: 'company', label: 'Company', type: 'Text', value: 'ACME', read_only: true }
      ]
    }
  ]
}
const MENU = { layout: 'Menu', title: 'Main Menu', user_display_name: 'Ada', menu: { tabs: [] } }
const CARD = { ...FORM, auth_action: undefined, save_action: '/save', title: 'Card' }
const ENTERED = new Map([
  ['username', 'ada'],
  ['password', 'correct horse']
])

interface Request {
  method: string
  url: string
  authorization: string | null
  headers: object
  body: string | undefined
}

type Reply = object | number | Error | (() => Response | Promise<Response>)

/**
 * A session at a server that is a table of what it answers: an object as JSON, a number as an empty answer of that
 * status, an Error as a broken network. By default it is one that wants a login.
 */
function sessionAt(
  replies: Record<string, Reply> = {},
  { token = null as string | null, baseUrl = 'http://x' } = {}
) {
  const table: Record<string, Reply> = {
    'GET /menu/main': () => (lastToken() === null ? empty(401) : Response.json(MENU)),
    'GET /auth/login': FORM,
    'POST /auth/login': { success: true, token: 'new', error: null, screen: MENU },
    ...replies
  }
  const requests: Request[] = []
  const lastToken = () => requests.at(-1)?.authorization ?? null
  const states: string[] = []
  const store = { token }
  const session = new Session({
    baseUrl,
    tokens: {
      read: () => store.token,
      write(token: string) {
        store.token = token
      },
      clear() {
        store.token = null
      }
    },
    onState: ({ name }) => states.push(name),
    fetch: async (url, { method = '', headers, body }) => {
      const authorization = new Headers(headers).get('authorization')
      requests.push({ method, url, authorization, headers: headers as object, body: body?.toString() })
      const reply = table[`${method} ${new URL(url).pathname}`] ?? 404
      if (reply instanceof Error) throw reply
      if (typeof reply === 'function') return reply()
      return typeof reply === 'number' ? empty(reply) : Response.json(reply)
    }
  })
  const sent = () => requests.splice(0).map(({ method, url }) => `${method} ${url}`)
  // biome-ignore lint/suspicious/noExplicitAny: states are looked into at will, and a wrong look fails the test
  const state = () => session.state as any
  return { session, table, store, requests, sent, states, state }
}

const empty = (status: number, headers = {}) => new Response(null, { status, headers })

t.test('the conformance kit finds that it keeps the contract', async t => {
  for (const expect of ['login', 'reject-then-login', 'login-then-expire', 'no-auth'] as const) {
    const entered = { username: 'ada', password: ' päss wörd ' }
    const { url, report } = await watchClient({ expect: [expect], settle: 0.3, ...entered })
    let token: string | null = null
    const session = new Session({
      baseUrl: url,
      tokens: {
        read: () => token,
        write(written: string) {
          token = written
        },
        clear() {
          token = null
        }
      },
      onState() {}
    })
    await session.start()
    for (let i = 0; i < 2; i++) await session.submit(new Map(Object.entries(entered)))
    for (const path of ['/screen/first', '/screen/second', 'menu/main']) await session.open(path)
    const { results } = await report
    t.strictSame(
      results.filter(({ status }) => status !== 'ok'),
      [],
      expect
    )
    t.ok(results.some(({ id }) => id === 'asks-for-menu-first'))
  }
})

t.test(
  'a login: the menu first, the form on 401, its fields to auth_action, the menu of the answer',
  async t => {
    const { session, sent, requests, states, state, store } = sessionAt()
    await session.start()
    t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/auth/login'])
    t.match(state(), { name: 'login', message: null, screen: { title: 'Demo', displayName: '' } })
    t.equal(session.isLoggedIn, false)

    await session.submit(ENTERED)
    t.strictSame(
      requests.map(({ body }) => body),
      ['{"fields":{"username":"ada","password":"correct horse","company":"ACME"}}']
    )
    t.strictSame(sent(), ['POST http://x/auth/login'])
    t.match(state(), {
      name: 'screen',
      path: '/menu/main',
      screen: { title: 'Main Menu', displayName: 'Ada' }
    })
    t.strictSame(states, ['starting', 'login', 'submitting', 'screen'])
    t.equal(store.token, 'new')
    t.equal(session.isLoggedIn, true)
  }
)

t.test('JSON is asked for, and said to be sent', async t => {
  const { session, requests } = sessionAt()
  await session.start()
  await session.submit(ENTERED)
  await session.open('/screen')
  const json = 'application/json'
  t.strictSame(
    requests.map(({ headers }) => headers),
    [
      { accept: json },
      { accept: json },
      { accept: json, 'content-type': json },
      { accept: json, authorization: 'Bearer new' }
    ]
  )
})

t.test('a stored token is sent as it is, and saves the login', async t => {
  const { session, requests, state } = sessionAt({}, { token: 'no.JWT ~at all/=' })
  await session.start()
  t.equal(state().name, 'screen')
  t.strictSame(
    requests.map(({ authorization }) => authorization),
    ['Bearer no.JWT ~at all/=']
  )
})

t.test('a stored token that no header can carry is dropped', async t => {
  const { session, state, store, sent } = sessionAt({}, { token: 'a\nb' })
  await session.start()
  t.match(state(), { name: 'login', message: { kind: 'error', text: /session has ended/ } })
  t.equal(store.token, null)
  t.strictSame(sent(), ['GET http://x/auth/login'])
})

t.test('a rejection keeps the form and the username, and clears the password', async t => {
  for (const [status, error, text] of [
    [200, 'Falsches Kennwort.', 'Falsches Kennwort.'],
    [401, 'Nope', 'Nope'],
    [503, 'Busy', 'Busy'],
    [400, null, 'The login was rejected.'],
    [401, undefined, 'The login was rejected.']
  ] as const) {
    const { session, state, store } = sessionAt({
      'POST /auth/login': () =>
        error === undefined
          ? empty(status)
          : Response.json({ success: false, token: null, error, screen: null }, { status })
    })
    await session.start()
    const { screen } = state()
    await session.submit(ENTERED)
    t.match(state(), { name: 'login', message: { kind: 'error', text } })
    t.equal(state().screen, screen)
    t.strictSame(Object.fromEntries(state().values), { username: 'ada', password: '', company: 'ACME' })
    t.equal(store.token, null)
  }
})

t.test('when nobody has looked at the credentials they are kept', async t => {
  for (const [reply, text] of [
    [new TypeError('fetch failed'), /cannot be reached/],
    [500, /cannot answer at the moment/],
    [404, /nothing at this address/],
    [() => new Response('<html>'), /cannot show/],
    [{ success: true }, /cannot show/],
    [{ success: true, token: 'a\nb', screen: MENU }, /cannot show/]
  ] as [Reply, RegExp][]) {
    const { session, state } = sessionAt({ 'POST /auth/login': reply })
    await session.start()
    await session.submit(ENTERED)
    t.match(state(), { name: 'login', message: { kind: 'error', text } })
    t.equal(state().values.get('password'), 'correct horse')
  }
})

t.test('a form is submitted once at a time', async t => {
  const { session, sent } = sessionAt()
  await session.start()
  sent()
  await Promise.all([session.submit(ENTERED), session.submit(ENTERED)])
  t.strictSame(sent(), ['POST http://x/auth/login'])
})

t.test('an answer that has a token but no screen is followed by a request for the menu', async t => {
  const { session, state, sent } = sessionAt({ 'POST /auth/login': { success: true, token: 'new' } })
  await session.start()
  sent()
  await session.submit(ENTERED)
  t.equal(state().name, 'screen')
  t.strictSame(sent(), ['POST http://x/auth/login', 'GET http://x/menu/main'])
})

t.test('credentials and tokens go to no other server', async t => {
  const elsewhere = sessionAt({
    'GET /auth/login': { ...FORM, auth_action: 'https://evil.example/auth/login' }
  })
  await elsewhere.session.start()
  elsewhere.sent()
  await elsewhere.session.submit(ENTERED)
  t.match(elsewhere.state(), { name: 'login', message: { text: /another server. Nothing was sent/ } })

  const { session, state, sent } = sessionAt({}, { token: 'abc' })
  await session.start()
  sent()
  for (const url of [
    '//evil.example/',
    'http://x.evil.example/',
    'https://x/',
    'http://x:81/',
    'javascript:1',
    'blob:http://x/y',
    'http://ada@x/',
    'http://',
    'blob:http://x/y',
    'http://ada@x/'
  ]) {
    await session.open(url)
    t.match(
      state(),
      { name: 'screen', screen: { title: 'Main Menu' }, message: { text: /another server/ } },
      url
    )
    t.equal(session.pathOf(url), null)
  }
  t.strictSame([...sent(), ...elsewhere.sent()], [])
  await session.open('http://x//evil.example/')
  t.strictSame(sent(), ['GET http://x//evil.example/'])
})

t.test('a form that comes after the login is not shown', async t => {
  const { session, table, state } = sessionAt({ 'GET /menu/main': MENU })
  await session.start()
  const refuse: (() => void)[] = []
  const answers: ((response: Response) => void)[] = []
  for (const path of ['a', 'b']) {
    table[`GET /${path}`] = () => new Promise(resolve => refuse.push(() => resolve(empty(401))))
  }
  const opened = [session.open('a'), session.open('b')]
  refuse[1]?.()
  await opened[1]
  t.equal(state().name, 'login')
  table['GET /auth/login'] = () => new Promise(resolve => answers.push(resolve))
  refuse[0]?.()
  await new Promise(setImmediate)
  await session.submit(ENTERED)
  t.equal(state().name, 'screen')
  answers[0]?.(Response.json(FORM))
  await opened[0]
  t.equal(state().name, 'screen')
})

t.test('a redirect is not followed, and said; and no answer is kept by the browser', async t => {
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

t.test('any 401 drops the token, and leads to the login form with a message', async t => {
  const actions: [string, (session: Session) => Promise<void>][] = [
    ['GET /screen', session => session.open('/screen')],
    [
      'GET /menu/main',
      session => session.follow({ type: 'open_menu', url: 'menu/main', text: '', items: [] })
    ],
    ['POST /save', session => session.save(new Map())]
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

t.test('what the person wanted last is shown, in whatever order the answers come', async t => {
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

t.test('a server that does not answer leaves the token where it is, and is asked again', async t => {
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

t.test('after a login the menu is shown, whatever the address was', async t => {
  const { session, state, sent } = sessionAt({ 'GET /card': CARD })
  await session.start('/card')
  sent()
  await session.submit(ENTERED)
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
  t.strictSame(sent(), ['POST http://x/auth/login'])
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

t.test('nothing can be asked for before the first answer', async t => {
  const menu = () => new Promise<Response>(resolve => setTimeout(() => resolve(Response.json(MENU)), 50))
  const { session, sent, state } = sessionAt({ 'GET /menu/main': menu }, { token: 'abc' })
  const started = session.start()
  await new Promise(setImmediate)
  t.equal(state().name, 'starting')
  await session.open('/card')
  await started
  t.strictSame(sent(), ['GET http://x/menu/main'])
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

t.test('a Card is saved where it says, and the answer is shown', async t => {
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

t.test('whatever the server answers to a logout, the person is logged out', async t => {
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

t.test('nobody waits for the answer to a logout, and it does not touch the next login', async t => {
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
  t.equal(state().name, 'offline')
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

t.test('no screen can be asked for while there is a login form, except by who is logged in', async t => {
  const { session, state, sent } = sessionAt()
  await session.start()
  sent()
  await session.open('/screen')
  await session.save(ENTERED)
  t.strictSame(sent(), [])
  await session.submit(ENTERED)
  await session.submit(ENTERED)
  await session.open('auth/login')
  t.equal(state().name, 'login')
  await session.open('menu/main')
  t.equal(state().name, 'screen')
})
