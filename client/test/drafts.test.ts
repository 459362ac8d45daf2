// What is typed and not saved: it is asked about before it goes, and survives a reload, but not a 401.

import t from 'tap'
import { CARD, ENTERED, MENU, sessionAt } from './session-at.ts'

t.test('what is typed is in the state, on the login form too', async t => {
  const { session, state } = sessionAt({ 'GET /card': CARD })
  session.enter('name', 'nobody')
  t.strictSame(state(), { name: 'starting' })
  await session.start()
  session.enter('username', 'ada')
  t.equal(state().values.get('username'), 'ada')
  t.equal(session.hasChanges, false, 'a login is nothing to save')
  await session.submit(ENTERED)
  await session.open('/card')
  session.enter('city', 'Paris')
  t.equal(state().values.get('city'), 'Paris')
  t.equal(session.hasChanges, true)
  session.enter('city', 'London')
  t.equal(session.hasChanges, false)
})

const deeds = {
  open: session => session.open('/other'),
  'a menu item': session => session.follow({ type: 'open_menu', url: '/other', text: '', items: [] }),
  'a logout': session => session.logOut(),
  'a button': session =>
    session.act({ id: 'a', label: 'A', kind: 'simple', endpoint: '/act', confirmMessage: '', fields: [] })
} satisfies Record<string, (session: ReturnType<typeof sessionAt>['session']) => Promise<void>>

for (const [name, leave] of Object.entries(deeds)) {
  t.test(`unsaved changes are asked about before they go: ${name}`, async t => {
    for (const answer of [false, true]) {
      const other = { layout: 'Card', title: 'Other' }
      const { session, state, store, sent, questions } = sessionAt(
        { 'GET /card': CARD, 'GET /other': other, 'POST /act': { success: true, screen: other } },
        { token: 'abc', answer }
      )
      await session.start('/card')
      session.enter('city', 'Paris')
      sent()
      await leave(session)
      t.strictSame(questions, [{ about: 'unsaved', text: 'Leave without saving?', label: 'Leave' }])
      if (answer) {
        t.not(state().screen?.title, 'Card')
        t.equal(store.draft, null)
      } else {
        t.strictSame(sent(), [])
        t.match(state(), { path: '/card', busy: false })
        t.equal(state().values.get('city'), 'Paris')
      }
    }
  })
}

t.test('nothing can be typed while a request is running', async t => {
  const { session, state, store } = sessionAt({ 'GET /card': CARD, 'POST /save': 401 }, { token: 'abc' })
  await session.start()
  const opened = session.open('/card')
  session.enter('name', 'Grace')
  await opened
  t.equal(session.hasChanges, false)
  const saved = session.save('save', { city: 'Paris' })
  session.enter('name', 'Grace')
  await saved
  t.equal(store.draft, null)
  const submitted = session.submit(ENTERED)
  session.enter('username', 'grace')
  t.equal(state().values.get('username'), 'ada')
  await submitted
})

t.test('without unsaved changes nothing is asked', async t => {
  const { session, questions } = sessionAt({ 'GET /card': CARD, 'POST /save': CARD }, { token: 'abc' })
  await session.start('/card')
  await session.save('save', { city: 'Paris' })
  for (const leave of Object.values(deeds)) await leave(session)
  t.strictSame(questions, [])
})

t.test('what is typed is there again after a reload', async t => {
  const routes = { 'GET /card': CARD, 'GET /other': CARD }
  const before = sessionAt(routes, { token: 'abc' })
  await before.session.start('/card')
  before.session.enter('city', 'Paris')

  const after = sessionAt(routes, { token: 'abc', draft: before.store.draft })
  await after.session.start('/card')
  t.match(after.state(), { message: { kind: 'info', text: 'Your unsaved changes are back.' }, busy: false })
  t.equal(after.state().values.get('city'), 'Paris')
  t.equal(after.session.hasChanges, true)

  const elsewhere = sessionAt(routes, { token: 'abc', draft: before.store.draft })
  await elsewhere.session.start('/other')
  t.equal(elsewhere.session.hasChanges, false, 'only on its own screen')
  await elsewhere.session.open('/card')
  t.equal(elsewhere.session.hasChanges, true)
})

t.test('what is typed survives a failed save, and a reload after it', async t => {
  const routes = { 'GET /card': CARD, 'POST /save': 503 }
  const before = sessionAt(routes, { token: 'abc' })
  await before.session.start('/card')
  await before.session.save('save', { city: 'Paris' })
  const after = sessionAt(routes, { token: 'abc', draft: before.store.draft })
  await after.session.start('/card')
  t.equal(after.state().values.get('city'), 'Paris')
})

