// Reads any JSON of a server, with dates and numbers in the form of the screen's locale.

import t from 'tap'
import { fromLocale, toLocale } from '../locale.ts'
import { readReply, readScreen } from '../reader.ts'
import { fieldsOf } from '../screen.ts'

/** Reads a Card with these fields. */
const fieldsRead = (fields: unknown[]) => {
  const screen = readScreen({ layout: 'Card', sections: [{ fields }] })
  return screen && fieldsOf(screen)
}

const same = { id: 'a', label: 'A', type: 'Option', value: 'x', editable: true, focus: true, rows: 4 }
const limits = { required: true, min: 0, max: 9, pattern: '[a-z]' }
const field = {
  ...same,
  placeholder: 'p',
  options: ['x', { label: 'Y', value: 'y' }, { value: 'z' }, null],
  true_label: 'on',
  false_label: 'off',
  validation: { ...limits, min_length: 2, max_length: 5 }
}
const button = { id: 'b', label: 'B', kind: 'modal', endpoint: '/b' }
/** A screen with every property that the client reads. */
const FULL = {
  layout: 'Card',
  title: 'T',
  screen_id: 's',
  record_id: 7,
  status: 'Saved.',
  parent_url: '/list',
  auth_action: '/login',
  user_display_name: 'Ada',
  ui_strings: { save: 'Speichern', odd: 7 },
  locale: { date_format: 'MM-DD-YYYY', decimal_separator: '.', thousand_separator: ',' },
  actions: { save: '/s', create: '/c', delete: '/d' },
  screen_actions: [{ ...button, confirm_message: 'Sure?', fields: [field] }, null],
  sections: [{ id: 'x', label: 'X', row_group: 1, column: 2, fields: [field] }],
  menu: { panel_title: 'P', tabs: [{ label: 'T', items: [{ label: 'I', action: { type: 'message', text: 'Hi' } }] }] },
  lines: {
    columns: [{ id: 'c', label: 'C', type: 'Decimal', align: 'left' }],
    rows: [{ values: ['1,250.5'] }],
    on_select: '/{0}'
  }
}

t.test('every known property is read', async t => {
  const read = {
    ...same,
    placeholder: 'p',
    options: ['xx', 'Yy', 'zz', ''].map(([label = '', value = '']) => ({ label, value })),
    trueLabel: 'on',
    falseLabel: 'off',
    validation: { ...limits, minLength: 2, maxLength: 5 }
  }
  t.strictSame(readScreen(FULL), {
    layout: 'Card',
    title: 'T',
    displayName: 'Ada',
    status: 'Saved.',
    parentUrl: '/list',
    authAction: '/login',
    actions: { save: '/s', create: '', delete: '/d' },
    createUrl: '/c',
    screenActions: [{ ...button, confirmMessage: 'Sure?', fields: [read] }],
    sections: [{ label: 'X', rowGroup: 1, fields: [read] }],
    menu: {
      title: 'P',
      tabs: [{ label: 'T', items: [{ label: 'I', action: { type: 'message', url: '', text: 'Hi', items: [] } }] }]
    },
    list: {
      columns: [{ label: 'C', type: 'Decimal', align: 'left' }],
      rows: [{ values: ['1250.5'], url: '/1%2C250.5' }]
    },
    screenId: 's',
    recordId: 7,
    strings: new Map(Object.entries({ save: 'Speichern', odd: '7' })),
    locale: FULL.locale
  })
})

/** The paths of all properties in JSON, at any depth. */
const pathsIn = (json: unknown): string[][] =>
  json instanceof Object
    ? Object.entries(json).flatMap(([key, value]) => [[key], ...pathsIn(value).map(path => [key, ...path])])
    : []

/** Returns a copy in which one property is null, or missing. */
function without(json: object, path: string[], isNull: boolean): object {
  const copy = structuredClone(json)
  const last = path.at(-1) as string
  const parent = path.slice(0, -1).reduce<Record<string, never>>((one, key) => one[key] ?? {}, copy as never)
  if (isNull) parent[last] = null as never
  else delete parent[last]
  return copy
}

