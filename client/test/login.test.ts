// The headless session logs in, by the contract and with responses that no good server sends.

import { createServer } from 'node:http'
import t from 'tap'
import { Session } from '../index.ts'
import { CARD, ENTERED, empty, FORM, MENU, type Reply, sessionAt, storeIn } from './session-at.ts'

t.test(
  'a login: the menu first, the form on 401, its fields to auth_action, the menu of the response',
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
    t.strictSame(states, ['starting', 'login', 'login', 'login (busy)', 'screen'])
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

t.test('a stored token that no header can carry is none', async t => {
  const { session, state, requests } = sessionAt({}, { token: 'a\nb' })
  await session.start()
  t.match(state(), { name: 'login', message: null })
  t.strictSame(
    requests.map(({ authorization }) => authorization),
    [null, null]
  )
})

t.test('a rejection keeps the form and the username, and clears the password', async t => {
  for (const [status, error, text] of [
    [200, 'Falsches Kennwort.', 'Falsches Kennwort.'],
    [401, 'Nope', 'Nope'],
    [403, 'No entry', 'No entry'],
    [200, null, 'The server refused this.'],
    [401, undefined, 'The server refused this.']
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

t.test('credentials that the server has not looked at are kept', async t => {
  for (const [reply, text] of [
    [new TypeError('fetch failed'), /cannot be reached/],
    [500, /cannot respond now/],
    [() => Response.json({ success: false, error: 'Busy.' }, { status: 503 }), /^Busy\.$/],
    [() => Response.json({ success: false, error: 'Too large.' }, { status: 413 }), /^Too large\.$/],
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

t.test('a response that has a token but no screen is followed by a request for the menu', async t => {
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
  t.match(elsewhere.state(), { name: 'login', message: { text: /another server/ } })

  const { session, state, sent } = sessionAt({}, { token: 'abc' })
  await session.start()
  sent()
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
    t.match(
      state(),
      { name: 'screen', screen: { title: 'Main Menu' }, message: { text: /another server/ } },
      url
    )
    t.equal(session.pathOf(url), null)
  }
  t.strictSame([...sent(), ...elsewhere.sent()], [])
})

t.test('a form that comes after the login is not shown', async t => {
  const { session, table, state } = sessionAt({ 'GET /menu/main': MENU })
  await session.start()
  const refuse: (() => void)[] = []
  const answers: ((response: Response) => void)[] = []
  for (const path of ['a', 'b']) {
    table[`GET /${path}`] = () => new Promise(resolve => refuse.push(() => resolve(empty(401))))
  }
  const opened = [session.open('/a'), session.open('/b')]
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

t.test('after a login the menu is shown, whatever the address was', async t => {
  const { session, state, sent } = sessionAt({ 'GET /card': CARD })
  await session.start('/card')
  sent()
  await session.submit(ENTERED)
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
  t.strictSame(sent(), ['POST http://x/auth/login'])
})

t.test(
  'no screen can be asked for while there is a login form, except by a person who is logged in',
  async t => {
    const { session, state, sent } = sessionAt()
    await session.start()
    sent()
    await session.open('/screen')
    await session.save()
    t.strictSame(sent(), [])
    await session.submit(ENTERED)
    await session.submit(ENTERED)
    await session.open('/auth/login')
    t.equal(state().name, 'login')
    await session.open('/menu/main')
    t.equal(state().name, 'screen')
  }
)

t.test('without a fetch of the host it uses that of the platform', async t => {
  const server = createServer((_request, response) => response.end(JSON.stringify(MENU)))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const session = new Session({
    baseUrl: `http://127.0.0.1:${port}`,
    tokens: storeIn({ token: null }, 'token'),
    onState() {}
  })
  await session.start()
  t.match(session.state, { name: 'screen', screen: { title: 'Main Menu' } })
})
