// Contacts are created, edited and deleted, also by several people at the same time.

import t, { type Test } from 'tap'
import type { Json } from '../process.ts'
import { startExample, valuesOf } from './in-process.ts'

/** Starts an example, and returns functions that use contacts as a person does. */
async function open(t: Test) {
  const { contacts, get, getJson, logIn, post } = await startExample(t)
  const { token } = await logIn()
  const card = () => getJson('/screen/contact?id=1', token)
  return {
    contacts,
    get: (url: string) => get(url, token),
    card,
    /** The Card for a new contact, from the Card of another one. */
    blank: async () => getJson((await card()).actions.create, token),
    /** Posts changes to an action of a Card, as clients do. */
    act(screen: Json, action: 'save' | 'create' | 'delete', changes: object = {}): Promise<Json> {
      const { actions, screen_id, record_id } = screen
      return post(actions[action], { screen_id, record_id, changes, action }, token)
    },
    async list(query = ''): Promise<Json> {
      const { lines, status } = await getJson(`/screen/contacts?query=${encodeURIComponent(query)}`, token)
      return { ...lines, names: lines.rows.map(({ values }: Json) => values[0]).join(', '), status }
    }
  }
}

const CONFLICT = { code: 200, layout: 'Card', status: /^Error: Changed by demo \d+ \w+ ago\.$/, url: undefined }

t.test('a new contact opens at its own URL, with all fields or only the typed ones', async t => {
  const { act, blank, get } = await open(t)
  const form = await blank()
  t.match(form, { title: 'New contact', ui_strings: { create: 'Create contact', save: 'Create contact' } })
  const { line, ...untouched } = valuesOf(form)
  const all = await act(form, 'create', { ...untouched, name: 'Zoë', notes: 'one\r\ntwo  ' })
  const { url, code, status, ...screen } = all
  t.strictSame([url, status], ['/screen/contact?id=6', 'Created.'])
  t.strictSame((await get(url)).json(), screen)
  const { id, ...values } = valuesOf(all)
  const typed = await act(await blank(), 'save', { name: 'Zoë', notes: 'one\ntwo' })
  t.match(valuesOf(typed), values)
})

t.test('the URL of a form survives a reload, and opens the contact once it is created', async t => {
  const { act, get } = await open(t)
  const first = await get('/screen/contacts/new')
  const url = `${first.headers['content-location']}`
  const again = await get(url)
  t.strictSame([again.json(), again.headers['content-location']], [first.json(), url])
  t.not((await get('/screen/contacts/new')).headers['content-location'], url, 'another form has another URL')
  await act(first.json(), 'create', { name: 'Zoë' })
  const after = await get(url)
  t.strictSame([after.json().title, after.headers['content-location']], ['Zoë', '/screen/contact?id=6'])
})

t.test('parallel creates with one form make one contact, and only those with its values succeed', async t => {
  const { act, blank, contacts } = await open(t)
  const form = await blank()
  const names = ['A', 'A', 'B', 'B', 'C']
  const all = await Promise.all(names.map(name => act(form, 'create', { name })))
  const name = (await contacts.find(6))?.values.name
  const done = all.filter(({ status }) => status === 'Created.').map(screen => screen.title)
  const expected = names.filter(typed => typed === name)
  t.strictSame(done, expected)
  t.match(await act(form, 'create', { name, company: 'Zoo' }), CONFLICT)
  t.equal((await contacts.all()).length, 6)
})

t.test('a save whose response was lost can be repeated, and the next save starts from its Card', async t => {
  const { act, card } = await open(t)
  const before = await card()
  await act(before, 'save', { company: 'One' })
  const repeated = await act(before, 'save', { company: 'One' })
  t.match(repeated, { status: 'Saved.', url: '/screen/contact?id=1' })
  t.match(await act(repeated, 'save', { company: 'Two' }), { status: 'Saved.' })
  t.match(valuesOf(await card()), { company: 'Two' })
})

t.test('one of two parallel saves gets a conflict, and so do a late delete and a save after a delete', async t => {
  const { act, card, list } = await open(t)
  const before = await card()
  const both = await Promise.all(['One', 'Two'].map(company => act(before, 'save', { company })))
  t.match(both.map(({ status }) => status).sort(), [CONFLICT.status, 'Saved.'])
  const [saved] = both.filter(({ status }) => status === 'Saved.')
  t.match(await act(before, 'delete'), CONFLICT)
  t.strictSame(valuesOf(await card()), valuesOf(saved))
  t.match(await act(saved, 'delete'), { code: 200, layout: 'List', status: /^(?!Error:)./ })
  t.notMatch((await list()).names, /Amara/)
  t.match(await act(saved, 'save', { company: 'late' }), { status: /^Error: ./ })
})

