// What cannot be saved in a contact, and that it is said in few words.

import fc from 'fast-check'
import t from 'tap'
import { faultOf } from '../../../examples/server/contacts/validation.ts'
import { startExample } from './in-process.ts'

const GERMAN = { 'accept-language': 'de' }

/** Known clients cut a message after so many characters. */
const LONGEST = 42

/** For each field what is refused, and the two languages' words for it. */
const FAULTS: [id: string, values: string[], english: string, german: string][] = [
  ['name', ['', '   ', '\r\n'], 'Name is missing.', 'Name fehlt.'],
  ['name', ['x'.repeat(101)], 'Name: at most 100 characters.', 'Name: höchstens 100 Zeichen.'],
  [
    'company',
    ['a\u0000b', 'a\nb', 'a\tb', '\u001b[31mred', 'a\u009bb', '\ud800', 'a\udc00b', 'M\ufffdller'],
    'Company: unusable character.',
    'Firma: ungültiges Zeichen.'
  ],
  [
    'notes',
    ['a\u0000b', 'a\u001bb', 'a\rb', '\udfff'],
    'Notes: unusable character.',
    'Notizen: ungültiges Zeichen.'
  ],
  ['notes', ['x'.repeat(2001)], 'Notes: at most 2000 characters.', 'Notizen: höchstens 2000 Zeichen.'],
  [
    'category',
    ['Customer', 'other', 'toString'],
    'Category: none of the choices.',
    'Kategorie: keine der Möglichkeiten.'
  ],
  ['favourite', ['yes', 'TRUE', '1'], 'Favourite: neither true nor false.', 'Favorit: weder ja noch nein.'],
  [
    'email',
    ['ada', '@example.com', 'ada@', 'ada@example', 'a b@example.com', 'a@b@example.com', 'a@example..com'],
    'Email: not an address.',
    'E-Mail: keine Adresse.'
  ],
  ['email', [`${'x'.repeat(250)}@a.de`], 'Email: at most 254 characters.', 'E-Mail: höchstens 254 Zeichen.'],
  [
    'phone',
    ['12', 'call me', '+49 30 <b>', '++49 30 1234', '٠١٢٣'],
    'Phone: not in the expected form.',
    'Telefon: unerwartete Schreibweise.'
  ],
  [
    'website',
    ['example.com', 'javascript:alert(1)', 'ftp://example.com', 'https://', 'http://a b', 'data:,x'],
    'Website: not a web address.',
    'Webseite: keine Webadresse.'
  ],
  [
    'call_at',
    ['24:00', '9:30', '12:60', '12:30:00', 'noon'],
    'Call time: not a time of day.',
    'Anrufzeit: keine Uhrzeit.'
  ],
  [
    'birthday',
    [
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '31-02-1990',
      '12-31-1990',
      '31-12-90',
      '31/12/1990',
      '0-1-1990',
      '-1-1-1990',
      '0000-01-01',
      '31.12.1990',
      '+12026-01-01'
    ],
    'Birthday: not a date.',
    'Geburtstag: kein Datum.'
  ],
  [
    'away',
    [
      '2026-12-20',
      '2026-12-20/',
      '/2026-12-20',
      '2027-01-06/2026-12-20',
      '2026-02-28/2026-02-30',
      '2026-12-20/2027-01-06/2027-01-07',
      '20-12-2026/06-01-2027/07-01-2027',
      '06-01-2027/20-12-2026',
      '20-12-2026/31-02-2027'
    ],
    'Away: a first and a last day.',
    'Abwesend: erster und letzter Tag.'
  ],
  [
    'team_size',
    ['1.5', '1e3', 'x', '0x10', 'Infinity', 'NaN', '1 000', '9'.repeat(400), '٣'],
    'Team size: not a whole number.',
    'Teamgröße: keine ganze Zahl.'
  ],
  ['team_size', ['-1', '100001'], 'Team size: from 0 to 100000.', 'Teamgröße: von 0 bis 100000.'],
  [
    'hourly_rate',
    ['1,2,3', '1e3', '.5', '1.', 'Infinity', '0.0000001', '1..2', '1.250,', '-', '12 50'],
    'Hourly rate: not a number.',
    'Stundensatz: keine Zahl.'
  ],
  ['hourly_rate', ['-0.01', '100000.01'], 'Hourly rate: from 0 to 100000.', 'Stundensatz: von 0 bis 100000.'],
  ...[
    'id',
    'updated_at',
    'updated_by',
    'line',
    'key',
    'version',
    'constructor',
    'toString',
    '',
    'x'.repeat(5000)
  ].map((id): [string, string[], string, string] => [
    id,
    ['7'],
    'This field cannot be changed.',
    'Dieses Feld ist nicht änderbar.'
  ])
]

