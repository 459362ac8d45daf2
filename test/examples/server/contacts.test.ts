// Contacts are created, edited and deleted, also by several users concurrently.

import t, { type Test } from 'tap'
import { LANGUAGES } from '../../../examples/server/language.ts'
import { addDemoData, openStores } from '../../../examples/server/stores.ts'
import { DEMO, type Json } from '../process.ts'
import { type Example, fieldsOf, NO_AUTH, startExample, valuesOf } from './in-process.ts'

/** Returns functions that use contacts as a person does. */
function open({ get, getJson, post }: Example, token = '') {
  return {
    list: () => getJson('/screen/contacts', token),
    card: (id: number) => getJson(`/screen/contact?id=${id}`, token),
    blank: () => getJson('/screen/contacts/new', token),
    get: (url: string) => get(url, token),
    /** Posts changes to an action of a Card, as clients do. */
    act(screen: Json, action: 'save' | 'create' | 'delete', changes: object = {}): Promise<Json> {
      const { actions, screen_id, record_id } = screen
      return post(actions[action], { screen_id, record_id, changes, action }, token)
    }
  }
}

const openWithoutLogin = async (t: Test) => open(await startExample(t, NO_AUTH))

t.test('an empty database gets demo contacts with the demo user, and only once', async t => {
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

t.test('every text field has a maximum length', async t => {
  const { blank } = await openWithoutLogin(t)
  for (const { type, id, validation } of fieldsOf(await blank()))
    if (/^(Text|TextArea|Email|Phone|URL)$/.test(type)) t.ok(validation.max_length <= 2000, id)
})

t.test('a created contact is shown and is in the list', async t => {
  const { act, blank, get, list } = await openWithoutLogin(t)
  const form = await blank()
  t.match(form, { title: 'New contact', parent_url: '/screen/contacts' })
  t.match(fieldsOf(form)[0], { id: 'name', value: '', focus: true, validation: { required: true } })
  const created = await act(form, 'create', { name: 'Zoë', favourite: 'true', notes: 'one\r\ntwo  ' })
  t.match(created, { code: 200, title: 'Zoë', status: 'Created.', record_id: '6' })
  t.match(valuesOf(created), { name: 'Zoë', favourite: 'true', notes: 'one\ntwo', birthday: '' })
  const { url, code, status, ...screen } = created
  t.equal(url, '/screen/contact?id=6')
  t.strictSame((await get(url)).json(), screen, 'its URL leads to the same Card')
  t.match((await list()).lines.rows[5].values, ['Zoë', '', '', '', '✓', '6'])
})

t.test('only the Card for a new contact has both a save and a create action', async t => {
  const { blank, card, list } = await openWithoutLogin(t)
  t.strictSame((await list()).actions, { create: '/screen/contacts/new' })
  const { actions } = await blank()
  t.equal(actions.create, actions.save)
  t.notOk('create' in (await card(1)).actions)
})

for (const action of ['create', 'save'] as const) {
  t.test(`${action} creates a contact from all fields or from the typed ones only`, async t => {
    const { act, blank } = await openWithoutLogin(t)
    const form = await blank()
    const { line, ...untouched } = valuesOf(form)
    t.equal(untouched.favourite, 'false')
    const all = await act(form, action, { ...untouched, name: 'All' })
    t.match(all, { title: 'All', status: 'Created.', url: '/screen/contact?id=6' })
    const other = await blank()
    const typed = await act(other, action, { name: 'Typed' })
    t.match(typed, { title: 'Typed', status: 'Created.', url: '/screen/contact?id=7' })
    const { id, name, ...values } = valuesOf(typed)
    t.match(valuesOf(all), values, 'the untouched fields are the same')
    const again = await act(other, action, { ...untouched, name: 'Typed' })
    t.match(again, { status: 'Created.', url: '/screen/contact?id=7' })
  })
}

t.test('a Boolean that was stored empty is shown as false', async t => {
  const { act, card } = await openWithoutLogin(t)
  t.match(await act(await card(1), 'save', { favourite: '' }), { status: 'Saved.' })
  t.equal(valuesOf(await card(1)).favourite, 'false')
})

t.test('parallel creates with one form make one contact, and only those with its values succeed', async t => {
  const { act, blank, card, list } = await openWithoutLogin(t)
  const form = await blank()
  const names = ['A', 'A', 'B', 'B', 'C']
  const all = await Promise.all(names.map(name => act(form, 'create', { name })))
  const { title } = await card(6)
  const done = all.filter(({ status }) => status === 'Created.').map(screen => screen.title)
  const same = names.filter(name => name === title)
  t.strictSame(done, same)
  t.equal((await list()).lines.row_count, 6)
})

t.test('repeating a create with other values reports a conflict and loses nothing', async t => {
  const { act, blank, card, list } = await openWithoutLogin(t)
  const form = await blank()
  const created = await act(form, 'create', { name: 'Zoë', notes: 'of Zoë' })
  const status = 'Error: Someone saved newer changes.'
  for (const changes of [{ name: 'Yuri' }, { name: 'Zoë', company: 'Zoo' }])
    t.match(await act(form, 'create', changes), { code: 200, status })
  t.strictSame(valuesOf(await card(6)), valuesOf(created))
  t.equal((await list()).lines.row_count, 6)
  t.match(await act(created, 'save', { company: 'Zoo' }), { status: 'Saved.' }, 'it is still the latest version')
  t.match(await act(form, 'create', { name: 'Zoë' }), { status: 'Created.', record_id: '6' })
})

t.test('the URL of the form survives a reload, and opens the contact once it is created', async t => {
  const { act, get } = await openWithoutLogin(t)
  const urlOf = ({ headers }: { headers: Json }) => headers['content-location']
  const first = await get('/screen/contacts/new')
  const url = urlOf(first)
  t.match(url, /^\/screen\/contacts\/new\?key=[0-9a-f-]{36}$/)
  const again = await get(url)
  t.strictSame([again.json(), urlOf(again)], [first.json(), url])
  t.not(urlOf(await get('/screen/contacts/new')), url, 'another form has another URL')
  await act(first.json(), 'create', { name: 'Zoë' })
  const after = await get(url)
  t.match(after.json(), { title: 'Zoë', record_id: '6' })
  t.equal(urlOf(after), '/screen/contact?id=6')
})

t.test('a save shows the new values and the new title, and changes nothing else', async t => {
  const { act, card, list } = await openWithoutLogin(t)
  const before = await card(1)
  const saved = await act(before, 'save', { name: 'Amara O.', team_size: '' })
  t.match(saved, { code: 200, title: 'Amara O.', status: 'Saved.', url: '/screen/contact?id=1' })
  t.match(valuesOf(saved), { ...valuesOf(before), name: 'Amara O.', team_size: '', updated_by: '' })
  t.strictSame(valuesOf(await card(1)), valuesOf(saved))
  t.equal((await list()).lines.rows[0].values[0], 'Amara O.')
})

t.test('a save whose response was lost can be repeated, and the next save starts from its Card', async t => {
  const { act, card } = await openWithoutLogin(t)
  const before = await card(1)
  await act(before, 'save', { company: 'One' })
  const repeated = await act(before, 'save', { company: 'One' })
  t.match(repeated, { status: 'Saved.', url: '/screen/contact?id=1' })
  t.match(await act(repeated, 'save', { company: 'Two' }), { status: 'Saved.' })
  t.match(valuesOf(await card(1)), { company: 'Two' })
})

t.test('a save without changes keeps the version of the contact', async t => {
  const { act, card } = await openWithoutLogin(t)
  const before = await card(1)
  for (const changes of [{}, { name: 'Amara Okafor' }])
    t.match(await act(before, 'save', changes), { status: 'Saved.' })
  t.strictSame(await card(1), before)
})

t.test('one of two parallel saves gets a conflict', async t => {
  const { act, card } = await openWithoutLogin(t)
  const before = await card(1)
  const both = await Promise.all(['One', 'Two'].map(company => act(before, 'save', { company })))
  t.strictSame(both.map(({ status }) => status).sort(), ['Error: Someone saved newer changes.', 'Saved.'])
  const [saved] = both.filter(({ status }) => status === 'Saved.')
  t.strictSame(valuesOf(await card(1)), valuesOf(saved))
})

for (const { code, conflict } of LANGUAGES)
  t.test(`a conflict names the user who saved, if the name fits, and loses nothing, ${code}`, async t => {
    const example = await startExample(t, {}, { 'accept-language': code })
    const { logIn, users } = example
    const demo = open(example, (await logIn()).token)
    const longest = 'A'.repeat(42 - `Error: ${conflict.other('')}`.length)
    for (const [username, text] of [
      ['demo', conflict.you],
      ['ada', conflict.other('ada')],
      [longest, conflict.other(longest)],
      [`${longest}A`, conflict.someone]
    ] as const) {
      await users.add({ username, displayName: 'Somebody' }, DEMO.password)
      const { act } = open(example, (await logIn({ ...DEMO, username })).token)
      const before = await demo.card(1)
      t.match(valuesOf(await act(before, 'save', { company: username })), { updated_by: username })
      const status = `Error: ${text}`
      const refused = await demo.act(before, 'save', { company: 'Mine', notes: 'Mine' })
      t.match(refused, { code: 200, layout: 'Card', status })
      t.equal(refused.url, undefined, 'the client stays on the same screen')
      t.match(await demo.act(before, 'delete'), { code: 200, layout: 'Card', status })
      t.match(valuesOf(await demo.card(1)), { company: username })
    }
  })

t.test('a deleted contact is no longer in the list and can no longer be saved', async t => {
  const { act, card, get, list } = await openWithoutLogin(t)
  const before = await card(1)
  const deleted = await act(before, 'delete')
  t.match(deleted, { code: 200, layout: 'List', status: 'Deleted.', url: '/screen/contacts' })
  t.equal(deleted.lines.row_count, 4)
  t.equal((await get('/screen/contact?id=1')).statusCode, 404)
  t.match(await act(before, 'delete'), { layout: 'List', status: 'Deleted.' }, 'a second click')
  const status = 'Error: This contact was deleted.'
  t.match(await act(before, 'save', { name: 'Amara' }), { code: 200, layout: 'Card', status })
  t.equal((await list()).lines.row_count, 4)
})

t.test('the number of a deleted contact is never reused', async t => {
  const { act, blank, card } = await openWithoutLogin(t)
  await act(await card(5), 'delete')
  t.match(await act(await blank(), 'create', { name: 'Zoë' }), { record_id: '6' })
})

t.test('at most 1,000 contacts can be created, and repeating the last create creates no other', async t => {
  const example = await startExample(t, NO_AUTH)
  const { act, blank, list } = open(example)
  for (let i = 6; i < 1000; i++) await example.contacts.create(`key ${i}`, { name: `Name ${i}` }, '')
  const last = await blank()
  t.match(await act(last, 'create', { name: 'Last' }), { status: 'Created.' })
  const status = 'Error: There are too many contacts.'
  t.match(await act(await blank(), 'create', { name: 'More' }), { code: 200, status })
  t.match(await act(last, 'create', { name: 'Last' }), { status: 'Created.' }, 'the last one again')
  t.equal((await list()).lines.row_count, 1000)
})

t.test('a body with missing properties or null is accepted', async t => {
  const { getJson, post } = await startExample(t, NO_AUTH)
  const fresh = async () => (await getJson('/screen/contact?id=1')).actions
  for (const body of [
    { changes: { company: 'One' } },
    { screen_id: null, record_id: null, action: null, changes: { company: 'Two' }, more: [1] }
  ])
    t.match(await post((await fresh()).save, body), { code: 200, status: 'Saved.' })
  const { delete: remove } = await fresh()
  for (const body of [{ changes: {} }, {}, null]) t.match(await post(remove, body), { code: 200, status: 'Deleted.' })
})
