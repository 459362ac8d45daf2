// What people do with contacts: list, create, edit and delete them, several people at a time.

import t from 'tap'
import { addDemoData, openStores } from '../../../examples/server/stores.ts'
import { type Example, startExample } from './in-process.ts'

/** What a person does with contacts. */
function open(example: Example, token = '') {
  const { getJson, post, get } = example
  return {
    list: () => getJson('/screen/contacts', token),
    card: (id: number | string) => getJson(`/screen/contact?id=${id}`, token),
    blank: () => getJson('/screen/contacts/new', token),
    get: (url: string) => get(url, token),
    /** Posts changes to an action of a Card, as clients do. */
    act: (screen: Screen, action: 'save' | 'create' | 'delete', changes: object = {}) =>
      post(
        screen.actions[action],
        { screen_id: screen.screen_id, record_id: screen.record_id, changes, action },
        token
      )
  }
}

// biome-ignore lint/suspicious/noExplicitAny: screens are looked into at will, and a wrong look fails the test
type Screen = any

const withoutLogin = { enabled: false }

const fieldsOf = (screen: Screen): Screen[] =>
  screen.sections.flatMap((section: { fields: unknown[] }) => section.fields)

/** The values of a Card by the name of the field. */
const valuesOf = (screen: Screen): Record<string, string> =>
  Object.fromEntries(fieldsOf(screen).map(({ id, value }) => [id, value]))

/** The number of the contact that a Card shows. */
const numberOf = (screen: Screen) => valuesOf(screen).id as string

t.test('the list shows the contacts by name, and a row leads to a Card', async t => {
  const { list, get } = open(await startExample(t, withoutLogin))
  const { lines, title } = await list()
  t.equal(title, 'Contacts')
  t.equal(lines.row_count, 5)
  t.strictSame(
    lines.rows.map(({ values }: { values: string[] }) => values[0]),
    ['Amara Okafor', 'Bruno Keller', 'Chiara Lindqvist', 'Daniel Mwangi', 'Élodie Tran']
  )
  for (const { values } of lines.rows) {
    t.equal(values.length, lines.columns.length)
    const url = lines.on_select.replace(/\{(\d)\}/g, (_: string, index: number) => values[index])
    t.match((await get(url)).json(), { layout: 'Card', title: values[0], parent_url: '/screen/contacts' })
  }
})

t.test('an empty database gets some contacts with the demo user, and only once', async t => {
  const stores = await openStores('file::memory:')
  t.teardown(() => stores.close())
  t.strictSame(await stores.contacts.list(), [])
  await addDemoData(stores)
  const contacts = await stores.contacts.list()
  t.equal(contacts.length, 5)
  for (const { id, version } of contacts) await stores.contacts.delete(id, version)
  await addDemoData(stores)
  t.strictSame(await stores.contacts.list(), [])
})

t.test('between them, the screens have every type of a field', async t => {
  const example = await startExample(t)
  const { token } = await example.logIn()
  const { card } = open(example, token)
  const screens = [await card(1), await example.getJson('/screen/password', token)]
  t.strictSame(
    [...new Set(screens.flatMap(fieldsOf).map(({ type }) => type))].sort(),
    'Boolean Date DateRange Decimal Email Integer Option Password Phone Separator Text TextArea Time URL'.split(
      ' '
    )
  )
})

t.test('every text that people type has a largest length', async t => {
  const { blank } = open(await startExample(t, withoutLogin))
  for (const { type, id, validation } of fieldsOf(await blank()))
    if (/^(Text|TextArea|Email|Phone|URL)$/.test(type)) t.ok(validation.max_length <= 2000, id)
})

