// A client reads whatever a server sends.

import fc from 'fast-check'
import t from 'tap'
import { fieldsOf, readActionResponse, readAuthResponse, readScreen } from '../screen.ts'

t.test('what is no screen is null', async t => {
  for (const json of [undefined, null, 'Card', 7, [], {}, { layout: '' }, { layout: null }])
    t.equal(readScreen(json), null)
})

t.test('a screen of which nothing is known but the layout has every part, empty', async t => {
  t.strictSame(readScreen({ layout: 'Card' }), {
    layout: 'Card',
    title: 'Card',
    displayName: '',
    status: '',
    parentUrl: '',
    authAction: '',
    actions: { save: '', create: '', delete: '' },
    createUrl: '',
    screenActions: [],
    sections: [],
    menu: null,
    list: null,
    screenId: undefined,
    recordId: undefined,
    strings: new Map()
  })
  t.match(readScreen({ layout: 'Menu' }), { menu: { title: '', tabs: [] }, list: null })
  t.match(readScreen({ layout: 'List' }), { menu: null, list: { columns: [], rows: [] } })
})

t.test('a screen of another layout has all parts that it was sent with', async t => {
  const parts = { menu: { tabs: [] }, lines: { rows: [] }, sections: [{ label: 'A' }] }
  t.match(readScreen({ layout: 'HeaderLines', ...parts }), {
    menu: { tabs: [] },
    list: { rows: [] },
    sections: [{ label: 'A' }]
  })
})

t.test('every property of section 6 is read', async t => {
  const field = {
    id: 'a',
    label: 'A',
    type: 'Option',
    value: 'x',
    editable: true,
    focus: true,
    placeholder: 'p',
    options: ['x', { label: 'Y', value: 'y' }, { value: 'z' }, null],
    rows: 4,
    true_label: 'on',
    false_label: 'off',
    validation: { required: true, min: 0, max: 9, max_length: 5, pattern: '[a-z]' }
  }
  const { true_label, false_label, ...same } = field
  const read = {
    ...same,
    trueLabel: 'on',
    falseLabel: 'off',
    options: [
      { label: 'x', value: 'x' },
      { label: 'Y', value: 'y' },
      { label: 'z', value: 'z' },
      { label: '', value: '' }
    ],
    validation: { required: true, min: 0, max: 9, maxLength: 5, pattern: '[a-z]' }
  }
  const button = {
    id: 'b',
    label: 'B',
    kind: 'modal',
    endpoint: '/b',
    confirm_message: 'Sure?',
    fields: [field]
  }
  const screen = {
    layout: 'Card',
    title: 'T',
    screen_id: 's',
    record_id: 7,
    status: 'Saved.',
    parent_url: '/list',
    user_display_name: 'Ada',
    ui_strings: { save: 'Speichern', odd: 7 },
    actions: { save: '/s', create: '/c', delete: '/d' },
    screen_actions: [button, null],
    sections: [{ id: 'x', label: 'X', row_group: 1, column: 2, fields: [field] }]
  }
  t.strictSame(readScreen(screen), {
    layout: 'Card',
    title: 'T',
    displayName: 'Ada',
    status: 'Saved.',
    parentUrl: '/list',
    authAction: '',
    actions: { save: '/s', create: '', delete: '/d' },
    createUrl: '/c',
    screenActions: [
      { id: 'b', label: 'B', kind: 'modal', endpoint: '/b', confirmMessage: 'Sure?', fields: [read] }
    ],
    sections: [{ label: 'X', rowGroup: 1, fields: [read] }],
    menu: null,
    list: null,
    screenId: 's',
    recordId: 7,
    strings: new Map([
      ['save', 'Speichern'],
      ['odd', '7']
    ])
  })
})