t.test('null means the same as a missing property, at any depth', async t => {
  for (const path of pathsIn(FULL).filter(path => !/^\d+$/.test(path.at(-1) ?? ''))) {
    const [one, other] = [true, false].map(isNull => ({ ...readScreen(without(FULL, path, isNull)), locale: null }))
    t.strictSame(one, other, path.join('.'))
  }
  const texts = { token: 'x', message: 'm', error: 'e', push_url: '/p', redirect_url: '/r' }
  const reply = { success: true, screen: FULL, ...texts }
  for (const key of Object.keys(reply))
    t.strictSame(readReply(without(reply, [key], true)), readReply(without(reply, [key], false)))
  const redirect = { redirect: '/a', layout: null, success: null }
  t.match(readReply({ success: true, token: 'x', screen: redirect }), { url: '/a' })
})

t.test('a limit that is no number is ignored, and a field of a button has `required` outside `validation`', async t => {
  const validation = { min: '1', max: null, max_length: {}, required: 'yes', pattern: 7 }
  const none = { required: false, min: undefined, max: undefined, minLength: undefined, maxLength: undefined }
  t.match(fieldsRead([{ id: 'a', validation, rows: '4' }, { required: true }, { required: 'yes' }]), [
    { rows: 0, validation: { ...none, pattern: '7' } },
    { validation: { required: true } },
    { validation: { required: false } }
  ])
})

t.test('sections are sorted by row group and column, and keep their order without them', async t => {
  const labels = (...sections: object[]) =>
    readScreen({ layout: 'Card', sections })?.sections.map(({ label, rowGroup }) => `${label} ${rowGroup}`)
  const placed = labels(
    { label: 'C', row_group: 1 },
    { label: 'B', row_group: 0, column: 1 },
    { label: 'A', row_group: 0, column: 0 },
    { label: 'D', row_group: 2, column: 'x' }
  )
  t.strictSame(placed, ['A 0', 'B 0', 'C 1', 'D 2'])
  t.strictSame(labels({ label: 'A' }, { label: 'B' }), ['A undefined', 'B undefined'])
})

t.test('`create` is the URL of a new Card on a List and on the Card of a record, else the URL to post to', async t => {
  const create = '/new'
  for (const screen of [
    { layout: 'List', actions: { create } },
    { layout: 'Card', record_id: 7, actions: { create } },
    { layout: 'Card', actions: { create, delete: '/d' } }
  ])
    t.match(readScreen(screen), { createUrl: create, actions: { create: '' } })
  for (const record_id of [undefined, null, '']) {
    const actions = { create, save: '/s' }
    t.match(readScreen({ layout: 'Card', record_id, actions }), { createUrl: '', actions })
  }
})

t.test('a Menu has a menu and a List has a table, also without content', async t => {
  t.match(readScreen({ layout: 'Menu' }), { menu: { tabs: [] }, list: null })
  t.match(readScreen({ layout: 'List' }), { menu: null, list: { rows: [] } })
  t.match(readScreen({ layout: 'Card' }), { menu: null, list: null })
})

const listOf = (lines: unknown) => readScreen({ layout: 'List', lines })?.list

t.test('the columns of a list have a label, and numbers are aligned right', async t => {
  const columns = [
    { id: 'a', label: 'A', align: 'left', type: 'Integer' },
    { id: 'b', align: 'center' },
    { type: 'Integer' },
    { type: 'Decimal', align: 'top' },
    { type: 'Date' },
    null
  ]
  t.strictSame(listOf({ columns })?.columns, [
    { label: 'A', type: 'Integer', align: 'left' },
    { label: 'b', type: '', align: 'center' },
    { label: '', type: 'Integer', align: 'right' },
    { label: '', type: 'Decimal', align: 'right' },
    { label: '', type: 'Date', align: 'left' }
  ])
})

t.test('the rows of a list are texts', async t => {
  const rows = [{ index: 0, values: ['x', 7, null, { deep: true }, ['list']] }, { index: 1 }, null, { values: 'x' }]
  const read = [['x', '7', '', '', ''], [], []].map(values => ({ values, url: '' }))
  t.strictSame(listOf({ rows })?.rows, read)
})