t.test('a contact is created: it is shown, and the list has it', async t => {
  const { act, blank, get, list } = open(await startExample(t, withoutLogin))
  const form = await blank()
  t.match(form, { title: 'New contact', parent_url: '/screen/contacts' })
  t.match(fieldsOf(form)[0], { id: 'name', value: '', focus: true, validation: { required: true } })
  const created = await act(form, 'create', { name: 'Zoë', favourite: 'true', notes: 'one\r\ntwo  ' })
  t.match(created, {
    code: 200,
    title: 'Zoë',
    status: 'Created.',
    record_id: '6',
    url: '/screen/contact?id=6'
  })
  t.match(valuesOf(created), { name: 'Zoë', favourite: 'true', notes: 'one\ntwo', birthday: '' })
  const { url, code, status, ...screen } = created
  t.strictSame((await get(url)).json(), screen, 'its URL leads to the same Card')
  t.match((await list()).lines.rows[5].values, ['Zoë', '', '', '', 'Yes', '6'])
})

t.test('the list leads to the Card for a new contact, which has two ways to be posted', async t => {
  const { blank, get, list } = open(await startExample(t, withoutLogin))
  const { actions, screen_actions } = await list()
  t.strictSame([actions, screen_actions], [{ create: '/screen/contacts/new' }, undefined])
  t.match((await get(actions.create)).json(), { layout: 'Card', title: 'New contact' })
  const form = await blank()
  t.equal(form.actions.create, form.actions.save)
  t.notOk('create' in (await open(await startExample(t, withoutLogin)).card(1)).actions)
})

for (const action of ['create', 'save'] as const) {
  t.test(`a contact is created with ${action}, of all fields or of those that were typed`, async t => {
    const { act, blank } = open(await startExample(t, withoutLogin))
    const form = await blank()
    const untouched = Object.fromEntries(
      fieldsOf(form)
        .filter(({ type }) => type !== 'Separator')
        .map(({ id, value }) => [id, value])
    )
    t.equal(untouched.favourite, 'false')
    const all = await act(form, action, { ...untouched, name: 'All' })
    t.match(all, { title: 'All', status: 'Created.', url: '/screen/contact?id=6' })
    const other = await blank()
    const typed = await act(other, action, { name: 'Typed' })
    t.match(typed, { title: 'Typed', status: 'Created.', url: '/screen/contact?id=7' })
    const { id, name, ...values } = valuesOf(typed)
    t.match(valuesOf(all), values, 'what is untouched is the same')
    t.match(await act(other, action, { ...untouched, name: 'Typed' }), {
      status: 'Created.',
      url: '/screen/contact?id=7'
    })
  })
}

t.test('a Boolean that was stored empty is no', async t => {
  const example = await startExample(t, withoutLogin)
  const { act, card } = open(example)
  t.match(await act(await card(1), 'save', { favourite: '' }), { status: 'Saved.' })
  t.equal(valuesOf(await card(1)).favourite, 'false')
})

t.test('a second click creates no second contact', async t => {
  const { act, blank, list } = open(await startExample(t, withoutLogin))
  const form = await blank()
  const both = await Promise.all([1, 2].map(() => act(form, 'create', { name: 'Zoë' })))
  for (const created of both) t.match(created, { status: 'Created.', record_id: '6' })
  t.equal((await list()).lines.row_count, 6)
})

t.test('a create that is repeated with other values is told of the conflict, and loses nothing', async t => {
  const { act, blank, card, list } = open(await startExample(t, withoutLogin))
  const form = await blank()
  const created = await act(form, 'create', { name: 'Zoë', notes: 'of Zoë' })
  for (const changes of [{ name: 'Yuri' }, { name: 'Zoë', company: 'Zoo' }])
    t.match(await act(form, 'create', changes), {
      code: 200,
      status: 'Error: Somebody has saved in between.'
    })
  t.strictSame(valuesOf(await card(6)), valuesOf(created))
  t.equal((await list()).lines.row_count, 6)
  t.match(
    await act(created, 'save', { company: 'Zoo' }),
    { status: 'Saved.' },
    'the Card is still the last one'
  )
  t.match(await act(form, 'create', { name: 'Zoë' }), { status: 'Created.', record_id: '6' })
})