t.test('a limit that is no number is none', async t => {
  const validation = { min: '1', max: null, max_length: {}, required: 'yes', pattern: 7 }
  const screen = readScreen({ layout: 'Card', sections: [{ fields: [{ id: 'a', validation, rows: '4' }] }] })
  t.match(screen && fieldsOf(screen)[0], {
    rows: 0,
    validation: { required: false, min: undefined, max: undefined, maxLength: undefined, pattern: '7' }
  })
})

t.test('the sections come by row group and column, and those without stay where they are', async t => {
  const labels = (...sections: object[]) =>
    readScreen({ layout: 'Card', sections })?.sections.map(({ label, rowGroup }) => [label, rowGroup])
  const placed = labels(
    { label: 'C', row_group: 1 },
    { label: 'B', row_group: 0, column: 1 },
    { label: 'A', row_group: 0, column: 0 },
    { label: 'D', row_group: 2, column: 'x' }
  )
  t.strictSame(placed, [
    ['A', 0],
    ['B', 0],
    ['C', 1],
    ['D', 2]
  ])
  t.strictSame(labels({ label: 'A' }, { label: 'B' }), [
    ['A', undefined],
    ['B', undefined]
  ])
})

t.test('a List and the Card of a record lead to the Card for a new record, where it is posted', async t => {
  const create = '/new'
  for (const screen of [
    { layout: 'List', actions: { create } },
    { layout: 'Card', record_id: 7, actions: { create } },
    { layout: 'Card', actions: { create, delete: '/d' } }
  ])
    t.match(readScreen(screen), { createUrl: create, actions: { create: '' } })
  for (const record_id of [undefined, null, ''])
    t.match(readScreen({ layout: 'Card', record_id, actions: { create, save: '/s' } }), {
      createUrl: '',
      actions: { create, save: '/s' }
    })
})

t.test('a field of a button may be required without a validation', async t => {
  const fields = [
    { id: 'a', required: true },
    { id: 'b', required: 'yes' }
  ]
  t.match(readScreen({ layout: 'Card', screen_actions: [{ id: 'b', fields }] })?.screenActions[0]?.fields, [
    { validation: { required: true } },
    { validation: { required: false } }
  ])
})

const listOf = (lines: unknown) => readScreen({ layout: 'List', lines })?.list

t.test('the columns of a list have a label, and numbers are on the right', async t => {
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
  const rows = [{ index: 0, values: ['x', 7, null, { deep: true }] }, { index: 1 }, null, { values: 'x' }]
  t.strictSame(listOf({ rows })?.rows, [
    { values: ['x', '7', '', ''], url: '' },
    { values: [], url: '' },
    { values: [], url: '' }
  ])
})

const urlOf = (on_select: unknown, ...values: unknown[]) =>
  listOf({ rows: [{ values }], on_select })?.rows[0]?.url

t.test('a chosen row opens `on_select`, with its values', async t => {
  t.equal(urlOf('/person?name={0}', 'ada', 'Ada'), '/person?name=ada')
  t.equal(urlOf('/{1}/{0}/{1}', 'a', 'b'), '/b/a/b')
  t.equal(urlOf('/all', 'a'), '/all')
  t.equal(urlOf('/{10}', ...Array(10).keys(), 'ten'), '/ten')
})

t.test('each value is encoded for a URL', async t => {
  t.equal(urlOf('/person?name={0}', 'Ada & Søn/?#'), '/person?name=Ada%20%26%20S%C3%B8n%2F%3F%23')
  t.equal(urlOf('{0}', 'javascript:alert(1)'), 'javascript%3Aalert(1)')
  t.equal(urlOf('/{0}', '{1}', 'x'), '/%7B1%7D')
  t.equal(urlOf('/{0}', '\ud800'), '/%EF%BF%BD', 'half a character')
})

t.test('a value that the row does not have is empty', async t => {
  t.equal(urlOf('/a?b={1}&c={99999999999}', 'x'), '/a?b=&c=')
})

t.test('without `on_select` no row can be chosen', async t => {
  for (const none of [undefined, null, '']) t.equal(urlOf(none, 'x'), '')
})