t.test('what was saved does not come back', async t => {
  const { session, store, state } = sessionAt(
    { 'GET /card': CARD, 'POST /save': { ...CARD, status: 'Saved.' } },
    { token: 'abc' }
  )
  await session.start('/card')
  await session.save('save', { city: 'Paris' })
  t.equal(store.draft, null)
  t.equal(state().values.get('city'), 'London', 'the server has the last word')
})

t.test('what is typed does not survive a 401 or a logout (contract 5.8)', async t => {
  for (const end of ['401', 'logout']) {
    const { session, store, table, state } = sessionAt({ 'GET /card': CARD }, { token: 'abc' })
    await session.start('/card')
    session.enter('city', 'Paris')
    t.not(store.draft, null)
    if (end === '401') table['POST /save'] = 401
    await (end === '401' ? session.save() : session.logOut())
    t.equal(state().name, 'login')
    t.equal(store.draft, null)
    table['GET /menu/main'] = MENU
    await session.submit(ENTERED)
    await session.open('/card')
    t.equal(state().values.get('city'), 'London')
  }
})

t.test('a draft of a session that is gone does not come back', async t => {
  const draft = '{"path":"/card","fields":[["city","London","Paris"]]}'
  const { session, store, state } = sessionAt({ 'GET /card': CARD }, { draft })
  await session.start('/card')
  t.equal(store.draft, null)
  await session.submit(ENTERED)
  await session.open('/card')
  t.equal(state().values.get('city'), 'London')
})

t.test('no password is kept', async t => {
  const { session, store } = sessionAt({ 'GET /card': CARD }, { token: 'abc' })
  await session.start('/card')
  session.enter('pin', 'secret')
  t.equal(session.hasChanges, true)
  t.equal(store.draft, null)
  session.enter('city', 'Paris')
  t.match(store.draft, 'Paris')
  t.notMatch(store.draft, /secret|pin/)
})

t.test('what was typed into the form of a new record is put into the record, once it is there', async t => {
  const form = { ...CARD, actions: { create: '/create' }, record_id: undefined }
  const record = () => Response.json(CARD, { headers: { 'content-location': '/card?id=8' } })
  const before = sessionAt({ 'GET /new': form, 'POST /create': new TypeError('lost') }, { token: 'abc' })
  await before.session.start('/new')
  await before.session.save('create', { city: 'Paris' })

  before.table['GET /new'] = record
  await before.session.reload()
  t.match(before.state(), { path: '/card?id=8', message: { text: 'Your unsaved changes are back.' } })
  t.equal(before.state().values.get('city'), 'Paris')

  const draft = '{"path":"/new","fields":[["city","London","Paris"]]}'
  const after = sessionAt({ 'GET /new': record }, { token: 'abc', draft })
  await after.session.start('/new')
  t.equal(after.state().values.get('city'), 'Paris')
})

t.test('what others have changed meanwhile is said, and what was typed is kept', async t => {
  const { session, state, table, sent } = sessionAt({ 'GET /card': CARD }, { token: 'abc' })
  await session.start('/card')
  session.enter('city', 'Paris')
  session.enter('name', 'Grace')
  const [section] = CARD.sections
  const now = (city: string, name: string) => ({
    ...CARD,
    sections: [
      {
        ...section,
        fields: section?.fields.map(field => ({ ...field, value: { city, name }[field.id] ?? field.value }))
      }
    ]
  })
  table['GET /card'] = now('Rome', 'Ada')
  sent()
  await session.reload()
  t.strictSame(sent(), ['GET http://x/card'])
  t.match(state(), {
    replaces: true,
    message: { kind: 'error', text: 'Changed by others meanwhile: City' },
    screen: { title: 'Card' }
  })
  t.equal(state().values.get('city'), 'Paris')
  t.equal(state().values.get('name'), 'Grace')

  table['GET /card'] = now('Paris', 'Ada')
  await session.reload()
  t.match(state().message, { kind: 'info', text: 'Your unsaved changes are back.' })
  table['GET /card'] = now('Paris', 'Grace')
  await session.reload()
  t.equal(state().message, null, 'all of it is there')
  t.equal(session.hasChanges, false)
})

t.test('a draft that cannot be read is none', async t => {
  for (const draft of [
    'x',
    '7',
    'null',
    '{}',
    '{"path":"/card"}',
    '{"path":"/card","fields":{}}',
    '{"path":"/card","fields":[["nothing","a","b"],["since","a","b"],["pin","","secret"]]}'
  ]) {
    const { session, state } = sessionAt({ 'GET /card': CARD }, { token: 'abc', draft })
    await session.start('/card')
    t.match(state(), { name: 'screen', path: '/card', message: null }, draft)
    t.equal(session.hasChanges, false)
  }
})

t.test('there is nothing to reload before a screen is shown', async t => {
  const { session, sent } = sessionAt()
  await session.reload()
  t.strictSame(sent(), [])
})
