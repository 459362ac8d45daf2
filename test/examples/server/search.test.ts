// To type in a list searches: `?query=` on its URL.

import t from 'tap'
import { type Example, startExample } from './in-process.ts'

const search = async ({ getJson }: Example, list: string, query: string, token = '') => {
  const { lines, status } = await getJson(`/screen/${list}?query=${encodeURIComponent(query)}`, token)
  return { names: lines.rows.map(({ values }: { values: string[] }) => values[0]), status, lines }
}

t.test('a text is found wherever a row shows it, with or without accents and capitals', async t => {
  const example = await startExample(t, { enabled: false })
  for (const [query, ...names] of [
    ['élodie', 'Élodie Tran'],
    ['ELODIE', 'Élodie Tran'],
    ['e\u0301lo', 'Élodie Tran'],
    ['tochter', 'Bruno Keller'],
    ['KELLER & TÖCH', 'Bruno Keller'],
    ['02-11-1969', 'Bruno Keller'],
    ['1250', 'Élodie Tran'],
    ['élodie\u00a0 tran', 'Élodie Tran'],
    ['yes', 'Amara Okafor', 'Chiara Lindqvist'],
    [' amara ', 'Amara Okafor'],
    ['', 'Amara Okafor', 'Bruno Keller', 'Chiara Lindqvist', 'Daniel Mwangi', 'Élodie Tran']
  ] as const) {
    const { names: found, status, lines } = await search(example, 'contacts', query)
    t.strictSame([found, status], [names, undefined], query)
    t.equal(lines.row_count, names.length)
    t.strictSame(
      lines.rows.map(({ index }: { index: number }) => index),
      [...names.keys()]
    )
  }
})

t.test('a letter with a stroke, two in one, and ẞ are found too', async t => {
  const example = await startExample(t, { enabled: false })
  for (const [name, ...queries] of [
    ['Søren', 'soren', 'SØREN'],
    ['Łódź', 'lodz'],
    ['Đà Nẵng', 'da nang'],
    ['Æsir', 'aesir', 'ÆSIR'],
    ['Straße', 'strasse', 'STRASSE', 'STRAẞE', 'straße']
  ] as const) {
    await example.contacts.create(name, { name }, '')
    for (const query of queries) t.match(await search(example, 'contacts', query), { names: [name] }, query)
  }
})

t.test('what a row does not show is not found, and the status says so', async t => {
  const example = await startExample(t, { enabled: false })
  const nothing = { names: [], status: 'No contacts found.' }
  for (const query of ['nobody', 'true', '1969-11-02', 'amara@harbourlight', 'supplier', '%', '.*', '\u0000'])
    t.match(await search(example, 'contacts', query), nothing, query)
  t.match(await search(example, 'users', 'nobody'), { names: [], status: 'No users found.' })
  const german = await startExample(t, { enabled: false }, { 'accept-language': 'de' })
  t.match(await search(german, 'contacts', 'yes'), { names: [], status: 'Keine Kontakte gefunden.' })
  t.match(await search(german, 'users', 'nobody'), { status: 'Keine Benutzer gefunden.' })
  t.match(await search(german, 'contacts', 'ja'), { names: ['Amara Okafor', 'Chiara Lindqvist'] })
})

t.test('users are found by both of their names', async t => {
  const example = await startExample(t)
  const { token } = await example.logIn()
  await example.users.add({ username: 'zoe', displayName: 'Zoë Ångström' }, 'a-password')
  for (const query of ['ZOE', 'zoë', 'angstrom'])
    t.match(await search(example, 'users', query, token), { names: ['zoe'], status: undefined }, query)
})

t.test('a list without contacts is no search that found none', async t => {
  const example = await startExample(t, { enabled: false })
  for (const { id, version } of await example.contacts.list()) await example.contacts.delete(id, version)
  t.match(await search(example, 'contacts', ''), { names: [], status: undefined })
})

t.test('a query is one text', async t => {
  const { get } = await startExample(t, { enabled: false })
  t.equal((await get('/screen/contacts?query=a&query=b')).statusCode, 400)
})
