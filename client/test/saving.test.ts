// Cards: what is typed, what a save sends and shows, conflicts, and unsaved changes.

import t from 'tap'
import { CARD, ENTERED, LIST, MENU, OTHER, PEOPLE } from './fixtures.ts'
import { buttonOf, down, type Reply, sessionAt, shownAt } from './session-at.ts'

const SAVED = { ...CARD, title: 'Ada in Paris', status: 'Saved.' }
const BACK = { kind: 'info', text: 'Your unsaved changes are back.' }
const ACTIONS = ['save', 'create', 'delete'] as const
const NEW = { ...CARD, actions: { create: '/create' }, record_id: undefined }
const locatedAt = (path: string, json: object) => () => Response.json(json, { headers: { 'content-location': path } })
type At = Awaited<ReturnType<typeof shownAt>>
const city = ({ state }: Pick<At, 'state'>) => state().values.get('city')

/** The Card with other values. */
const changed = (values: Record<string, string>, more: object = {}) => {
  const fields = CARD.sections[0]?.fields.map(field => ({ ...field, value: values[field.id] ?? field.value }))
  return { ...CARD, ...more, sections: [{ fields }] }
}

t.test('a save posts only the changed fields, with the ids of the screen as they came', async t => {
  const { screen_id: _, record_id: __, ...card } = CARD
  for (const ids of [{ screen_id: 'person', record_id: '7' }, { screen_id: 'a', record_id: 7 }, {}]) {
    const replies = { 'GET /card': { ...card, ...ids }, 'POST /save': SAVED }
    const { session, requests, bodies } = await shownAt('/card', replies)
    session.enter('city', 'Paris')
    session.enter('name', 'Grace')
    session.enter('name', 'Ada')
    await session.save()
    t.match(requests, [{ method: 'POST', url: 'http://x/save', authorization: 'Bearer abc' }])
    t.strictSame(bodies(), [{ ...ids, changes: { city: 'Paris' }, action: 'save' }])
  }
})

t.test('a field may have the id __proto__', async t => {
  const fields = [{ id: '__proto__', label: 'Odd', type: 'Text', value: '' }]
  const card = { ...CARD, sections: [{ id: 'a', label: 'A', fields }] }
  const { session, requests } = await shownAt('/card', { 'GET /card': card, 'POST /save': CARD })
  session.enter('__proto__', 'x')
  await session.save()
  t.match(requests.at(-1)?.init.body, '"changes":{"__proto__":"x"}')
})

