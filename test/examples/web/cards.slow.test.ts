// The Cards of the web client, and the screens with an unknown layout.

import type { Test } from 'tap'
import { deferred } from '../../helpers.ts'
import { appOf, cardOf, openAt, openExample, test } from './browser.ts'

/** Returns a field whose label is its id. */
const fieldOf = (id: string, type: string, more: object = {}) => ({ id, label: id, type, value: '', ...more })

/** Opens a page with a Card of these fields. `saved` collects the requests of its saves. */
async function cardPage(t: Test, fields: object[], { card = {} as object, respond = {}, options = {} } = {}) {
  const app = await appOf(t, { card: cardOf(fields, card) })
  const saved: { changes: object }[] = []
  app.post('/save', async request => {
    saved.push(request.body as { changes: object })
    return { ...cardOf(fields), ...respond }
  })
  const page = await openAt(t, app, options)
  await page.choose('card', 'Card')
  return {
    page,
    saved,
    save: () => page.getByRole('button', { name: 'Save' }).click(),
    has: (label: string, ...names: string[]) =>
      Promise.all(names.map(name => page.getByLabel(label, { exact: true }).getAttribute(name)))
  }
}

test('dates and numbers in the format of a language are edited with inputs of the browser', async t => {
  const { page, url } = await openExample(t, { locale: 'fr-FR' }, { SVC_LANGUAGE: 'de', SVC_AUTH: 'false' })
  const birthday = page.getByLabel('Geburtstag')
  const rate = page.getByLabel('Stundensatz')
  await page.untilTitle('Hauptmenü')
  await page.goto(`${url}/#/screen/contact?id=2`)
  await page.untilTitle('Bruno Keller')
  t.strictSame([await birthday.inputValue(), await rate.inputValue()], ['1969-11-02', '62,50'])
  await rate.fill('1.250')
  await rate.press('Enter')
  await page.untilMessage(/^Stundensatz: bitte ohne Punkt\.$/)
  await birthday.fill('1970-01-31')
  await rate.fill('1250,25')
  await rate.press('Enter')
  await page.untilMessage(/^Gespeichert\.$/, 'status')
  await page.reload()
  await page.untilTitle('Bruno Keller')
  t.strictSame([await birthday.inputValue(), await rate.inputValue()], ['1970-01-31', '1250,25'])
})

test('each type of field uses the matching control of the browser', async t => {
  const controls = {
    Text: 'text',
    Integer: 'text numeric',
    Decimal: 'text decimal',
    Date: 'date',
    Time: 'time',
    Email: 'email',
    Phone: 'tel',
    URL: 'url',
    Password: 'password',
    TextArea: 'textarea',
    Boolean: 'checkbox',
    Option: 'select-one',
    Gauge: 'text'
  }
  const fields = Object.keys(controls).map(type => fieldOf(type, type, { options: ['a', 'b'] }))
  const { page } = await cardPage(t, fields)
  const kinds = "[...document.querySelectorAll('[id^=field]')].map(one => (one.type + ' ' + one.inputMode).trim())"
  t.strictSame(await page.evaluate(kinds), Object.values(controls))
  t.strictSame(await page.violations(), [])
})

test('a save sends the changed values and nothing else', async t => {
  const { page, saved, save } = await cardPage(t, [
    fieldOf('Text', 'Text', { value: 'same' }),
    fieldOf('Number', 'Decimal', { value: '1.50' }),
    fieldOf('Day', 'Date'),
    fieldOf('Flag', 'Boolean', { value: 'false' }),
    fieldOf('Kind', 'Option', { value: 'a', options: [{ label: 'Bee', value: 'b' }, 'a'] }),
    fieldOf('Away', 'DateRange'),
    { id: 'line', type: 'Separator' },
    fieldOf('Fixed', 'Text', { value: 'x', editable: false })
  ])
  await page.getByLabel('Number').fill('2.25')
  await page.getByLabel('Day').fill('2026-11-21')
  await page.getByLabel('Flag').check()
  await page.getByLabel('Kind').selectOption('Bee')
  const away = page.getByRole('group', { name: 'Away' })
  await away.getByLabel('From').fill('2026-12-20')
  await away.getByLabel('To').fill('2027-01-06')
  await save()
  await page.untilMessage(/Saved/, 'status')
  t.strictSame(saved[0]?.changes, {
    Number: '2.25',
    Day: '2026-11-21',
    Flag: 'true',
    Kind: 'b',
    Away: '2026-12-20/2027-01-06'
  })
})

