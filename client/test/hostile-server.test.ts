// What a server that is broken or means harm can do to a session: nothing that the next click does not mend.

import t from 'tap'
import { Session } from '../index.ts'
import { CARD, ENTERED, FORM, MENU, sessionAt } from './session-at.ts'

t.test('a value that is nested more deeply than the stack is an empty text', async t => {
  const depth = 50_000
  const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
  const { session, state } = sessionAt(
    {
      'GET /card': () =>
        new Response(`{"layout":"Card","title":${nested},"ui_strings":{"refused":${nested}}}`),
      'POST /act': () => new Response(`{"success":false,"error":${nested}}`)
    },
    { token: 'old' }
  )
  await session.start('/card')
  t.match(state(), { name: 'screen', screen: { title: 'Card' }, path: '/card', busy: false })
  await session.act({ id: 'a', label: 'A', kind: 'simple', endpoint: '/act', confirmMessage: '', fields: [] })
  t.match(state(), { busy: false, message: { text: 'The server refused this.' } })
})

t.test('fields with the same id are not changed before something is typed', async t => {
  const field = { id: 'name', label: 'Name', type: 'Text' }
  const { session, sent } = sessionAt(
    {
      'GET /card': {
        ...CARD,
        sections: [
          {
            fields: [
              { ...field, value: 'a' },
              { ...field, value: 'b' },
              { label: 'c', value: 'c' },
              { label: 'd', value: 'd' }
            ]
          }
        ]
      }
    },
    { token: 'old' }
  )
  await session.start('/card')
  t.notOk(session.hasChanges)
  sent()
  await session.save()
  t.strictSame(sent(), [])
})

t.test('an error without words is said in those of the client', async t => {
  const { session, state } = sessionAt({ 'GET /menu/main': { ...MENU, status: 'Error: ' } })
  await session.start()
  t.strictSame(state().message, { kind: 'error', text: 'The server refused this.' })
})

t.test('a path is never one that means another server', async t => {
  for (const location of [
    '/.//evil.example/x',
    'http://x//evil.example/x',
    '\\\\evil.example',
    'blob:http://x/1'
  ]) {
    const { session, state } = sessionAt(
      { 'GET /card': () => Response.json(CARD, { headers: { 'content-location': location } }) },
      { token: 'old' }
    )
    await session.start('/card')
    t.equal(state().path, '/card', location)
    t.equal(session.pathOf(location), null, location)
  }
})

t.test('a message of the menu does not end what is busy: a second click still sends nothing', async t => {
  let respond = (_: Response) => {}
  const { session, sent, state } = sessionAt(
    { 'GET /card': CARD, 'POST /save': () => new Promise(resolve => (respond = resolve)) },
    { token: 'old' }
  )
  await session.start('/card')
  session.enter('name', 'Eve')
  const first = session.save()
  await session.follow({ type: 'message', url: '', text: 'About', items: [] })
  t.match(state(), { busy: true, message: { text: 'About' } })
  sent()
  await session.save()
  t.strictSame(sent(), [])
  respond(Response.json(CARD))
  await first
  t.match(state(), { busy: false, message: { text: 'Saved.' } })
})

t.test('a draft that others have written to is none', async t => {
  for (const fields of [[null], [5], [['name', 'Ada', 5]], [['name']], [{}], [['name', 'Ada', null]]]) {
    const draft = JSON.stringify({ path: '/card', fields })
    const { session, state } = sessionAt({ 'GET /card': CARD }, { token: 'old', draft })
    await session.start('/card')
    t.match(state(), { name: 'screen', path: '/card', message: null }, draft)
    t.equal(state().values.get('name'), 'Ada', draft)
  }
})

t.test('a question that fails, or is answered after all has changed, is answered with no', async t => {
  for (const confirm of [
    () => {
      throw new Error('no dialog')
    },
    () => Promise.reject(new Error('closed'))
  ]) {
    const requests: string[] = []
    const session = new Session({
      baseUrl: 'http://x',
      tokens: { read: () => 'old', write() {}, clear() {} },
      onState() {},
      confirm,
      fetch: async (url, { method }) => {
        requests.push(`${method} ${url}`)
        return Response.json(CARD)
      }
    })
    await session.start()
    session.enter('name', 'Eve')
    for (const call of [
      () => session.open('/x'),
      () => session.logOut(),
      () => session.save('delete'),
      () =>
        session.act({ id: 'a', label: 'A', kind: 'confirm', endpoint: '/a', confirmMessage: '', fields: [] })
    ])
      await call()
    t.strictSame(requests, ['GET http://x/menu/main'])
    t.ok(session.hasChanges)
  }
})

t.test('a question that is answered after the session has ended opens nothing', async t => {
  let answer = (_: boolean) => {}
  const { session, table, sent, state } = sessionAt(
    { 'GET /card': CARD },
    { token: 'old', answer: new Promise(resolve => (answer = resolve)) }
  )
  await session.start('/card')
  session.enter('name', 'Eve')
  const leaving = [session.open('/x'), session.logOut()]
  table['GET /card'] = 401
  await session.reload()
  t.equal(state().name, 'login')
  session.enter('username', 'ada')
  sent()
  answer(true)
  await Promise.all(leaving)
  t.strictSame(sent(), [])
  t.equal(state().values.get('username'), 'ada')
})

