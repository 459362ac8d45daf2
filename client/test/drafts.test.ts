// Unsaved changes: the session asks before it drops them. They survive a reload, but not a 401.

import t from 'tap'
import { buttonOf, CARD, ENTERED, formAt, MENU, sessionAt, shownAt } from './session-at.ts'

const BACK = { kind: 'info', text: 'Your unsaved changes are back.' }
const OTHER = { layout: 'Card', title: 'Other' }
type At = Awaited<ReturnType<typeof shownAt>>
const city = ({ state }: Pick<At, 'state'>) => state().values.get('city')

t.test('the state has the typed values, also on the login form', async t => {
  const at = sessionAt()
  const { session, state } = at
  session.enter('name', 'Grace')
  t.match(state(), { name: 'starting', message: null })
  await session.start()
  session.enter('username', 'ada')
  t.equal(state().values.get('username'), 'ada')
  t.equal(session.state.hasChanges, false, 'a login form has no unsaved changes')
  await session.submit(ENTERED)
  await session.open('/card')
  session.enter('city', 'Paris')
  t.equal(city(at), 'Paris')
  t.equal(session.state.hasChanges, true)
  session.enter('city', 'London')
  t.equal(session.state.hasChanges, false)
})

const WAYS: Record<string, (at: At) => Promise<void>> = {
  open: ({ session }) => session.open('/other'),
  'a menu item': ({ session }) => session.follow({ type: 'open_menu', url: '/other', text: '', items: [] }),
  'a logout': ({ session }) => session.logOut(),
  'a button': ({ session }) => session.act(buttonOf())
}

for (const [name, leave] of Object.entries(WAYS)) {
  t.test(`the session asks before unsaved changes are lost: ${name}`, async t => {
    const replies = { 'GET /other': OTHER, 'POST /send': { success: true, screen: OTHER } }
    for (const answer of [false, true]) {
      const at = await shownAt('/card', replies, { answer })
      at.session.enter('city', 'Paris')
      await leave(at)
      t.strictSame(at.questions, [
        { about: 'unsaved', text: 'Leave without saving?', details: 'Your changes would be lost.', label: 'Leave' }
      ])
      if (answer) {
        t.not(at.state().screen?.title, 'Card')
        t.strictSame(at.drafted(), [])
      } else {
        t.strictSame(at.sent(), [])
        t.match(at.state(), { path: '/card', busy: null })
        t.equal(city(at), 'Paris')
      }
    }
  })
}

t.test('without unsaved changes the session asks nothing', async t => {
  const at = await shownAt('/card', { 'POST /save': CARD })
  await at.session.save('save', { city: 'Paris' })
  for (const leave of Object.values(WAYS)) await leave(at)
  t.strictSame(at.questions, [])
})

t.test('a yes after the session has ended opens nothing', async t => {
  let agree = (_: boolean) => {}
  const answer = new Promise<boolean>(resolve => {
    agree = resolve
  })
  const { session, table, sent, state } = await shownAt('/card', {}, { answer })
  session.enter('name', 'Eve')
  const leaving = [session.open('/x'), session.logOut()]
  table['GET /card'] = 401
  await session.reload()
  t.equal(state().name, 'login')
  session.enter('username', 'ada')
  sent()
  agree(true)
  await Promise.all(leaving)
  t.strictSame(sent(), [])
  t.equal(state().values.get('username'), 'ada')
})

t.test('the session ignores input while a request is running', async t => {
  const { session, state, store } = await shownAt('/menu/main', { 'POST /save': 401 })
  const opened = session.open('/card')
  session.enter('name', 'Grace')
  await opened
  t.equal(session.state.hasChanges, false)
  const saved = session.save('save', { city: 'Paris' })
  session.enter('name', 'Grace')
  await saved
  t.equal(store.draft, null)
  const submitted = session.submit(ENTERED)
  session.enter('username', 'grace')
  t.equal(state().values.get('username'), 'ada')
  await submitted
})

t.test('unsaved changes survive a failed save and a reload, and come back only on their own screen', async t => {
  const replies = { 'GET /other': CARD, 'POST /save': 503 }
  const before = await shownAt('/card', replies)
  await before.session.save('save', { city: 'Paris' })
  const { draft } = before.store

  const after = await shownAt('/card', replies, { draft })
  t.match(after.state(), { message: BACK, busy: null })
  t.equal(city(after), 'Paris')
  t.equal(after.session.state.hasChanges, true)

  const elsewhere = await shownAt('/other', replies, { draft })
  t.equal(elsewhere.session.state.hasChanges, false)
  await elsewhere.session.open('/card')
  t.equal(elsewhere.session.state.hasChanges, true)
})

