// The headless session saves Cards as known clients do: with a SaveChangeset, and a screen as the response.

import t from 'tap'
import { Session } from '../index.ts'
import { CARD, type Reply, sessionAt } from './session-at.ts'

const PRESSED = {
  id: 'press',
  label: 'Press',
  kind: 'confirm',
  endpoint: '/press',
  confirmMessage: '',
  fields: []
}

const SAVED = { ...CARD, title: 'Ada in Paris', status: 'Saved.' }

t.test('only the fields that were changed are posted, with what the screen is', async t => {
  const { session, requests, sent } = sessionAt({ 'GET /card': CARD, 'POST /save': SAVED }, { token: 'abc' })
  await session.start('/card')
  sent()
  session.enter('city', 'Paris')
  session.enter('name', 'Grace')
  session.enter('name', 'Ada')
  await session.save()
  t.match(requests, [{ method: 'POST', url: 'http://x/save', authorization: 'Bearer abc' }])
  t.strictSame(JSON.parse(requests[0]?.body ?? ''), {
    screen_id: 'person',
    record_id: '7',
    changes: { city: 'Paris' },
    action: 'save'
  })
})

t.test('the screen of the response replaces the one that was saved, with its title and message', async t => {
  const { session, state } = sessionAt({ 'GET /card': CARD, 'POST /save': SAVED }, { token: 'abc' })
  await session.start('/card')
  await session.save('save', { city: 'Paris' })
  t.match(state(), {
    name: 'screen',
    path: '/card',
    replaces: true,
    screen: { title: 'Ada in Paris', displayName: 'Ada' },
    message: { kind: 'info', text: 'Saved.' }
  })
  t.equal(session.hasChanges, false)
})

t.test('a response without a message says that it was saved', async t => {
  const { session, state } = sessionAt({ 'GET /card': CARD, 'POST /save': CARD }, { token: 'abc' })
  await session.start('/card')
  await session.save('save', { city: 'Paris' })
  t.strictSame(state().message, { kind: 'info', text: 'Saved.' })
})

t.test('what is not saved stays as it was typed, with a message', async t => {
  for (const [reply, text] of [
    [{ ...CARD, title: 'Other', status: 'Error: City is missing.' }, 'City is missing.'],
    [{ ...CARD, status: 'Error:' }, 'The server refused this.'],
    [400, 'The server refused this.'],
    [404, 'The server has nothing at this address.'],
    [500, 'The server cannot respond now.'],
    [503, 'The server cannot respond now.'],
    [() => Response.json(SAVED, { status: 409 }), 'The server refused this.'],
    [{ success: true, message: 'no screen' }, 'This client cannot show this.'],
    [new TypeError('fetch failed'), 'No response. Perhaps it was saved.']
  ] as [Reply, string][]) {
    const { session, state, states, sent } = sessionAt(
      { 'GET /card': CARD, 'POST /save': reply },
      { token: 'a' }
    )
    await session.start('/card')
    const { screen } = state()
    sent()
    await session.save('save', { city: 'Paris', pin: '1234' })
    t.match(state(), { name: 'screen', path: '/card', message: { kind: 'error', text }, busy: false })
    t.equal(state().screen, screen, 'the screen is the same')
    t.equal(state().values.get('city'), 'Paris')
    t.equal(state().values.get('pin'), '1234')
    t.equal(session.hasChanges, true)
    t.strictSame(sent(), ['POST http://x/save'], 'and not sent again')
    t.strictSame(states.slice(-2), ['screen (busy)', 'screen'])
  }
})

t.test('a record that was created is shown where it lives, and a second click creates no other', async t => {
  const created = { ...CARD, title: 'Grace', status: 'Created.' }
  const { session, state, sent, requests } = sessionAt(
    {
      'GET /new': { ...CARD, actions: { create: '/create' }, record_id: undefined },
      'POST /create': () => Response.json(created, { headers: { 'content-location': '/card?id=8' } })
    },
    { token: 'abc' }
  )
  await session.start('/new')
  sent()
  session.enter('name', 'Grace')
  t.equal(session.hasChanges, true)
  const [first, second] = [session.save('create'), session.save('create')]
  t.match(JSON.parse((await requests[0]?.body) ?? ''), { action: 'create', changes: { name: 'Grace' } })
  await Promise.all([first, second])
  await session.save('create')
  t.match(state(), { path: '/card?id=8', replaces: true, screen: { title: 'Grace' } })
  t.strictSame(sent(), ['POST http://x/create'], 'and the new screen is saved, not created')
})