t.test('a value that is wrong is refused in few words, and nothing is saved', async t => {
  const english = await startExample(t, { enabled: false })
  const german = await startExample(t, { enabled: false }, GERMAN)
  const before = await english.contacts.list()
  const { actions } = await english.getJson('/screen/contact?id=1')
  const { create } = (await english.getJson('/screen/contacts/new')).actions
  for (const [id, values, inEnglish, inGerman] of FAULTS)
    for (const value of values) {
      const name = `${id.slice(0, 20)}: ${JSON.stringify(value.slice(0, 40))}`
      const refused = [
        await english.save(actions.save, { company: 'Good', [id]: value }),
        await english.save(create, { name: 'Good', [id]: value }),
        await german.save(actions.save, { [id]: value })
      ]
      for (const { code, layout, status } of refused) {
        t.strictSame([code, layout], [200, 'Card'], name)
        t.ok(status.length <= LONGEST, name)
      }
      t.strictSame(
        refused.map(({ status }) => status),
        [`Error: ${inEnglish}`, `Error: ${inEnglish}`, `Error: ${inGerman}`],
        name
      )
    }
  t.strictSame(await english.contacts.list(), before)
})

t.test('a value at the edge of what is allowed is saved as it is', async t => {
  const { contacts, getJson, save } = await startExample(t, { enabled: false })
  const allowed = {
    name: `${'x'.repeat(98)}👩`,
    company: "O'Brien; DROP TABLE contacts -- <b>&amp;</b> {0} \u202e",
    category: 'friend',
    favourite: 'false',
    email: "o'brien+tag@sub.example.com",
    phone: '(020) 7946/0958-1',
    website: 'HTTPS://user@example.com:8443/a?b=c#d',
    call_at: '00:00',
    birthday: '2024-02-29',
    away: '2026-12-20/2026-12-20',
    team_size: '100000',
    hourly_rate: '0.000001',
    notes: `tab\there\n${'x'.repeat(1900)}`
  }
  const { actions } = await getJson('/screen/contact?id=1')
  t.match(await save(actions.save, allowed), { status: 'Saved.' })
  t.strictSame((await contacts.find(1))?.fields, allowed)
  const empty = Object.fromEntries(Object.keys(allowed).map(id => [id, '']))
  const next = (await getJson('/screen/contact?id=1')).actions
  t.match(await save(next.save, { ...empty, name: 'x' }), { status: 'Saved.' })
  t.strictSame((await contacts.find(1))?.fields, { ...empty, name: 'x' })
})

t.test('a choice may be a plain text, and where there are none nothing can be chosen', async t => {
  const field = { id: 'size', label: 'Size', type: 'Option', value: '' } as const
  t.equal(faultOf({ ...field, options: ['small'] }, 'small'), null)
  t.equal(faultOf({ ...field, options: [{ label: 'Large', value: 'l' }] }, 'l'), null)
  t.equal(faultOf({ ...field, options: [{ label: 'Large', value: 'l' }] }, 'Large'), 'Option')
  t.equal(faultOf(field, 'small'), 'Option')
})

t.test('a name is demanded of a new contact, also when none was typed', async t => {
  const { contacts, getJson, save } = await startExample(t, { enabled: false })
  const { create } = (await getJson('/screen/contacts/new')).actions
  t.match(await save(create, { company: 'x' }), { status: 'Error: Name is missing.', title: 'New contact' })
  t.equal((await contacts.list()).length, 5)
})

t.test(
  'whatever strings are posted, the response is a screen with a status, and a refusal changes nothing',
  async t => {
    const { contacts, getJson, save } = await startExample(t, { enabled: false })
    const ids = Object.keys((await contacts.find(1))?.fields ?? {})
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(unit => String.fromCharCode(unit)) }),
      fc.constantFrom(
        '2026-02-28',
        '2026-02-28/2026-03-01',
        '28-02-2026',
        '1.250',
        '62,5',
        '12:00',
        '7',
        '-0.5',
        'true',
        'friend',
        'a@b.de',
        '\0'
      )
    )
    const id = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: text })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(id, text, { maxKeys: 4 }), fc.boolean(), async (changes, isNew) => {
        const path = isNew ? '/screen/contacts/new' : '/screen/contact?id=1'
        const { actions } = await getJson(path)
        const before = await contacts.list()
        const url = isNew ? actions.create : actions.save
        const { code, layout, sections, status } = await save(url, changes)
        // A parser refuses __proto__ before anything is read.
        if (Object.hasOwn(changes, '__proto__')) return code === 400
        t.strictSame([code, layout, Array.isArray(sections)], [200, 'Card', true])
        t.match(status, /^(Error: .{1,35}|Saved\.|Created\.)$/)
        if (status.startsWith('Error:')) t.strictSame(await contacts.list(), before)
        return true
      }),
      { numRuns: 300 }
    )
  }
)