/** The values that each field rejects, and the message after the label of the field. */
const FAULTS: [id: string, status: string, ...values: string[]][] = [
  ['name', 'Name: required.', '', '   ', '\r\n'],
  ['name', 'Name: at most 100 characters.', 'x'.repeat(101)],
  ['company', 'Company: invalid character.', 'a\u0000b', 'a\nb', '\ud800', 'M\ufffdller'],
  ['notes', 'Notes: invalid character.', 'a\u001bb', 'a\rb'],
  ['notes', 'Notes: at most 2,000 characters.', 'x'.repeat(2001)],
  ['category', 'Category: not one of the choices.', 'Customer', 'toString'],
  ['favourite', 'Favourite: neither true nor false.', 'yes', 'TRUE'],
  ['email', 'Email: not an email address.', 'ada', 'a b@example.com'],
  ['phone', 'Phone: unexpected format.', '12', 'call me', '+49 30 <b>', '٠١٢٣'],
  ['website', 'Website: not a web address.', 'example', 'javascript:alert(1)'],
  ['call_at', 'Call time: not a time of day.', '24:00', '9:30'],
  ['birthday', 'Birthday: not a date.', '2026-02-30', '31-02-1990', '12-31-1990', '31-12-90', 'today'],
  ['away', 'Away: needs a first and a last day.', '2026-12-20', '2026-01-01/2026-01-02/x'],
  ['away', 'Away: ends before it begins.', '2027-01-06/2026-12-20', '06-01-2027/20-12-2026'],
  ['team_size', 'Team size: not a whole number.', '1.5', '1e3', '1,25', 'x'],
  ['team_size', 'Team size: at least 0.', '-1'],
  ['team_size', 'Team size: at most 100,000.', '100001', '9'.repeat(400)],
  ['hourly_rate', 'Hourly rate: not a number like 1.5.', '62,5', '1,25', '1e3', '1.250,00', 'Infinity'],
  ['hourly_rate', 'Hourly rate: at most 2 decimals.', '1.250', '0.0000001'],
  ['hourly_rate', 'Hourly rate: at least 0.', '-0.01'],
  ['hourly_rate', 'Hourly rate: at most 100,000.', '100000.01'],
  ...['id', 'updated_at', 'line', 'version', 'constructor', ''].map(
    id => [id, 'This field cannot be changed.', '7'] as [string, string, string]
  )
]

t.test('an invalid value is rejected with a message at its field, and nothing is saved', async t => {
  const { act, blank, card, contacts } = await open(t)
  const before = await contacts.all()
  for (const [id, message, ...values] of FAULTS)
    for (const value of values) {
      const refused = { code: 200, layout: 'Card', status: `Error: ${message}` }
      t.match(await act(await card(), 'save', { company: 'Good', [id]: value }), refused, `${id} ${value.slice(0, 40)}`)
      t.match(await act(await blank(), 'create', { name: 'Good', [id]: value }), refused)
    }
  const several = { hourly_rate: 'x', website: 'x', email: 'x', team_size: 'x' }
  t.match(await act(await card(), 'save', several), { status: 'Error: Email: not an email address.' })
  t.strictSame(await contacts.all(), before)
})

t.test('a value at a limit is saved unchanged, and an empty one removes it', async t => {
  const { act, card, contacts } = await open(t)
  const allowed = {
    name: `${'x'.repeat(98)}👩`,
    company: "O'Brien; DROP TABLE contacts -- <b>&amp;</b> {0} \u202e",
    category: 'friend',
    favourite: 'false',
    email: "o'brien+tag@sub.müller.example",
    phone: '(020) 7946/0958-1',
    website: 'HTTPS://user@example.com:8443/a?b=c#d',
    call_at: '00:00',
    birthday: '2024-02-29',
    away: '2026-12-20/2026-12-20',
    team_size: '100000',
    hourly_rate: '99999.99',
    notes: `tab\there\n${'\u{1f98a}'.repeat(990)}`
  }
  const empty = { ...Object.fromEntries(Object.keys(allowed).map(id => [id, ''])), name: 'x', favourite: 'false' }
  for (const changes of [allowed, empty]) {
    t.match(await act(await card(), 'save', changes), { status: 'Saved.' })
    t.strictSame((await contacts.find(1))?.values, changes)
  }
})

t.test(
  'a value is accepted in the locale of the screen or as data, and shown in one form, also if it was stored before',
  async t => {
    const { act, card, contacts, list } = await open(t)
    await contacts.save(1, 1, { hourly_rate: '1250.5', team_size: '007' }, '')
    t.match(valuesOf(await card()), { hourly_rate: '1,250.50', team_size: '7' })
    t.match((await list()).rows[0].values, { 3: '1,250.50' })
    for (const [field, typed, shown = typed] of [
      ['birthday', '1990-12-31', '31-12-1990'],
      ['birthday', '1-2-1990', '01-02-1990'],
      ['away', '2026-12-20/06-01-2027', '20-12-2026/06-01-2027'],
      ['hourly_rate', '1,250.5', '1,250.50'],
      ['hourly_rate', '01250', '1,250.00'],
      ['hourly_rate', '-0', '0.00'],
      ['team_size', '1,250'],
      ['team_size', '007', '7'],
      ['website', 'www.example.com', 'https://www.example.com']
    ] as [string, string, string?][]) {
      const saved = await act(await card(), 'save', { [field]: typed })
      t.strictSame([saved.status, valuesOf(saved)[field]], ['Saved.', shown], typed)
    }
  }
)

t.test('a search finds a text in any cell, regardless of accents and case', async t => {
  const { list } = await open(t)
  for (const [found, ...queries] of [
    ['Amara Okafor, Bruno Keller, Chiara Lindqvist, Daniel Mwangi, Élodie Tran', ''],
    ['Élodie Tran', 'élodie', 'ELODIE', 'e\u0301lo', '1250', '1,250.00', '1.250,0', 'élodie\u00a0 tran', ' elodie '],
    ['Bruno Keller', 'tochter', 'KELLER & TÖCH', '02-11-1969'],
    ['Amara Okafor, Chiara Lindqvist', '✓']
  ] as [string, ...string[]][])
    for (const query of queries)
      t.match(await list(query), { names: found, status: undefined, row_count: found.split(', ').length }, query)
  for (const query of ['nobody', 'true', '1969-11-02', 'supplier', '%', '.*', '\u0000'])
    t.match(await list(query), { names: '', status: 'No contacts found.' }, query)
})