t.test(
  'of many that create with one form at the same time, only those are told that it was done',
  async t => {
    const { act, blank, card } = open(await startExample(t, withoutLogin))
    const form = await blank()
    const all = await Promise.all(['A', 'B', 'C', 'D'].map(name => act(form, 'create', { name })))
    const done = all.filter(({ status }) => status === 'Created.')
    t.strictSame(
      done.map(({ title }) => title),
      [(await card(6)).title]
    )
  }
)

t.test(
  'the URL of the form stays the same over a reload, and leads to the contact once it is created',
  async t => {
    const { act, get } = open(await startExample(t, withoutLogin))
    const first = await get('/screen/contacts/new')
    const url = first.headers['content-location'] as string
    t.match(url, /^\/screen\/contacts\/new\?key=[0-9a-f-]{36}$/)
    const again = await get(url)
    t.strictSame(again.json(), first.json())
    t.equal(again.headers['content-location'], url)
    t.not(
      (await get('/screen/contacts/new')).headers['content-location'],
      url,
      'another form is another contact'
    )
    await act(first.json(), 'create', { name: 'Zoë' })
    const after = await get(url)
    t.match(after.json(), { title: 'Zoë', record_id: '6' })
    t.equal(after.headers['content-location'], '/screen/contact?id=6')
  }
)

t.test('what is saved is shown, the title too, and nothing else has changed', async t => {
  const { act, card, list } = open(await startExample(t, withoutLogin))
  const before = await card(1)
  const saved = await act(before, 'save', { name: 'Amara O.', team_size: '' })
  t.match(saved, { code: 200, title: 'Amara O.', status: 'Saved.', url: '/screen/contact?id=1' })
  t.match(valuesOf(saved), { ...valuesOf(before), name: 'Amara O.', team_size: '', updated_by: '' })
  t.strictSame(valuesOf(await card(1)), valuesOf(saved))
  t.equal((await list()).lines.rows[0].values[0], 'Amara O.')
})

t.test('a Card can be saved again as it came back', async t => {
  const { act, card } = open(await startExample(t, withoutLogin))
  const saved = await act(await card(1), 'save', { company: 'One' })
  t.match(await act(saved, 'save', { company: 'Two' }), { status: 'Saved.' })
  t.match(valuesOf(await card(1)), { company: 'Two' })
})

t.test('a save whose response was lost can be repeated', async t => {
  const { act, card } = open(await startExample(t, withoutLogin))
  const before = await card(1)
  await act(before, 'save', { company: 'One' })
  const repeated = await act(before, 'save', { company: 'One' })
  t.match(repeated, { status: 'Saved.', url: '/screen/contact?id=1' })
  t.match(await act(repeated, 'save', { company: 'Two' }), { status: 'Saved.' })
})

t.test('a save that changes nothing is no change that others must know of', async t => {
  const { act, card } = open(await startExample(t, withoutLogin))
  const before = await card(1)
  for (const changes of [{}, { name: 'Amara Okafor' }])
    t.match(await act(before, 'save', changes), { status: 'Saved.' })
  t.strictSame(await card(1), before)
})

t.test('of two that save at the same time, one is told of the conflict', async t => {
  const { act, card } = open(await startExample(t, withoutLogin))
  const before = await card(1)
  const both = await Promise.all(['One', 'Two'].map(company => act(before, 'save', { company })))
  t.strictSame(both.map(({ status }) => status).sort(), ['Error: Somebody has saved in between.', 'Saved.'])
  const [saved] = both.filter(({ status }) => status === 'Saved.')
  t.strictSame(valuesOf(await card(1)), valuesOf(saved))
})

