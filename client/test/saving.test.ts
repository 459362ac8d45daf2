// The session saves Cards as known clients do: it sends a SaveChangeset, and receives a screen.

import t from 'tap'
import { buttonOf, CARD, type Reply, sessionAt, shownAt } from './session-at.ts'

const SAVED = { ...CARD, title: 'Ada in Paris', status: 'Saved.' }
const ACTIONS = ['save', 'create', 'delete'] as const
const locatedAt = (path: string, json: object) => () => Response.json(json, { headers: { 'content-location': path } })

t.test('a save posts only the changed fields, with the ids of the screen', async t => {
  const { session, requests, bodies } = await shownAt('/card', { 'POST /save': SAVED })
  session.enter('city', 'Paris')
  session.enter('name', 'Grace')
  session.enter('name', 'Ada')
  await session.save()
  t.match(requests, [{ method: 'POST', url: 'http://x/save', authorization: 'Bearer abc' }])
  t.strictSame(bodies(), [{ screen_id: 'person', record_id: '7', changes: { city: 'Paris' }, action: 'save' }])
})

t.test('screen_id and record_id are sent back unchanged', async t => {
  for (const ids of [{ screen_id: 'a', record_id: 7 }, {}]) {
    const { screen_id: _, record_id: __, ...card } = CARD
    const { session, bodies } = await shownAt('/card', {
      'GET /card': { ...card, ...ids },
      'POST /save': CARD
    })
    await session.save('save', { city: 'Paris' })
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

t.test('the screen of the response replaces the saved one, with its title and message', async t => {
  for (const [saved, text] of [
    [SAVED, 'Saved.'],
    [{ ...SAVED, status: undefined }, 'Saved.'],
    [{ ...SAVED, status: 'Thanks.' }, 'Thanks.']
  ] as const) {
    const { session, state, drafted } = await shownAt('/card', { 'POST /save': saved })
    await session.save('save', { city: 'Paris' })
    t.strictSame(drafted(), [])
    t.match(state(), {
      name: 'screen',
      path: '/card',
      replaces: true,
      displayName: 'Ada',
      screen: { title: 'Ada in Paris' },
      message: { kind: 'success', text }
    })
    t.equal(session.state.hasChanges, false)
  }
})

t.test('after a failed save the values stay, with a message', async t => {
  for (const [reply, text] of [
    [{ ...CARD, title: 'Other', status: 'Error: City is missing.' }, 'City is missing.'],
    [{ ...CARD, status: 'Error:' }, 'The server refused the request.'],
    [503, 'The server cannot respond now.'],
    [() => Response.json(SAVED, { status: 409 }), 'This has changed on the server.'],
    [{ success: true, message: 'no screen' }, 'This client cannot show the response.'],
    [new TypeError('fetch failed'), 'No response. Perhaps it was saved.']
  ] as [Reply, string][]) {
    const { session, state, states, sent } = await shownAt('/card', { 'POST /save': reply })
    const { screen } = state()
    await session.save('save', { city: 'Paris', pin: '1234' })
    t.match(state(), { name: 'screen', path: '/card', message: { kind: 'error', text }, busy: null })
    t.equal(state().screen, screen, 'the screen is the same')
    t.equal(state().values.get('city'), 'Paris')
    t.equal(state().values.get('pin'), '1234')
    t.equal(session.state.hasChanges, true)
    t.strictSame(sent(), ['POST http://x/save'], 'the save is not repeated')
    t.strictSame(states.slice(-2), ['screen (saving)', 'screen'])
  }
})

t.test('without a change nothing is saved, but the record can be deleted', async t => {
  const field = { id: 'same', label: 'Name', type: 'Text' }
  const fields = [{ ...field, value: 'a' }, { ...field, value: 'b' }, { label: 'c', value: 'c' }, { label: 'd' }]
  for (const card of [CARD, { ...CARD, sections: [{ fields }] }]) {
    const { session, state, sent } = await shownAt('/card', { 'GET /card': card })
    // A read-only field.
    session.enter('since', '2000-01-01')
    t.equal(session.state.hasChanges, false)
    await session.save()
    t.strictSame(state().message, { kind: 'info', text: 'Nothing has changed.' })
    t.strictSame(sent(), [])
    await session.save('delete')
    t.strictSame(sent(), ['POST http://x/delete'])
  }
})

t.test('a Card that cannot be created, saved or deleted sends nothing', async t => {
  const { session, sent } = await shownAt('/card', { 'GET /card': { ...CARD, actions: {} } })
  session.enter('name', 'Grace')
  t.equal(session.state.hasChanges, false)
  for (const action of ACTIONS) await session.save(action)
  t.strictSame(sent(), [])
})

t.test('a created record is shown at its own address, and a second click creates no other record', async t => {
  const created = { ...CARD, title: 'Grace', status: 'Created.' }
  const { session, state, sent, bodies } = await shownAt('/new', {
    'GET /new': { ...CARD, actions: { create: '/create' }, record_id: undefined },
    'POST /create': locatedAt('/card?id=8', created)
  })
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
const PEOPLE = { layout: 'List', title: 'People', actions: { create: '/new' }, lines: {} }

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

t.test('a Card for a new record is saved if it has only `save`, or was not opened from a List', async t => {
  for (const [path, actions] of [
    ['/people', { save: '/save' }],
    ['/new', BLANK.actions]
  ] as const) {
    const replies = { 'GET /people': PEOPLE, 'GET /new': { ...BLANK, actions }, 'POST /save': CARD }
    const { session, state } = await shownAt(path, replies)
    await (path === '/people' ? session.create() : session.reload())
    t.match(state().screen.actions, { save: '/save', create: '' })
    await session.save('save', { name: 'Grace' })
    t.match(state(), { screen: { title: 'Card' }, message: { text: 'Saved.' } })
  }
})

t.test('create() asks first if there are unsaved changes, and does nothing without a screen', async t => {
  const list = { ...PEOPLE, sections: CARD.sections, actions: { create: '/new', save: '/save' } }
  const replies = { 'GET /people': list, 'GET /new': BLANK }
  const { session, state, questions } = sessionAt(replies, { token: 'abc', answer: false })
  await session.create()
  await session.start('/people')
  session.enter('name', 'Grace')
  await session.create()
  t.match([questions, state()], [[{ about: 'unsaved' }], { screen: { title: 'People' } }])
})

t.test('a delete asks first, and posts no changes', async t => {
  const deleted = locatedAt('/people', { layout: 'List', title: 'People', status: 'Deleted.' })
  for (const answer of [false, true]) {
    const { session, state, questions, bodies } = await shownAt('/card', { 'POST /delete': deleted }, { answer })
    session.enter('name', 'Grace')
    await session.save('delete')
    t.strictSame(questions, [
      { about: 'delete', text: 'Delete Card?', details: 'This cannot be undone.', label: 'Delete' }
    ])
    const body = { screen_id: 'person', record_id: '7', action: 'delete', changes: {} }
    t.strictSame(bodies(), answer ? [body] : [])
    if (answer) t.match(state(), { path: '/people', replaces: true, message: { text: 'Deleted.' } })
    else t.equal(state().values.get('name'), 'Grace')
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

t.test('a `confirm` that throws or rejects counts as no', async t => {
  for (const confirm of [
    () => {
      throw new Error('no dialog')
    },
    () => Promise.reject(new Error('closed'))
  ]) {
    const { session, sent } = await shownAt('/card', {}, { confirm })
    session.enter('name', 'Eve')
    await session.open('/x')
    await session.logOut()
    await session.save('delete')
    await session.act(buttonOf({ kind: 'confirm' }))
    t.strictSame(sent(), [])
    t.ok(session.state.hasChanges)
  }
})
