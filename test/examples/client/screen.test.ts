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
    locale: '',
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

const listOf = (lines: unknown) => readScreen({ layout: 'List', lines })?.list

t.test('the columns of a list have a label, and numbers are on the right', async t => {
  const columns = [{ id: 'a', label: 'A', align: 'left' }, { id: 'b', align: 'right' }, {}, null]
  t.strictSame(listOf({ columns })?.columns, [
    { label: 'A', isRight: false },
    { label: 'b', isRight: true },
    { label: 'Column', isRight: false }
  ])
})

t.test('the rows of a list are texts', async t => {
  const rows = [{ index: 0, values: ['x', 7, null, { deep: true }] }, { index: 1 }, null, { values: 'x' }]
  t.strictSame(listOf({ rows })?.rows, [
    { cells: ['x', '7', '', '{"deep":true}'], item: null },
    { cells: [], item: null },
    { cells: [], item: null }
  ])
})

const urlOf = (on_select: unknown, ...values: unknown[]) =>
  listOf({ rows: [{ values }], on_select })?.rows[0]?.item?.action.url

t.test('a chosen row opens `on_select`, with its values', async t => {
  t.match(listOf({ rows: [{ values: ['ada', 'Ada'] }], on_select: '/person?name={0}' })?.rows, [
    {
      cells: ['ada', 'Ada'],
      item: { label: 'ada', action: { type: 'open_screen', url: '/person?name=ada' } }
    }
  ])
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

t.test('without `on_select` no row can be opened', async t => {
  for (const none of [undefined, null, '']) t.equal(urlOf(none, 'x'), undefined)
})

t.test('a row whose first cell is empty has something to click on all the same', async t => {
  for (const first of ['', ' \n', null])
    t.match(listOf({ rows: [{ values: [first, 'Ada'] }], on_select: '/x' })?.rows, [
      { cells: ['Open', 'Ada'], item: { label: 'Open' } }
    ])
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
      { fields: ['no field', {}, { id: 'a' }, { id: 'b', label: 'B', editable: false }] }
    ]
  })
  t.strictSame(screen?.sections.length, 1)
  t.strictSame(screen && fieldsOf(screen), [
    { id: '', label: 'Field', type: '', value: '', editable: true },
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
    'lines',
    'columns',
    'rows',
    'values',
    'on_select',
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
