// Dates and numbers in the form that a screen names, and as ISO 8601 and with a point; and what is neither.

import fc from 'fast-check'
import t from 'tap'
import { fromLocale, toLocale } from '../../../examples/server/locale.ts'
import type { Json } from '../process.ts'
import { startExample } from './in-process.ts'

const LOCALES = {
  en: { date_format: 'DD-MM-YYYY', decimal_separator: '.', thousand_separator: ',' },
  de: { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' },
  'en-US': { date_format: 'MM-DD-YYYY', decimal_separator: '.', thousand_separator: ',' }
} as const

const GERMAN = { 'accept-language': 'de' }

/** For each field what is typed, and what is shown then; without that it is shown as it was typed. */
const READ: Record<'en' | 'de', [field: string, typed: string, shown?: string][]> = {
  en: [
    ['birthday', '31-12-1990'],
    ['birthday', '1990-12-31', '31-12-1990'],
    ['birthday', '1-2-1990', '01-02-1990'],
    ['away', '20-12-2026/06-01-2027'],
    ['away', '2026-12-20/2027-01-06', '20-12-2026/06-01-2027'],
    ['hourly_rate', '62.5'],
    ['hourly_rate', '1,250.50', '1250.50'],
    ['hourly_rate', '0.5'],
    ['team_size', '1,250', '1250']
  ],
  de: [
    ['birthday', '31-12-1990'],
    ['birthday', '1990-12-31', '31-12-1990'],
    ['away', '2026-12-20/06-01-2027', '20-12-2026/06-01-2027'],
    ['hourly_rate', '62,5'],
    ['hourly_rate', '62.5', '62,5'],
    ['hourly_rate', '1.250,50', '1250,50'],
    ['hourly_rate', '1250'],
    ['team_size', '1.250', '1250']
  ]
}

/** The values of a Card by the name of the field. */
const valuesOf = ({ sections }: Json): Record<string, string> =>
  Object.fromEntries(sections.flatMap(({ fields }: Json) => fields.map(({ id, value }: Json) => [id, value])))

for (const language of ['en', 'de'] as const) {
  t.test(
    `dates and numbers are read as the screen names them, and as ISO 8601 and with a point, ${language}`,
    async t => {
      const example = await startExample(t, { enabled: false }, { 'accept-language': language })
      for (const [field, typed, shown = typed] of READ[language]) {
        const { actions } = await example.getJson('/screen/contact?id=1')
        const saved = await example.save(actions.save, { [field]: typed })
        t.match(saved.status, /^(Saved|Gespeichert)\.$/, typed)
        t.equal(valuesOf(saved)[field], shown, typed)
      }
    }
  )
}

t.test('a point in a German number that could be of either kind is refused', async t => {
  const { contacts, getJson, save } = await startExample(t, { enabled: false }, GERMAN)
  const { actions } = await getJson('/screen/contact?id=1')
  for (const hourly_rate of ['1.250', '-1.250', '12.345'])
    t.match(await save(actions.save, { hourly_rate }), { status: 'Error: Stundensatz: bitte ohne Punkt.' })
  t.equal((await contacts.find(1))?.fields.hourly_rate, '95.00')
})

t.test('a refusal because of a date or a number names the field, and nothing is saved', async t => {
  const { contacts, getJson, save } = await startExample(t, { enabled: false })
  const { actions } = await getJson('/screen/contact?id=1')
  for (const birthday of ['12-31-1990', '31-02-1990', '31-12-90', '31.12.1990', 'today'])
    t.match(await save(actions.save, { birthday }), { status: 'Error: Birthday: not a date.' }, birthday)
  for (const hourly_rate of ['62,5', '1,25', '12,50.5', '1,2500', 'much'])
    t.match(await save(actions.save, { hourly_rate }), { status: 'Error: Hourly rate: not a number.' })
  t.match((await contacts.find(1))?.fields, { birthday: '1988-03-14', hourly_rate: '95.00' })
})

t.test('a list shows what a person reads, in their language', async t => {
  const rowOf = async (headers = {}) => {
    const { getJson } = await startExample(t, { enabled: false }, headers)
    return (await getJson('/screen/contacts')).lines.rows[1].values
  }
  t.strictSame(await rowOf(), ['Bruno Keller', 'Keller & Töchter', '02-11-1969', '62.50', 'No', '2'])
  t.strictSame(await rowOf(GERMAN), ['Bruno Keller', 'Keller & Töchter', '02-11-1969', '62,50', 'Nein', '2'])
})

for (const [name, locale] of Object.entries(LOCALES)) {
  t.test(`every value is read as it was shown, ${name}`, async t => {
    const day = fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map(date => date.toISOString().slice(0, 10))
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,8})$/)
    const decimal = fc.tuple(fc.constantFrom('', '-'), digits, fc.stringMatching(/^(\.\d{1,2})?$/))
    const value = fc.oneof(
      fc.tuple(fc.constant('Date' as const), day),
      fc.tuple(
        fc.constant('DateRange' as const),
        fc.tuple(day, day).map(days => days.join('/'))
      ),
      fc.tuple(fc.constant('Integer' as const), digits),
      fc.tuple(
        fc.constant('Decimal' as const),
        decimal.map(parts => parts.join(''))
      )
    )
    fc.assert(
      fc.property(value, ([type, stored]) => {
        const shown = toLocale(type, stored, locale)
        t.ok(
          [stored, shown].every(typed => fromLocale(type, typed, locale) === stored),
          `${stored} ${shown}`
        )
      })
    )
  })
}

t.test('a long text is read as any other that has no form', async t => {
  for (const typed of [
    '1.'.repeat(30_000),
    `1${'.000'.repeat(15_000)}x`,
    '9'.repeat(60_000),
    '1-'.repeat(30_000)
  ])
    for (const type of ['Date', 'DateRange', 'Decimal', 'Integer'] as const)
      t.equal(fromLocale(type, typed, LOCALES.de)?.slice(0, 4), typed.slice(0, 4))
})