test('a value that does not fit its control is shown unchanged, and does not block the save of others', async t => {
  const values = {
    Date: 'soon',
    Integer: 'many',
    Time: 'noon',
    DateRange: 'May',
    Text: 'one\ntwo',
    Option: 'z'
  }
  const fields = Object.entries(values).map(([type, value]) => fieldOf(type, type, { value, options: ['a'] }))
  const { page, save } = await cardPage(t, fields)
  for (const [type, value] of Object.entries(values))
    t.equal(await page.getByLabel(type, { exact: true }).inputValue(), value, type)
  await page.getByLabel('Text', { exact: true }).fill('three')
  await save()
  await t.resolves(page.untilMessage(/Saved/, 'status'))
})

test('a control has the constraints of its field', async t => {
  const validation = { required: true, max_length: 9 }
  const { has } = await cardPage(t, [
    fieldOf('Name', 'Text', { placeholder: 'First and last', validation }),
    fieldOf('Notes', 'TextArea', { rows: 7 })
  ])
  t.strictSame(await has('Name', 'aria-required', 'placeholder', 'maxlength'), ['true', 'First and last', '9'])
  t.strictSame(await has('Notes', 'rows'), ['7'])
})

test('each invalid field shows its error, the first one has the focus, and nothing is sent', async t => {
  const { page, saved, save, has } = await cardPage(t, [
    fieldOf('Fine', 'Text'),
    fieldOf('Name', 'Text', { validation: { required: true } }),
    fieldOf('Email', 'Email')
  ])
  await page.getByLabel('Email').fill('nobody')
  await save()
  t.equal(await page.focused(), 'Name')
  const [id] = await has('Name', 'aria-describedby')
  t.equal(await page.locator(`[id="${id}"]`).textContent(), 'Fill in this field.')
  for (const [label, invalid] of Object.entries({ Fine: null, Name: 'true', Email: 'true' }))
    t.strictSame(await has(label, 'aria-invalid'), [invalid])
  t.strictSame(await page.violations(), [])

  await page.getByLabel('Name').fill('Ada')
  t.strictSame(await has('Name', 'aria-invalid'), [null], 'the error disappears at once')
  await page.getByLabel('Email').fill('ada@example.com')
  t.strictSame(saved, [])
  await page.pressKeys('Enter')
  await page.untilMessage(/Saved/, 'status')
  t.equal(saved.length, 1)
})

test('a date range needs both days, and must not end before it begins', async t => {
  const away = fieldOf('Away', 'DateRange', { value: '2026-12-20/2027-01-06' })
  const { page, saved, save, has } = await cardPage(t, [away])
  for (const to of ['2026-12-01', '']) {
    await page.getByLabel('To').fill(to)
    await save()
    t.strictSame(await has('To', 'aria-invalid'), ['true'])
  }
  await page.getByLabel('From').fill('')
  await save()
  await page.untilMessage(/Saved/, 'status')
  t.match(saved, [{ changes: { Away: '' } }])
})

test('the field with `focus` has the focus', async t => {
  const { page } = await cardPage(t, [fieldOf('A', 'Text'), fieldOf('B', 'Text', { value: 'x', focus: true })])
  t.equal(await page.focused(), 'B')
})

for (const [refusal, place, focus, invalid] of [
  ['No room for it.', '#error', 'Save', null],
  ['Rate: not a number.', 'form .fault', 'Rate', 'true']
] as const)
  test(`a refusal is shown once, and the input stays: ${refusal}`, async t => {
    const respond = { status: `Error: ${refusal}` }
    const { page, save, has } = await cardPage(t, [fieldOf('Fine', 'Text'), fieldOf('Rate', 'Text')], { respond })
    await page.getByLabel('Rate').fill('typed')
    await save()
    t.equal(await page.locator(place).filter({ hasText: /./ }).textContent(), refusal)
    t.equal(await page.getByText(refusal).count(), 1)
    t.match(await page.focused(), focus)
    // A screen reader reads the description of a field that receives the focus.
    t.equal(await page.getByRole('alert').filter({ hasText: refusal }).count(), focus === 'Rate' ? 0 : 1, 'read once')
    t.equal(await page.getByLabel('Rate').inputValue(), 'typed')
    t.strictSame(await has('Rate', 'aria-invalid'), [invalid])
    t.strictSame(await page.violations(), [])
  })

test('the mouse wheel does not change a number', async t => {
  const { page } = await cardPage(t, [fieldOf('Size', 'Integer', { value: '5' })])
  await page.getByLabel('Size').click()
  await page.mouse.wheel(0, 300)
  await page.waitForTimeout(100)
  t.equal(await page.getByLabel('Size').inputValue(), '5')
})