t.test('a Card that cannot be created, saved or deleted sends nothing', async t => {
  const { session, sent } = sessionAt({ 'GET /card': { ...CARD, actions: {} } }, { token: 'abc' })
  await session.start('/card')
  sent()
  session.enter('name', 'Grace')
  t.equal(session.hasChanges, false)
  for (const action of ['save', 'create', 'delete'] as const) await session.save(action)
  t.strictSame(sent(), [])
})

t.test('without a change there is nothing to save, but something to create', async t => {
  const { session, state, sent } = sessionAt({ 'GET /card': CARD, 'POST /create': CARD }, { token: 'abc' })
  await session.start('/card')
  sent()
  await session.save()
  t.strictSame(state().message, { kind: 'info', text: 'Nothing has changed.' })
  t.strictSame(sent(), [])
})

/** A Card for a new record, as other servers send it: some clients create with `save`. */
const BLANK = {
  ...CARD,
  title: 'New',
  sections: [...CARD.sections, { fields: [{ id: 'line', type: 'Separator' }] }],
  actions: { save: '/save', create: '/create' },
  record_id: undefined
}
const PEOPLE = {
  layout: 'List',
  title: 'People',
  actions: { create: '/new' },
  lines: { columns: [], rows: [] }
}

t.test('a new record of a List is created with all fields that can be edited', async t => {
  const table = { 'GET /people': PEOPLE, 'GET /new': BLANK, 'POST /create': CARD }
  const { session, state, sent, requests } = sessionAt(table, { token: 'abc' })
  await session.start('/people')
  sent()
  t.match(state().screen, { createUrl: '/new', actions: { create: '' } })
  await session.create()
  t.match(state(), { path: '/new', screen: { title: 'New', actions: { save: '', create: '/create' } } })
  await session.reload()
  t.match(state().screen.actions, { save: '', create: '/create' }, 'it is still new')
  await session.create()
  t.strictSame(sent(), ['GET http://x/new', 'GET http://x/new'], 'a Card leads to no other')
  session.enter('city', 'Paris')
  await session.save('create')
  const { action, changes } = JSON.parse(requests[0]?.body ?? '')
  t.strictSame([action, changes], ['create', { name: 'Ada', city: 'Paris', pin: '' }])
  t.match(state().screen, { title: 'Card', actions: { save: '/save', create: '' } })
})

t.test('a new record whose Card can only be saved is saved', async t => {
  const saved = { ...BLANK, actions: { save: '/save' } }
  const { session, state } = sessionAt({ 'GET /people': PEOPLE, 'GET /new': saved }, { token: 'abc' })
  await session.start('/people')
  await session.create()
  t.match(state().screen.actions, { save: '/save', create: '' })
})

t.test('a Card for a new record that was reached in another way is saved', async t => {
  const { session, state } = sessionAt({ 'GET /new': BLANK, 'POST /save': CARD }, { token: 'abc' })
  await session.start('/new')
  await session.reload()
  t.match(state().screen.actions, { save: '/save', create: '' })
  session.enter('name', 'Grace')
  await session.save()
  t.match(state(), { screen: { title: 'Card' }, message: { text: 'Saved.' } })
})

t.test(
  'a new record is asked about first when something is not saved, and only where there is one',
  async t => {
    const list = { ...PEOPLE, sections: CARD.sections, actions: { create: '/new', save: '/save' } }
    const { session, state, questions } = sessionAt(
      { 'GET /people': list, 'GET /new': BLANK },
      { token: 'abc', answer: false }
    )
    await session.create()
    await session.start('/people')
    session.enter('name', 'Grace')
    await session.create()
    t.match([questions, state()], [[{ about: 'unsaved' }], { screen: { title: 'People' } }])
  }
)