t.test('what has no label is called by the next best name', async t => {
  const screen = readScreen({
    layout: 'Card',
    sections: [
      'no section',
      7,
      null,
      { fields: ['no field', {}, { id: 'a' }, { id: 'b', label: 'B', editable: false }] }
    ]
  })
  t.strictSame(screen?.sections.length, 1)
  t.match(screen && fieldsOf(screen), [
    { id: '', label: '', type: '', value: '', editable: true, focus: false },
    { id: 'a', label: 'a', type: '', value: '', editable: true },
    { id: 'b', label: 'B', type: '', value: '', editable: false }
  ])
  const items = [
    {},
    { action: { type: 'separator' } },
    { action: { type: 'popup' } },
    { action: { type: 'open_url', url: '/x' } }
  ]
  t.strictSame(
    readScreen({ layout: 'Menu', menu: { tabs: [{ items }] } })?.menu?.tabs[0]?.items.map(
      ({ label }) => label
    ),
    ['', '', 'popup', '/x']
  )
})

t.test('popups end somewhere', async t => {
  const text = `{"layout":"Menu","menu":{"tabs":[{"items":${'[{"label":"x","action":{"type":"popup","items":'.repeat(5000)}[]${'}}]'.repeat(5000)}}]}}`
  let depth = 0
  let items = readScreen(JSON.parse(text))?.menu?.tabs[0]?.items
  for (; items?.[0] !== undefined; depth++) items = items[0].action.items
  t.equal(depth, 9)
})

t.test('an AuthResponse is a token, or an error, or none', async t => {
  const screen = { layout: 'Menu' }
  t.match(readAuthResponse({ success: true, token: 'x', error: null, screen }), { token: 'x', screen })
  t.strictSame(readAuthResponse({ success: true, token: 'x', screen: null }), {
    token: 'x',
    error: '',
    screen: null,
    redirect: ''
  })
  t.strictSame(readAuthResponse({ success: false, error: 'No.' }), {
    token: null,
    error: 'No.',
    screen: null,
    redirect: ''
  })
  t.strictSame(readAuthResponse({ success: false, token: 'x', error: null }), {
    token: null,
    error: '',
    screen: null,
    redirect: ''
  })
  for (const json of [
    null,
    {},
    { success: true },
    { success: true, token: '' },
    { success: 'true', token: 'x' }
  ])
    t.equal(readAuthResponse(json), null)
})

t.test('whatever JSON comes, reading it throws nothing, and every text is one', async t => {
  const keys = [
    'layout',
    'title',
    'sections',
    'fields',
    'menu',
    'tabs',
    'items',
    'action',
    'lines',
    'columns',
    'rows',
    'values',
    'on_select',
    'id',
    'label',
    'type',
    'validation',
    'options',
    'screen_actions',
    'actions',
    'ui_strings',
    'screen_id',
    'success'
  ]
  const json = fc.letrec(tie => ({
    value: fc.oneof({ maxDepth: 6 }, fc.jsonValue(), fc.array(tie('value')), tie('object')),
    object: fc.dictionary(fc.constantFrom(...keys, '__proto__'), tie('value'))
  })).value
  const isSafe = (value: unknown): boolean =>
    value === null ||
    ['string', 'boolean', 'number', 'undefined'].includes(typeof value) ||
    (value instanceof Map && [...value.values()].every(isSafe)) ||
    (typeof value === 'object' && Object.values(value).every(isSafe))
  fc.assert(
    fc.property(json, fc.constantFrom('Card', 'Menu', 'List', 'x'), (value, layout) => {
      readAuthResponse(value)
      return [value, { ...(value as object), layout }, { ...(value as object), success: true }].every(
        json => isSafe(readScreen(json)) && isSafe(readActionResponse(json))
      )
    }),
    { numRuns: 500 }
  )
  t.pass('500 values')
})