test('a long value is fully visible on a phone, and Enter saves it as one line', async t => {
  const value = `https://example.com/${'a-long-path/'.repeat(9)}`
  const options = { viewport: { width: 360, height: 640 } }
  const { page, saved } = await cardPage(t, [fieldOf('Site', 'URL', { value })], { options })
  const fits = 'one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight'
  t.ok(await page.evaluate(`(${fits})(document.querySelector('[name=Site]'))`))
  await page.getByLabel('Site').press('End')
  await page.keyboard.type('x')
  await page.getByText('Unsaved changes').waitFor()
  await page.pressKeys('Enter')
  await page.untilMessage(/Saved/, 'status')
  t.match(saved, [{ changes: { Site: `${value}x` } }])
})

test('read-only values have the format of the browser locale and the labels of the server', async t => {
  const labels = { true_label: 'On', false_label: 'Off' }
  const fields = [
    fieldOf('Day', 'Date', { value: '2026-11-03' }),
    fieldOf('Rate', 'Decimal', { value: '1234.50' }),
    fieldOf('Flag', 'Boolean', { value: 'true' }),
    fieldOf('Word', 'Password', { value: 'secret' }),
    fieldOf('Lamp', 'Boolean', { value: 'false', ...labels }),
    fieldOf('None', 'Text')
  ]
  const { page } = await cardPage(t, fields, { card: { actions: {} }, options: { locale: 'de-DE' } })
  const texts = await page.getByRole('definition').allTextContents()
  t.strictSame(texts, ['03.11.2026', '1.234,50', 'Yes', '••••••••', 'Off', '–'])
})

test('a read-only address is a link, unless it is unsafe', async t => {
  const fields = [
    ['Email', 'ada@example.com'],
    ['Phone', '+44 (0)20 123'],
    ['URL', 'https://example.com/'],
    ['URL', 'javascript:alert(1)'],
    ['Email', 'ada@example.com?body=x'],
    ['Phone', 'call me']
  ].map(([type = '', value], id) => fieldOf(`${id}`, type, { value, editable: false }))
  const { page } = await cardPage(t, fields)
  const links = await Promise.all((await page.locator('dd a').all()).map(one => one.getAttribute('href')))
  t.strictSame(links, ['mailto:ada@example.com', 'tel:+44020123', 'https://example.com/'])
})

test('an unknown layout shows its known parts, or a message if it has none', async t => {
  const screens = {
    Chart: [{ layout: 'Chart' }, 'does not support the layout "Chart"'],
    Mixed: [
      {
        layout: 'Mixed',
        sections: [{ fields: [{ id: 'a', label: 'A', value: 'b' }] }],
        lines: { columns: [{ label: 'n' }], rows: [{ values: [1] }] }
      },
      /Ab.*n1/
    ],
    Nobody: [{ layout: 'List', lines: { columns: [{ id: 'a', label: 'A' }] } }, /A.*Nothing here yet/],
    Bare: [{ layout: 'Card' }, 'empty'],
    Vacant: [{ layout: 'Menu' }, 'empty']
  } as Record<string, [object, string | RegExp]>
  const titled = Object.entries(screens).map(([title, [screen]]) => [title, { title, ...screen }])
  const page = await openAt(t, await appOf(t, Object.fromEntries(titled)))
  for (const [name, [, shown]] of Object.entries(screens)) {
    await page.choose(name, name)
    t.match(await page.locator('main').textContent(), shown)
    t.strictSame(await page.violations(), [], name)
    t.equal(await page.locator('#display-name').textContent(), 'Ada Lovelace', 'on every screen')
    await page.locator('#menu-link').click()
    await page.untilTitle('Main Menu')
  }
})

test('during a save the button shows the progress, a second click sends nothing, and fields are read-only', async t => {
  const app = await appOf(t, { card: cardOf([fieldOf('Name', 'Text')], { actions: { create: '/save' } }) })
  const held = deferred()
  let count = 0
  app.post('/save', async () => {
    count += 1
    await held.promise
    return { layout: 'Card', title: 'Made', sections: [] }
  })
  const page = await openAt(t, app)
  await page.choose('card', 'Card')
  await page.getByLabel('Name').fill('x')
  await page.getByRole('button', { name: 'Create' }).dblclick()
  const busy = page.getByRole('button', { name: 'Creating…' })
  t.equal(await busy.getAttribute('aria-disabled'), 'true')
  t.equal(await page.getByLabel('Name').isEditable(), false)
  await page.pressKeys('Control+s')
  held.resolve()
  await page.untilTitle('Made')
  t.equal(count, 1)
})