t.test('the URL of a row is `on_select` with the encoded values', async t => {
  for (const [on_select, values, url] of [
    ['/person?name={0}', ['ada', 'Ada'], '/person?name=ada'],
    ['/{1}/{0}/{1}', ['a', 'b'], '/b/a/b'],
    ['/all', ['a'], '/all'],
    ['/{10}', [...Array(10).keys(), 'ten'], '/ten'],
    ['/person?name={0}', ['Ada & Søn/?#'], '/person?name=Ada%20%26%20S%C3%B8n%2F%3F%23'],
    ['{0}', ['javascript:alert(1)'], 'javascript%3Aalert(1)'],
    ['/{0}', ['{1}', 'x'], '/%7B1%7D'],
    // A lone surrogate.
    ['/{0}', ['\ud800'], '/%EF%BF%BD'],
    ['/a?b={1}&c={99999999999}', ['x'], '/a?b=&c='],
    [undefined, ['x'], ''],
    ['/{0}{0}', ['x'.repeat(1_500)], ''],
    ['/{0}', ['x'.repeat(1_896)], `/${'x'.repeat(1_896)}`],
    ['/{0}', ['x'.repeat(1_897)], ''],
    ['{0}'.padEnd(1_900, 'x'), [''], 'x'.repeat(1_897)],
    ['/{0}'.repeat(1_000), ['x'], '']
  ] as const)
    t.equal(listOf({ rows: [{ values }], on_select })?.rows[0]?.url, url)
})

t.test('the default label is the id, the URL or the type', async t => {
  const fields = ['no field', {}, { id: 'a' }, { id: 'b', label: 'B', editable: false }]
  const screen = readScreen({ layout: 'Card', sections: ['no section', 7, null, { fields }] })
  t.strictSame(screen?.sections.length, 1)
  t.match(screen && fieldsOf(screen), [
    { id: '', label: '', type: '', value: '', editable: true, focus: false },
    { id: 'a', label: 'a', type: '', value: '', editable: true },
    { id: 'b', label: 'B', type: '', value: '', editable: false }
  ])
  const actions = [undefined, { type: 'separator' }, { type: 'popup' }, { type: 'open_url', url: '/x' }]
  const menu = { tabs: [{ items: actions.map(action => ({ action })) }] }
  const items = readScreen({ layout: 'Menu', menu })?.menu?.tabs[0]?.items
  t.strictSame(
    items?.map(({ label }) => label),
    ['', '', 'popup', '/x']
  )
})

t.test('popups are read to a limited depth', async t => {
  const popups = '[{"label":"x","action":{"type":"popup","items":'.repeat(5000)
  const text = `{"layout":"Menu","menu":{"tabs":[{"items":${popups}[]${'}}]'.repeat(5000)}}]}}`
  let depth = 0
  let items = readScreen(JSON.parse(text))?.menu?.tabs[0]?.items
  for (; items?.[0] !== undefined; depth++) items = items[0].action.items
  t.equal(depth, 9)
})

t.test('the reply to a login has a token or an error; other JSON is null', async t => {
  const none = { success: true, token: '', message: '', error: '', screen: null, url: '', replaces: true }
  const [withToken, refused, withError] = [
    { ...none, token: 'x' },
    { ...none, success: false },
    { ...none, success: false, error: 'No.' }
  ]
  const screen = { layout: 'Menu' }
  t.match(readReply({ success: true, token: 'x', error: null, screen }), { token: 'x', screen })
  for (const [json, read] of [
    [{ success: true, token: 'x', screen: null }, withToken],
    [{ success: false, error: 'No.' }, withError],
    [{ success: false, token: 'x', error: null }, refused],
    [null, null],
    [{}, null],
    [{ success: true }, none],
    [{ success: true, token: '' }, none],
    [{ success: 'true', token: 'x' }, null]
  ] as const)
    t.strictSame(readReply(json), read)
})

const GERMAN = { date_format: 'DD-MM-YYYY', decimal_separator: ',', thousand_separator: '.' } as const
const AMERICAN = { date_format: 'MM-DD-YYYY', decimal_separator: '.', thousand_separator: ',' } as const

/** The value of a field, as the view receives it. */
const shown = (field: object, locale: unknown) =>
  readScreen({ layout: 'Card', locale, sections: [{ fields: [field] }] })?.sections[0]?.fields[0]?.value

const read = (type: string, value: string, locale: unknown) => shown({ type, value }, locale)