t.test('the state has the typed values, also on the login form', async t => {
  const at = sessionAt()
  const { session, state } = at
  session.enter('name', 'Grace')
  t.strictSame([state().name, state().message, state().displayName], ['starting', null, ''])
  await session.start()
  session.enter('username', 'ada')
  t.equal(state().values.get('username'), 'ada')
  t.equal(session.state.hasChanges, false, 'a login form has no unsaved changes')
  await session.submit(ENTERED)
  await session.open('/card')
  session.enter('city', 'Paris')
  t.match([city(at), state()], ['Paris', { hasChanges: true }])
  session.enter('city', 'London')
  t.equal(session.state.hasChanges, false)
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

t.test('the screen of the response replaces the saved one, with its title and message', async t => {
  for (const [saved, text] of [
    [SAVED, 'Saved.'],
    [{ ...SAVED, status: undefined }, 'Saved.'],
    [{ ...SAVED, status: 'Thanks.' }, 'Thanks.']
  ] as const) {
    const { session, state, drafted } = await shownAt('/card', { 'POST /save': saved })
    await session.save('save', { city: 'Paris' })
    t.strictSame(drafted(), [])
    const shown = { name: 'screen', path: '/card', replaces: true, screen: { title: 'Ada in Paris' } }
    t.match(state(), { ...shown, displayName: 'Ada', hasChanges: false, message: { kind: 'success', text } })
    session.enter('city', 'London')
    t.equal(state().message.text, text)
    session.enter('city', 'Rome')
    t.equal(state().message, null, 'the next change removes the message')
    session.enter('city', 'London')
    await session.save()
    session.enter('city', 'Rome')
    t.equal(state().message, null, 'also the one that nothing has changed')
  }
})

t.test('after a failed save the values stay; only a conflict has the help reload', async t => {
  const no = { status: 'Error: No.' }
  const refused = 'The server refused the request.'
  const conflict = 'Changed by others in the meantime.'
  for (const [reply, text, help] of [
    [{ ...CARD, title: 'Other', status: 'Error: It is missing.' }, 'It is missing.', undefined],
    [{ ...CARD, status: 'Error:' }, refused, undefined],
    [400, refused, undefined],
    [409, conflict, 'reload'],
    [412, conflict, 'reload'],
    [() => Response.json(SAVED, { status: 409 }), conflict, 'reload'],
    [{ success: true, message: 'no screen' }, 'This client cannot show the response.', undefined],
    [down, 'No response. Check whether it was done.', 'reload'],
    [changed({ city: 'Rome' }, no), 'No.', 'reload'],
    [changed({ name: 'Eve' }, no), 'No.', 'reload'],
    [changed({ city: 'Rome' }, { status: 'Error: City: saved by Eve.' }), 'City: saved by Eve.', 'reload'],
    [changed({ city: 'Paris' }, no), 'No.', undefined],
    [{ ...CARD, ...no, actions: { save: '/save?version=2' } }, 'No.', 'reload'],
    [{ layout: 'Card', ...no }, 'No.', undefined]
  ] as [Reply, string, string | undefined][]) {
    for (const action of ['save', 'delete'] as const) {
      const { session, state, states, sent } = await shownAt('/card', { [`POST /${action}`]: reply })
      const { screen } = state()
      await session.save(action, { city: 'Paris', pin: '1234' })
      t.strictSame(state().message, { kind: 'error', text, ...(help && { help }) })
      t.match(state(), { name: 'screen', path: '/card', busy: null, hasChanges: true })
      t.equal(state().screen, screen, 'the screen is the same')
      t.match([city({ state }), state().values.get('pin')], ['Paris', '1234'])
      t.strictSame(sent(), [`POST http://x/${action}`], 'the request is not repeated')
      t.strictSame(states.slice(-2), ['screen (saving)', 'screen'])
    }
  }
  const { session, state } = await shownAt('/new', { 'GET /new': NEW, 'POST /create': 409 })
  await session.save('create')
  t.equal(state().message.help, undefined, 'a new record has no other version')
})

t.test('a refusal that begins with the label of a field has that field', async t => {
  const fields = [
    { id: 'rate', label: 'Rate', type: 'Decimal' },
    { id: 'rate_text', label: 'Rate in words', type: 'Text' },
    { id: 'size', label: 'Größe', type: 'Text' },
    { id: 'fixed', label: 'Fixed', type: 'Text', editable: false },
    { id: 'line', label: 'Line', type: 'Separator' },
    {}
  ]
  for (const [text, field] of [
    ['Rate: not a number.', 'rate'],
    ['Rate', 'rate'],
    ['Rate in words is missing.', 'rate_text'],
    ['Rates are high.', undefined],
    ['Größe: zu groß.', 'size'],
    ['Größenordnung', undefined],
    ['Fixed: no.', undefined],
    ['Line: no.', undefined],
    ['No rate.', undefined]
  ] as const) {
    const card = { ...CARD, sections: [{ fields }] }
    const refused = { ...card, status: `Error: ${text}` }
    const { session, state } = await shownAt('/card', { 'GET /card': card, 'POST /save': refused })
    await session.save('save', { rate: '1' })
    t.strictSame(state().message, { kind: 'error', text, ...(field && { field }) })
    session.enter('rate', '2')
    t.equal(state().message === null, field === 'rate', 'a new value of the field removes its message')
    session.dismiss()
    t.equal(state().message, null)
    const read = { ...card, actions: { delete: '/delete' } }
    const other = await shownAt('/card', { 'GET /card': read, 'POST /delete': { ...read, status: `Error: ${text}` } })
    await other.session.save('delete')
    t.strictSame(other.state().message, { kind: 'error', text }, 'a Card to read has no such field')
  }
})

t.test('a reload keeps the changes, and has the values of others until they are entered', async t => {
  const at = await shownAt('/card', { 'POST /save': 409 })
  const { session, state, table, sent } = at
  await session.save('save', { city: 'Paris', name: 'Grace' })
  const both = { name: 'Eve', city: 'Rome' }
  sent()
  for (const [values, message, theirs] of [
    [both, { kind: 'info', text: 'Changed by others: Name, City' }, Object.entries(both)],
    [{ city: 'Paris' }, BACK, []],
    [{ city: 'Paris', name: 'Grace' }, null, []]
  ] as const) {
    table['GET /card'] = changed(values)
    await session.reload()
    t.strictSame(sent(), ['GET http://x/card'])
    t.match(state(), { replaces: true, message, screen: { title: 'Card' } })
    t.match([city(at), state().values.get('name')], ['Paris', 'Grace'])
    t.strictSame([...state().theirs], theirs)
  }
  t.equal(session.state.hasChanges, false, 'the server has all changes')

  session.enter('city', 'Lyon')
  table['GET /card'] = changed({ city: 'Rome' })
  await session.reload()
  session.enter('name', 'Eve')
  t.match([...state().theirs, state().message.kind], [['city', 'Rome'], 'info'])
  session.enter('city', 'Rome')
  t.strictSame([state().theirs.size, state().message], [0, null], 'the conflict is resolved')
  session.enter('city', 'Lyon')
  await session.open('/card')
  t.equal(state().theirs.size, 0)
})

t.test('without a change nothing is saved, but the record can be deleted', async t => {
  const field = { id: 'same', label: 'Name', type: 'Text' }
  const fields = [{ ...field, value: 'a' }, { ...field, value: 'b' }, { label: 'c', value: 'c' }, { label: 'd' }]
  for (const card of [CARD, { ...CARD, sections: [{ fields }] }]) {
    const replies = { 'GET /card': card, 'POST /delete': CARD }
    const at = await shownAt('/card', replies, { confirm: () => at.session.dismiss() === undefined })
    // A read-only field.
    at.session.enter('since', '2000-01-01')
    t.equal(at.session.state.hasChanges, false)
    await at.session.save()
    t.strictSame(at.state().message, { kind: 'info', text: 'Nothing has changed.' })
    t.strictSame(at.sent(), [])
    await at.session.save('delete')
    t.strictSame(at.sent(), ['POST http://x/delete'], 'though the question has removed the message')
  }
})

t.test('a Card that cannot be created, saved or deleted sends nothing', async t => {
  const { session, sent, states } = await shownAt('/card', { 'GET /card': { ...CARD, actions: {} } })
  session.enter('name', 'Grace')
  t.equal(session.state.hasChanges, false)
  for (const action of ACTIONS) await session.save(action)
  t.strictSame([sent(), states], [[], ['starting', 'screen', 'screen']])
})

t.test('a delete asks first, and posts no changes', async t => {
  const deleted = locatedAt('/people', { ...LIST, status: 'Deleted.' })
  for (const answer of [false, true]) {
    const { session, state, questions, bodies } = await shownAt('/card', { 'POST /delete': deleted }, { answer })
    session.enter('name', 'Grace')
    await session.save('delete')
    const details = 'This cannot be undone.'
    t.strictSame(questions, [{ about: 'delete', text: 'Delete Card?', details, label: 'Delete' }])
    const body = { screen_id: 'person', record_id: '7', action: 'delete', changes: {} }
    t.strictSame(bodies(), answer ? [body] : [])
    if (answer) t.match(state(), { path: '/people', replaces: true, message: { text: 'Deleted.' } })
    else t.equal(state().values.get('name'), 'Grace')
  }
})

t.test(
  'numbers have the format of the person in inputs and that of the screen on the wire, as in a form of a button',
  async t => {
    const locale = { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' }
    const rate = { id: 'rate', label: 'Rate', type: 'Decimal', value: '1.250,50' }
    const fields = [rate, { id: 'site', type: 'URL' }, { id: 'day', type: 'Date', value: '31-12-1990' }]
    const replies = { 'GET /card': { ...CARD, locale, sections: [{ fields }] }, 'POST /save': 503, 'POST /send': 503 }
    const { session, state, bodies, sent } = await shownAt('/card', replies, { locale: 'en' })
    t.strictSame([...state().values.values()], ['1,250.50', '', '1990-12-31'])
    t.equal(session.state.hasChanges, false)
    await session.save('save', { rate: '1,250.75', site: 'www.example.com', day: '1990-12-30' })
    t.strictSame(bodies()[0].changes, { rate: '1250,75', site: 'https://www.example.com', day: '30-12-1990' })
    const button = { ...(buttonOf() as object), fields: state().screen.sections[0].fields } as never
    await session.act(button, { rate: '1,000.5', other: 'x' })
    t.strictSame(bodies()[1].fields, { rate: '1000,5', other: 'x' })
    sent()
    for (const send of [() => session.save('save', { rate: '1,25' }), () => session.act(button, { rate: '1,25' })]) {
      await send()
      t.match(state().message, { kind: 'error', field: 'rate', text: /like 1,234\.5/ })
    }
    t.strictSame(sent(), [])
  }
)

// New records

t.test('a created record is shown at its own address, and a second click creates no other record', async t => {
  const created = locatedAt('/card?id=8', { ...CARD, title: 'Grace', status: 'Created.' })
  const { session, state, sent, bodies } = await shownAt('/new', { 'GET /new': NEW, 'POST /create': created })
  session.enter('name', 'Grace')
  t.equal(session.state.hasChanges, true)
  await Promise.all([session.save('create'), session.save('create')])
  t.match(bodies(), [{ action: 'create', changes: { name: 'Grace' } }])
  await session.save('create')
  t.match(state(), { path: '/card?id=8', replaces: true, screen: { title: 'Grace' } })
  t.strictSame(sent(), ['POST http://x/create'], 'the new screen is not created again')
})

/** A Card for a new record as other servers send it, because some clients create records with `save`. */
const BLANK = {
  ...CARD,
  title: 'New',
  sections: [...CARD.sections, { fields: [{ id: 'line', type: 'Separator' }] }],
  actions: { save: '/save', create: '/create' },
  record_id: undefined
}

t.test('a new record from a List is created with all editable fields', async t => {
  const replies = { 'GET /people': PEOPLE, 'GET /new': BLANK, 'POST /create': CARD }
  const { session, state, sent, bodies } = await shownAt('/people', replies)
  t.match(state().screen, { createUrl: '/new', actions: { create: '' } })
  await session.create()
  t.match(state(), { path: '/new', screen: { title: 'New', actions: { save: '', create: '/create' } } })
  await session.reload()
  t.match(state().screen.actions, { save: '', create: '/create' }, 'the record is still new')
  await session.create()
  t.strictSame(sent(), ['GET http://x/new', 'GET http://x/new'], 'this Card has no link to another new record')
  await session.save(undefined, { city: 'Paris' })
  t.match(bodies(), [{ action: 'create' }])
  t.strictSame(bodies()[0].changes, { name: 'Ada', city: 'Paris', pin: '' })
  t.match(state().screen, { title: 'Card', actions: { save: '/save', create: '' } })
})

t.test('a Card for a new record has the action `save` if it has only that, or was not opened from a List', async t => {
  for (const [path, actions] of [
    ['/people', { save: '/save' }],
    ['/new', BLANK.actions]
  ] as const) {
    const { session, state } = await shownAt(path, { 'GET /people': PEOPLE, 'GET /new': { ...BLANK, actions } })
    await (path === '/people' ? session.create() : session.reload())
    t.match(state().screen.actions, { save: '/save', create: '' })
  }
})

// Questions

const WAYS: ((at: At) => Promise<void>)[] = [
  ({ session }) => session.open('/other'),
  ({ session }) => session.follow({ type: 'open_menu', url: '/other', text: '', items: [] }),
  ({ session }) => session.create(),
  ({ session }) => session.logOut(),
  ({ session }) => session.act(buttonOf())
]
const LEADING = { 'GET /other': OTHER, 'GET /create': OTHER, 'POST /send': { success: true, screen: OTHER } }

t.test('the session asks before unsaved changes are lost, and only then', async t => {
  for (const leave of WAYS) {
    const unchanged = await shownAt('/card', LEADING)
    await leave(unchanged)
    t.strictSame(unchanged.questions, [])
    for (const answer of [false, true]) {
      const at = await shownAt('/card', LEADING, { answer })
      at.session.enter('city', 'Paris')
      await leave(at)
      const details = 'Your changes would be lost.'
      t.strictSame(at.questions, [{ about: 'unsaved', text: 'Leave without saving?', details, label: 'Leave' }])
      if (answer) {
        t.not(at.state().screen?.title, 'Card')
        t.strictSame(at.drafted(), [])
      } else {
        t.strictSame(at.sent(), [])
        t.match(at.state(), { path: '/card', busy: null })
        t.equal(city(at), 'Paris')
      }
    }
  }
})

t.test('without `confirm` and `drafts`, actions run at once', async t => {
  const options = { confirm: undefined as never, drafts: undefined as never }
  const { session, sent } = await shownAt('/card', { 'POST /delete': CARD, 'POST /send': CARD }, options)
  session.enter('city', 'Paris')
  await session.save('delete')
  session.enter('city', 'Paris')
  await session.act(buttonOf({ kind: 'confirm' }))
  t.strictSame(sent(), ['POST http://x/delete', 'POST http://x/send'])
})

// Drafts

t.test('unsaved changes survive a failed save and a reload, and come back only on their own screen', async t => {
  const replies = { 'GET /other': CARD, 'POST /save': 503 }
  const before = await shownAt('/card', replies)
  await before.session.save('save', { city: 'Paris' })
  const { draft } = before.store
  const after = await shownAt('/card', replies, { draft })
  t.match(after.state(), { message: BACK, busy: null, hasChanges: true })
  t.equal(city(after), 'Paris')
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
    t.match([at.state().name, at.store.draft], ['login', null])
    at.table['GET /menu/main'] = MENU
    await at.session.submit(ENTERED)
    await at.session.open('/card')
    t.equal(city(at), 'London')
  }
})

t.test('passwords are not stored in a draft', async t => {
  const { session, store } = await shownAt('/card')
  session.enter('pin', 'secret')
  t.equal(session.state.hasChanges, true)
  t.equal(store.draft, null)
  session.enter('city', 'Paris')
  t.match(store.draft, 'Paris')
  t.notMatch(store.draft, /secret|pin/)
})

t.test('an invalid or manipulated draft is ignored', async t => {
  const foreign = [
    ['nothing', 'a', 'b'],
    ['since', 'a', 'b'],
    ['pin', '', 'secret']
  ]
  const mixed = [['name', 'Ada', 'Eve'], ['city']]
  const fields = [[null], [5], [['name', 'Ada', 5]], [['name']], [{}], [['name', 'Ada', null]], {}, foreign, mixed]
  const drafts = fields.map(fields => JSON.stringify({ user: 'username=ada', path: '/card', fields }))
  const others = ['x', '7', 'null', '{}', '{"path":"/card"}', '{"path":"/card","fields":[["name","Ada","Eve"]]}']
  for (const draft of [...others, ...drafts]) {
    const { session, state } = await shownAt('/card', {}, { draft })
    t.match(state(), { name: 'screen', path: '/card', message: null }, draft)
    t.equal(state().values.get('name'), 'Ada', draft)
    t.equal(session.state.hasChanges, false)
  }
})
