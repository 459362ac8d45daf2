// A client reads whatever a server sends.

import fc from 'fast-check'
import t from 'tap'
import { fieldsOf, readAuthResponse, readSaved, readScreen } from '../../../examples/client/screen.js'

t.test('what is no screen is null', async t => {
  for (const json of [undefined, null, 'Card', 7, [], {}, { layout: 7 }, { layout: null }])
    t.equal(readScreen(json), null)
})

t.test('a screen of which nothing is known but the layout has every part, empty', async t => {
  t.strictSame(readScreen({ layout: 'Card' }), {
    layout: 'Card',
    title: 'Card',
    displayName: '',
    authAction: '',
    saveAction: '',
    saveLabel: '',
    sections: [],
    menu: null,
    list: null
  })
  t.match(readScreen({ layout: 'Menu' }), { menu: { title: '', tabs: [] }, list: null })
  t.match(readScreen({ layout: 'List' }), { menu: null, list: { columns: [], rows: [] } })
})

t.test('the rows of a list have a text for each column', async t => {
  const columns = [{ id: 'a', label: 'A' }, { id: 'toString' }, {}]
  const rows: unknown[] = [{ a: 'x', b: 'not shown' }, { a: { deep: true } }, null, { a: null, toString: 1 }]
  t.strictSame(readScreen({ layout: 'List', columns, rows })?.list, {
    columns: ['A', 'toString', 'Column'],
    rows: [
      { cells: ['x', '', ''], item: null },
      { cells: ['{"deep":true}', '', ''], item: null },
      { cells: ['', '1', ''], item: null }
    ]
  })
  t.strictSame(readScreen({ layout: 'List', rows: [{ a: 1, b: false }] })?.list, {
    columns: ['a', 'b'],
    rows: [{ cells: ['1', 'false'], item: null }]
  })
})

t.test('a row with an action is an item, which is called as its first cell', async t => {
  const columns = [{ id: 'a' }, { id: 'b' }]
  const action = { type: 'open_screen', url: '/x' }
  const popup = { type: 'popup', items: [{ label: 'Inner', action }] }
  const rows = [
    { a: 'ada', b: 'Ada', action },
    { a: 'grace', action: popup },
    { a: 'x', action: { type: 'message', text: 7 } }
  ]
  t.strictSame(readScreen({ layout: 'List', columns, rows })?.list?.rows, [
    { cells: ['ada', 'Ada'], item: { label: 'ada', action: { ...action, text: '', items: [] } } },
    {
      cells: ['grace', ''],
      item: {
        label: 'grace',
        action: {
          type: 'popup',
          url: '',
          text: '',
          items: [{ label: 'Inner', action: { ...action, text: '', items: [] } }]
        }
      }
    },
    { cells: ['x', ''], item: { label: 'x', action: { type: 'message', url: '', text: '7', items: [] } } }
  ])
})

t.test('a row whose first cell is empty has something to click on all the same', async t => {
  const action = { type: 'open_screen', url: '/x' }
  const read = (screen: object) => readScreen({ layout: 'List', ...screen })?.list
  for (const a of ['', ' \n', null, undefined]) {
    const rows = read({ columns: [{ id: 'a' }, { id: 'b' }], rows: [{ a, b: 'Ada', action }] })?.rows
    t.match(rows, [{ cells: ['Open', 'Ada'], item: { label: 'Open' } }])
  }
  for (const columns of [[], undefined]) {
    t.match(read({ columns, rows: [{ action }] }), { columns: ['Column'], rows: [{ cells: ['Open'] }] })
  }
})

t.test('an action that is none leaves the row plain', async t => {
  for (const action of [
    null,
    7,
    'open_screen',
    [],
    {},
    { url: '/x' },
    { type: '' },
    { type: 7 },
    { type: 'separator' }
  ]) {
    const list = readScreen({ layout: 'List', columns: [{ id: 'a' }], rows: [{ a: '', action }] })?.list
    t.strictSame(list?.rows, [{ cells: [''], item: null }], JSON.stringify(action))
  }
})

t.test('a list without columns shows its actions as no column, but a text of that name', async t => {
  const action = { type: 'open_screen', url: '/x' }
  const columnsOf = (...rows: object[]) => readScreen({ layout: 'List', rows })?.list?.columns
  t.strictSame(columnsOf({ a: 1, action }), ['a'])
  t.strictSame(columnsOf({ a: 1, action: null }, { a: 2, action }), ['a'])
  t.strictSame(columnsOf({ a: 1, action: 'login' }), ['a', 'action'])
  t.strictSame(columnsOf({ a: 1, action: 'login' }, { a: 2, action: 'logout' }), ['a', 'action'])
  t.strictSame(columnsOf(), [])
})

t.test('a Card may name the button that saves it', async t => {
  const label = (save_label: unknown) => readScreen({ layout: 'Card', save_label })?.saveLabel
  t.equal(label('Sign out everywhere'), 'Sign out everywhere')
  for (const none of ['', ' ', null, undefined]) t.equal(label(none), '')
  t.equal(label(7), '7')
})

t.test('what has no label is called by the next best name', async t => {
  const screen = readScreen({
    layout: 'Card',
    sections: [
      'no section',
      7,
      null,
      { fields: ['no field', {}, { id: 'a' }, { id: 'b', label: 'B', read_only: true }] }
    ]
  })
  t.strictSame(screen?.sections.length, 1)
  t.strictSame(screen && fieldsOf(screen), [
    { id: '', label: 'Field', type: '', value: '', readOnly: false },
    { id: 'a', label: 'a', type: '', value: '', readOnly: false },
    { id: 'b', label: 'B', type: '', value: '', readOnly: true }
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
    screen: null
  })
  t.strictSame(readAuthResponse({ success: false, error: 'No.' }), {
    token: null,
    error: 'No.',
    screen: null
  })
  t.strictSame(readAuthResponse({ success: false, token: 'x', error: null }), {
    token: null,
    error: '',
    screen: null
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
    'columns',
    'rows',
    'id',
    'label',
    'type',
    'save_label',
    'success'
  ]
  const json = fc.letrec(tie => ({
    value: fc.oneof({ maxDepth: 6 }, fc.jsonValue(), fc.array(tie('value')), tie('object')),
    object: fc.dictionary(fc.constantFrom(...keys, '__proto__'), tie('value'))
  })).value
  const texts = (value: unknown): boolean =>
    value === null ||
    ['string', 'boolean'].includes(typeof value) ||
    (typeof value === 'object' && Object.values(value).every(texts))
  fc.assert(
    fc.property(json, fc.constantFrom('Card', 'Menu', 'List', 'x'), (value, layout) => {
      readAuthResponse(value)
      readSaved(value)
      return texts(readScreen(value)) && texts(readScreen({ ...(value as object), layout }))
    }),
    { numRuns: 500 }
  )
  t.pass('500 values')
})