t.test('a store that has nothing sends no token', async t => {
  for (const nothing of [undefined, ''] as unknown as string[]) {
    const { session, requests } = sessionAt({}, { token: nothing })
    await session.start()
    t.equal(requests[0]?.authorization, null)
    t.notOk(session.isLoggedIn)
  }
})

t.test('a session that is stopped while a store is slow sends and shows nothing', async t => {
  const states: string[] = []
  const session = new Session({
    baseUrl: 'http://x',
    tokens: { read: async () => 'old', write() {}, clear() {} },
    onState: ({ name }) => states.push(name),
    fetch: async () => t.fail('a request') as never
  })
  const starting = session.start()
  session.stop()
  await starting
  t.strictSame(states, [])
})

for (const isStoredFirst of [true, false]) {
  t.test(`a logout while the token is being stored is a logout: ${isStoredFirst}`, async t => {
    let stored = () => {}
    const store = { token: null as string | null }
    const session = new Session({
      baseUrl: 'http://x',
      tokens: {
        read: () => store.token,
        write: token =>
          new Promise<void>(resolve => {
            stored = () => {
              store.token = token
              resolve()
            }
          }),
        clear() {
          store.token = null
        }
      },
      onState() {},
      fetch: async (url, { method }) => {
        if (method === 'POST') return Response.json({ success: true, token: 'new', screen: MENU })
        return url.endsWith('/auth/login') ? Response.json(FORM) : new Response(null, { status: 401 })
      }
    })
    await session.start()
    const login = session.submit(ENTERED)
    while (!session.isLoggedIn) await new Promise(setImmediate)
    const logout = session.logOut()
    if (!isStoredFirst) await logout
    stored()
    await Promise.all([login, logout])
    t.equal(session.state.name, 'login')
    t.notOk(session.isLoggedIn)
  })
}

t.test('a view may call the session while it draws', async t => {
  const requests: string[] = []
  const session: Session = new Session({
    baseUrl: 'http://x',
    tokens: { read: () => 'old', write() {}, clear() {} },
    drafts: {
      read: () => JSON.stringify({ path: '/menu/main', fields: [['name', 'Ada', 'Eve']] }),
      write() {},
      clear() {}
    },
    onState(state) {
      if (state.name === 'screen' && !state.busy && session.hasChanges) session.save()
    },
    fetch: async (url, { method }) => {
      requests.push(`${method} ${url}`)
      return Response.json(CARD)
    }
  })
  await session.start()
  await new Promise(setImmediate)
  t.strictSame(requests, ['GET http://x/menu/main', 'POST http://x/save'])
  t.match(session.state, { busy: false })
})

t.test('stores that fail keep nothing, and the session goes on', async t => {
  const fail = () => {
    throw new Error('no storage')
  }
  const reject = () => Promise.reject(new Error('no storage'))
  for (const store of [
    { read: fail, write: fail, clear: fail },
    { read: reject, write: reject, clear: reject }
  ]) {
    const session = new Session({
      baseUrl: 'http://x',
      tokens: store,
      drafts: store,
      onState() {},
      fetch: async (url, { method }) => {
        if (method === 'POST') return Response.json({ success: true, token: 'new', screen: CARD })
        if (url.endsWith('/auth/login')) return Response.json(FORM)
        return new Response(null, { status: 401 })
      }
    })
    await session.start()
    await session.submit(ENTERED)
    t.match(session.state, { name: 'screen', busy: false })
    session.enter('name', 'Eve')
    t.ok(session.hasChanges)
    await session.open('/x')
    t.match(session.state, { name: 'login', busy: false, message: { kind: 'error' } })
  }
})

t.test('the message of a login form is shown', async t => {
  const { session, state } = sessionAt({ 'GET /auth/login': { ...FORM, status: 'Closed on Sunday.' } })
  await session.start()
  t.strictSame(state().message, { kind: 'info', text: 'Closed on Sunday.' })
})

t.test('who opens another screen while the one of an address does not come, stays there', async t => {
  const { session, table, state } = sessionAt({ 'GET /menu/main': 503, 'GET /card': CARD }, { token: 'old' })
  await session.start('/card')
  table['GET /menu/main'] = MENU
  await session.open('/menu/main')
  t.match(state(), { name: 'screen', path: '/menu/main' })
})

t.test(
  'a 401 that comes after the session was stopped ends no other session with the same store',
  async t => {
    let respond = (_: Response) => {}
    const { session, states, sent, store } = sessionAt(
      { 'GET /menu/main': () => new Promise(resolve => (respond = resolve)) },
      { token: 'old' }
    )
    const starting = session.start()
    while (sent().length === 0) await new Promise(setImmediate)
    session.stop()
    states.length = 0
    respond(new Response(null, { status: 401 }))
    await starting
    t.strictSame([states, sent(), store.token], [[], [], 'old'])
  }
)