t.test('unsaved changes do not survive a 401 or a logout (contract 5.8)', async t => {
  for (const end of [({ session }: At) => session.save(), ({ session }: At) => session.logOut()]) {
    const at = await shownAt('/card', { 'POST /save': 401 })
    at.session.enter('city', 'Paris')
    t.strictSame(at.drafted(), [['city', 'London', 'Paris']])
    await end(at)
    t.equal(at.state().name, 'login')
    t.equal(at.store.draft, null)
    at.table['GET /menu/main'] = MENU
    await at.session.submit(ENTERED)
    await at.session.open('/card')
    t.equal(city(at), 'London')
  }
})

t.test('a draft of a session that has ended is dropped', async t => {
  const at = await formAt({}, { draft: '{"user":"Ada","path":"/card","fields":[["city","London","Paris"]]}' })
  t.equal(at.store.draft, null)
  await at.session.submit(ENTERED)
  await at.session.open('/card')
  t.equal(city(at), 'London')
})

t.test('passwords are not stored in a draft', async t => {
  const { session, store, drafted } = await shownAt('/card')
  session.enter('pin', 'secret')
  t.equal(session.state.hasChanges, true)
  t.strictSame(drafted(), [])
  session.enter('city', 'Paris')
  t.match(store.draft, 'Paris')
  t.notMatch(store.draft, /secret|pin/)
})

t.test('changes to the form of a new record are restored in the created record', async t => {
  const form = { ...CARD, actions: { create: '/create' }, record_id: undefined }
  const record = () => Response.json(CARD, { headers: { 'content-location': '/card?id=8' } })
  const before = await shownAt('/new', { 'GET /new': form, 'POST /create': new TypeError('lost') })
  await before.session.save('create', { city: 'Paris' })
  before.table['GET /new'] = record
  await before.session.reload()
  t.match(before.state(), { path: '/card?id=8', message: BACK })
  t.equal(city(before), 'Paris')

  const draft = '{"user":"Ada","path":"/new","fields":[["city","London","Paris"]]}'
  t.equal(city(await shownAt('/new', { 'GET /new': record }, { draft })), 'Paris')
})

t.test('the session reports the fields that others have changed, and keeps the unsaved changes', async t => {
  const at = await shownAt('/card')
  const { session, state, table, sent } = at
  const now = (city: string, name: string) => {
    const values: Record<string, string> = { city, name }
    const fields = CARD.sections[0]?.fields.map(field => ({
      ...field,
      value: values[field.id] ?? field.value
    }))
    return { ...CARD, sections: [{ fields }] }
  }
  session.enter('city', 'Paris')
  session.enter('name', 'Grace')
  for (const [card, message] of [
    [now('Rome', 'Ada'), { kind: 'info', text: 'Changed by others meanwhile: City' }],
    [now('Paris', 'Ada'), BACK],
    [now('Paris', 'Grace'), null]
  ] as const) {
    table['GET /card'] = card
    await session.reload()
    t.strictSame(sent(), ['GET http://x/card'])
    t.match(state(), { replaces: true, message, screen: { title: 'Card' } })
    t.equal(city(at), 'Paris')
    t.equal(state().values.get('name'), 'Grace')
  }
  t.equal(session.state.hasChanges, false, 'the server has all changes')
})

t.test('an invalid or manipulated draft is ignored', async t => {
  const fields = [[null], [5], [['name', 'Ada', 5]], [['name']], [{}], [['name', 'Ada', null]], {}]
  const foreign = [
    ['nothing', 'a', 'b'],
    ['since', 'a', 'b'],
    ['pin', '', 'secret']
  ]
  const drafts = [...fields, foreign].map(fields => JSON.stringify({ user: 'Ada', path: '/card', fields }))
  for (const draft of [
    'x',
    '7',
    'null',
    '{}',
    '{"path":"/card"}',
    '{"path":"/card","fields":[["name","Ada","Eve"]]}',
    ...drafts
  ]) {
    const { session, state } = await shownAt('/card', {}, { draft })
    t.match(state(), { name: 'screen', path: '/card', message: null }, draft)
    t.equal(state().values.get('name'), 'Ada', draft)
    t.equal(session.state.hasChanges, false)
  }
})

t.test('a view may call the session while it draws', async t => {
  const draft = JSON.stringify({ user: 'Ada', path: '/card', fields: [['name', 'Ada', 'Eve']] })
  const { session, sent, state } = sessionAt(
    { 'POST /save': CARD },
    {
      token: 'abc',
      draft
    }
  )
  session.subscribe(({ name, busy, hasChanges }) => {
    if (name === 'screen' && !busy && hasChanges) session.save()
  })
  await session.start('/card')
  await new Promise(setImmediate)
  t.strictSame(sent(), ['GET http://x/menu/main', 'GET http://x/card', 'POST http://x/save'])
  t.match(state(), { busy: null })
})