t.test('a field that cannot be edited is not sent', async t => {
  const { session, state } = sessionAt({ 'GET /card': CARD }, { token: 'abc' })
  await session.start('/card')
  session.enter('since', '2000-01-01')
  t.equal(session.hasChanges, false)
  await session.save()
  t.match(state().message, { text: 'Nothing has changed.' })
})

t.test('a delete is asked about first, and posts no changes', async t => {
  for (const answer of [false, true]) {
    const deleted = { layout: 'List', title: 'People', status: 'Deleted.' }
    const { session, state, questions, sent, requests } = sessionAt(
      {
        'GET /card': CARD,
        'POST /delete': () => Response.json(deleted, { headers: { 'content-location': '/people' } })
      },
      { token: 'abc', answer }
    )
    await session.start('/card')
    session.enter('name', 'Grace')
    sent()
    await session.save('delete')
    t.strictSame(questions, [{ about: 'delete', text: 'Delete this?', label: 'Delete' }])
    if (answer) {
      t.match(JSON.parse(requests[0]?.body ?? ''), { action: 'delete', record_id: '7', changes: {} })
      t.match(state(), { path: '/people', replaces: true, message: { text: 'Deleted.' } })
    } else {
      t.strictSame(sent(), [])
      t.equal(state().values.get('name'), 'Grace')
    }
  }
})

t.test('screen_id and record_id are sent back as they came', async t => {
  for (const [ids, sent] of [
    [
      { screen_id: 'a', record_id: 7 },
      { screen_id: 'a', record_id: 7 }
    ],
    [{ screen_id: undefined, record_id: undefined }, {}]
  ]) {
    const { session, requests } = sessionAt(
      { 'GET /card': { ...CARD, ...ids }, 'POST /save': CARD },
      { token: 'abc' }
    )
    await session.start('/card')
    await session.save('save', { city: 'Paris' })
    t.strictSame(JSON.parse(requests.at(-1)?.body ?? ''), {
      ...sent,
      changes: { city: 'Paris' },
      action: 'save'
    })
  }
})

t.test('an id that every object has is a field like another', async t => {
  const fields = [{ id: '__proto__', label: 'Odd', type: 'Text', value: '' }]
  const { session, requests } = sessionAt(
    { 'GET /card': { ...CARD, sections: [{ id: 'a', label: 'A', fields }] }, 'POST /save': CARD },
    { token: 'abc' }
  )
  await session.start('/card')
  session.enter('__proto__', 'x')
  await session.save()
  t.match(requests.at(-1)?.body, '"changes":{"__proto__":"x"}')
})

t.test('there is nothing to save before the login', async t => {
  const { session, sent } = sessionAt()
  await session.save('delete')
  await session.start()
  sent()
  await session.save('delete')
  t.strictSame(sent(), [])
})

t.test('a delete that is answered twice is sent once', async t => {
  let answer = (_: boolean) => {}
  const asked = new Promise<boolean>(resolve => {
    answer = resolve
  })
  const { session, sent } = sessionAt(
    { 'GET /card': CARD, 'POST /delete': CARD },
    { token: 'a', answer: asked }
  )
  await session.start('/card')
  sent()
  const both = [session.save('delete'), session.save('delete')]
  answer(true)
  await Promise.all(both)
  t.strictSame(sent(), ['POST http://x/delete'])
})

t.test('without a view that asks, and a place for drafts, all is done at once', async t => {
  const posted: string[] = []
  const session = new Session({
    baseUrl: 'http://x',
    tokens: { read: () => 'abc', write() {}, clear() {} },
    onState() {},
    fetch: async (url, { method }) => {
      if (method === 'POST') posted.push(url)
      return Response.json(CARD)
    }
  })
  await session.start()
  session.enter('city', 'Paris')
  await session.save('delete')
  session.enter('city', 'Paris')
  await session.act(PRESSED)
  t.strictSame(posted, ['http://x/delete', 'http://x/press'])
})

t.test('a button that is refused with a 401 leads to the login', async t => {
  const { session, state } = sessionAt({ 'GET /card': CARD, 'POST /press': 401 }, { token: 'abc' })
  await session.start('/card')
  await session.act(PRESSED)
  t.match(state(), { name: 'login', message: { text: /session has ended/ } })
})