t.test('a conflict says who has saved in between, if the name fits, and loses nothing', async t => {
  const example = await startExample(t)
  const { logIn, users } = example
  const names = ['Ada', 'A'.repeat(13), 'A'.repeat(14)] as const
  for (const username of names) await users.add({ username, displayName: 'Somebody' }, 'a-password')
  const demo = open(example, (await logIn()).token)
  for (const username of names) {
    const { token } = await logIn({ username, password: 'a-password' })
    const { act } = open(example, token)
    const before = await demo.card(1)
    t.match(valuesOf(await act(before, 'save', { company: username })), { updated_by: username })
    const who = username.length < 14 ? username : 'Somebody'
    const status = `Error: ${who} has saved in between.`
    const refused = await demo.act(before, 'save', { company: 'Mine', notes: 'Mine' })
    t.match(refused, { code: 200, layout: 'Card', status })
    t.equal(refused.url, undefined, 'it is no other screen')
    t.match(await demo.act(before, 'delete'), { code: 200, layout: 'Card', status })
    t.match(valuesOf(await demo.card(1)), { company: username })
  }
})

t.test('a conflict with oneself, in another tab, says so', async t => {
  const example = await startExample(t)
  const { act, card } = open(example, (await example.logIn()).token)
  const before = await card(1)
  await act(before, 'save', { company: 'One' })
  t.match(await act(before, 'save', { company: 'Two' }), { status: 'Error: You have saved in between.' })
})

t.test('a contact is deleted: the list is shown without it', async t => {
  const { act, card, get } = open(await startExample(t, withoutLogin))
  const before = await card(1)
  const deleted = await act(before, 'delete')
  t.match(deleted, { code: 200, layout: 'List', status: 'Deleted.', url: '/screen/contacts' })
  t.equal(deleted.lines.row_count, 4)
  t.equal((await get('/screen/contact?id=1')).statusCode, 404)
  t.match(await act(before, 'delete'), { layout: 'List', status: 'Deleted.' }, 'a second click')
})

t.test('a save of a contact that was deleted meanwhile says so', async t => {
  const { act, card, list } = open(await startExample(t, withoutLogin))
  const before = await card(1)
  await act(before, 'delete')
  t.match(await act(before, 'save', { name: 'Amara' }), {
    code: 200,
    layout: 'Card',
    status: 'Error: This contact was deleted.'
  })
  t.equal((await list()).lines.row_count, 4)
})

t.test('a number is never given to another contact', async t => {
  const { act, blank, card } = open(await startExample(t, withoutLogin))
  await act(await card(5), 'delete')
  t.equal(numberOf(await act(await blank(), 'create', { name: 'Zoë' })), '6')
})

t.test('there are at most 1,000 contacts, and the last one is no second one', async t => {
  const example = await startExample(t, withoutLogin)
  const { act, blank, list } = open(example)
  for (let i = 6; i < 1000; i++) await example.contacts.create(`key ${i}`, { name: `Name ${i}` }, '')
  const last = await blank()
  t.match(await act(last, 'create', { name: 'Last' }), { status: 'Created.' })
  t.match(await act(await blank(), 'create', { name: 'More' }), {
    code: 200,
    status: 'Error: There are too many contacts.'
  })
  t.match(await act(last, 'create', { name: 'Last' }), { status: 'Created.' }, 'the last one again')
  t.equal((await list()).lines.row_count, 1000)
})

t.test('other clients send less than ours, or null', async t => {
  const { getJson, post } = await startExample(t, withoutLogin)
  const fresh = async () => (await getJson('/screen/contact?id=1')).actions
  for (const body of [
    { changes: { company: 'One' } },
    { screen_id: null, record_id: null, action: null, changes: { company: 'Two' }, more: [1] }
  ])
    t.match(await post((await fresh()).save, body), { code: 200, status: 'Saved.' })
  const { delete: remove } = await fresh()
  for (const body of [{ changes: {} }, {}, null])
    t.match(await post(remove, body), { code: 200, status: 'Deleted.' })
})

t.test('with a login, contacts are behind it', async t => {
  const { app, get } = await startExample(t)
  for (const url of ['/screen/contacts', '/screen/contact?id=1', '/screen/contacts/new'])
    t.equal((await get(url)).statusCode, 401, url)
  for (const path of ['contacts/new', 'contact/save', 'contact/delete'])
    t.equal((await app.inject({ method: 'POST', url: `/screen/${path}` })).statusCode, 401, path)
})