t.test('a value becomes ISO 8601 or has a decimal point; in another form it stays unchanged', async t => {
  for (const [type, sent, expected] of [
    ['Date', '31-12-1990', '1990-12-31'],
    ['Date', '1-2-1990', '1990-02-01'],
    ['DateRange', '20-12-2026/06-01-2027', '2026-12-20/2027-01-06'],
    ['DateRange', '/06-01-2027', '/2027-01-06'],
    ['Decimal', '62,5', '62.5'],
    ['Decimal', '-1.234.567,50', '-1234567.50'],
    ['Decimal', '-0,50', '-0.50'],
    ['Decimal', ',5', '0.5'],
    ['Integer', '1.250', '1250'],
    ['Integer', '1250,0', '1250']
  ] as const)
    t.equal(read(type, sent, GERMAN), expected, `${type} ${sent}`)
  for (const [type, ...values] of [
    ['Date', '1990-12-31', '31.12.1990', '31-12-90', 'on 31-12-1990', '31-12-19900'],
    ['Decimal', '62.5', '0.123', '1.2345', '1,2,3', 'x1', '1,5x', '1234.567', '1,', ''],
    ['Text', '31-12-1990', '62,5']
  ] as const)
    for (const value of values) t.equal(read(type, value, GERMAN), value, `${type} ${value}`)
  t.equal(read('Date', '12-31-1990', AMERICAN), '1990-12-31')
  t.equal(read('Decimal', '1,250.5', AMERICAN), '1250.5')
})

t.test('a locale has the defaults of other clients, and without a locale numbers stay unchanged', async t => {
  for (const locale of [{}, { date_format: 7, decimal_separator: null, thousand_separator: [] }]) {
    t.equal(read('Date', '31-12-1990', locale), '1990-12-31')
    t.equal(read('Decimal', '1250,5', locale), '1250.5')
  }
  t.equal(read('Decimal', '1.250,5', {}), '1250.5')
  for (const locale of [undefined, null, 'de', 7]) {
    t.equal(read('Date', '31-12-1990', locale), '1990-12-31')
    for (const number of ['62,5', '1.250', '1250']) t.equal(read('Decimal', number, locale), number)
  }
  t.equal(read('Decimal', '1250,5', { decimal_separator: '', thousand_separator: '' }), '1250.5')
  t.equal(read('Decimal', '1.250', { decimal_separator: ',', thousand_separator: '' }), '1.250')
})

t.test('a separator may be any text without a digit and a minus', async t => {
  const digits = '1'.repeat(60_000)
  for (const separator of ['z-a', '1', '-', 'e', '11', '.*', 'x'.repeat(10_000), 7, [',']]) {
    const locale = { decimal_separator: separator, thousand_separator: separator }
    for (const value of ['62,5', `1${separator}250`, digits, `${digits}x`])
      t.equal(read('Decimal', value, locale), value)
  }
  const both = { decimal_separator: ',', thousand_separator: ',' }
  for (const [sent, data = sent] of [['1,5', '1.5'], ['1,250'], ['1,250,5'], ['1,250,250', '1250250']] as const)
    t.equal(read('Decimal', sent, both), data)
  for (const separator of [']', '^', '\\', ' ', "'", '\u202f', '$'])
    t.equal(read('Decimal', `-1${separator}250,5`, { thousand_separator: separator }), '-1250.5', separator)
  for (const separator of [']', '.*', 'comma'])
    t.equal(read('Decimal', `1${separator}5`, { decimal_separator: separator }), '1.5', separator)
})

t.test('placeholders and the fields of buttons are converted, too', async t => {
  const day = { type: 'Date', placeholder: '31-12-1990', value: '31-12-1990' }
  const read = { placeholder: '1990-12-31', value: '1990-12-31' }
  const screen = { layout: 'Card', locale: GERMAN, sections: [{ fields: [day] }], screen_actions: [{ fields: [day] }] }
  t.match(readScreen(screen), { sections: [{ fields: [read] }], screenActions: [{ fields: [read] }] })
})

t.test('data is written in the format of the locale', async t => {
  for (const [type, data, german, american = german] of [
    ['Date', '1990-12-31', '31-12-1990', '12-31-1990'],
    ['DateRange', '2026-12-20/2027-01-06', '20-12-2026/06-01-2027', '12-20-2026/01-06-2027'],
    ['Decimal', '-1250.50', '-1250,50', '-1250.50'],
    ['Integer', '1250', '1250'],
    ['Text', '62.5', '62.5'],
    ['Date', 'soon', 'soon']
  ] as const) {
    t.equal(toLocale(type, data, GERMAN), german)
    t.equal(toLocale(type, data, AMERICAN), american)
    t.equal(fromLocale(type, german, GERMAN), data)
    t.equal(fromLocale(type, data, undefined), data)
    for (const locale of [undefined, { date_format: 'D.M.Y', decimal_separator: 1 }])
      t.equal(toLocale(type, data, locale), data)
  }
  for (const text of ['1.5', 'x']) t.equal(fromLocale('Decimal', text, GERMAN), null)
  for (const text of ['62,5', '1,250']) t.equal(fromLocale('Decimal', text, undefined), null)
})
