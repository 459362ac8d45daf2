// The Cards of the web client, and the screens of which it does not know the layout.

import type { Test } from 'tap'
import { deferred } from '../../helpers.ts'
import { appOf, cardOf, openAt, openExample, test } from './browser.ts'

/** A field whose label is its id. */
const fieldOf = (id: string, type: string, more: object = {}) => ({ id, label: id, type, value: '', ...more })

/** A page with a Card of these fields. What it saves is in `saved`. */
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

test('a date and a number in the form of a language are edited with the inputs of the browser', async t => {
  const { page, url } = await openExample(t, { locale: 'fr-FR' }, { SVC_LANGUAGE: 'de', SVC_AUTH: 'false' })
  const birthday = page.getByLabel('Geburtstag')
  const rate = page.getByLabel('Stundensatz')
  await page.untilTitle('Hauptmenü')
  await page.goto(`${url}/#/screen/contact?id=2`)
  await page.untilTitle('Bruno Keller')
  t.equal(await birthday.inputValue(), '1969-11-02')
  t.equal(await rate.inputValue(), '62,50')
  const type = async (text: string) => {
    await rate.selectText()
    await page.keyboard.type(text)
    await page.pressKeys('Enter')
  }
  await type('1.250')
  await page.untilMessage(/^Stundensatz: bitte ohne Punkt\.$/)
  await birthday.fill('1970-01-31')
  await type('1250,25')
  await page.untilMessage(/^Gespeichert\.$/, 'status')
  await page.reload()
  await page.untilTitle('Bruno Keller')
  t.equal(await birthday.inputValue(), '1970-01-31')
  t.equal(await rate.inputValue(), '1250,25')
})

test('each type of a field is the control of the browser for it', async t => {
  const controls = {
    Text: 'text',
    Integer: 'number',
    Decimal: 'text',
    Date: 'date',
    Time: 'time',
    Email: 'email',
    Phone: 'tel',
    URL: 'url',
    Password: 'password',
    TextArea: 'textarea',
    Boolean: 'checkbox',
    Option: 'select',
    Gauge: 'text'
  }
  const fields = Object.keys(controls).map(type => fieldOf(type, type, { options: ['a', 'b'] }))
  const { page } = await cardPage(t, fields)
  for (const [type, control] of Object.entries(controls)) {
    const kind = await page.getByLabel(type, { exact: true }).evaluate(one => {
      const { tagName, type } = one as unknown as { tagName: string; type: string }
      return tagName === 'INPUT' ? type : tagName.toLowerCase()
    })
    t.equal(kind, control, type)
  }
  t.strictSame(await page.violations(), [])
})

test('what is entered into the controls is saved, and nothing else', async t => {
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

test('a value that does not fit its control is shown as it is', async t => {
  const values = {
    Date: 'soon',
    Integer: 'many',
    Time: 'noon',
    DateRange: 'May',
    Text: 'one\ntwo',
    Option: 'z'
  }
  const fields = Object.entries(values).map(([type, value]) => fieldOf(type, type, { value, options: ['a'] }))
  const { page } = await cardPage(t, fields)
  for (const [type, value] of Object.entries(values))
    t.equal(await page.getByLabel(type, { exact: true }).inputValue(), value, type)
})

test('what a field wants is what its control wants', async t => {
  const { has } = await cardPage(t, [
    fieldOf('Name', 'Text', {
      placeholder: 'First and last',
      validation: { required: true, max_length: 9, pattern: '[A-Z].*' }
    }),
    fieldOf('Size', 'Integer', { value: '1', validation: { min: 0, max: 5 } }),
    fieldOf('Rate', 'Decimal', { value: '1' }),
    fieldOf('Notes', 'TextArea', { rows: 7 })
  ])
  t.strictSame(await has('Name', 'required', 'placeholder', 'maxlength'), ['', 'First and last', '9'])
  t.strictSame(await has('Name', 'pattern', 'enterkeyhint'), ['[A-Z].*', 'next'])
  t.strictSame(await has('Size', 'min', 'max', 'step', 'inputmode'), ['0', '5', '1', 'numeric'])
  t.strictSame(await has('Rate', 'type', 'inputmode'), ['text', 'decimal'])
  t.strictSame(await has('Notes', 'rows'), ['7'])
})

test('what is wrong is said at its field, the first one has the focus, and nothing is sent', async t => {
  const { page, saved, save, has } = await cardPage(t, [
    fieldOf('Fine', 'Text'),
    fieldOf('Name', 'Text', { validation: { required: true } }),
    fieldOf('Email', 'Email')
  ])
  await page.getByLabel('Email').fill('nobody')
  await save()
  t.equal(await page.focused(), 'Name')
  const [id] = await has('Name', 'aria-describedby')
  t.match(await page.locator(`[id="${id}"]`).textContent(), /\w/)
  for (const [label, invalid] of Object.entries({ Fine: null, Name: 'true', Email: 'true' }))
    t.strictSame(await has(label, 'aria-invalid'), [invalid])
  t.strictSame(await page.violations(), [])

  await page.getByLabel('Name').fill('Ada')
  t.strictSame(await has('Name', 'aria-invalid'), [null], 'it is right at once')
  await page.getByLabel('Email').fill('ada@example.com')
  t.strictSame(saved, [])
  await page.pressKeys('Enter')
  await page.untilMessage(/Saved/, 'status')
  t.equal(saved.length, 1)
})

test('a range of days has both, and does not end before it begins', async t => {
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

test('the field that the server names has the focus', async t => {
  const { page } = await cardPage(t, [fieldOf('A', 'Text'), fieldOf('B', 'Text', { value: 'x', focus: true })])
  t.equal(await page.focused(), 'B')
})

test('a refusal is said in the bar and beside the buttons, and what was typed stays', async t => {
  const { page, save } = await cardPage(t, [fieldOf('A', 'Text')], {
    respond: { status: 'Error: No room for it.' }
  })
  await page.getByLabel('A').fill('typed')
  await save()
  await page.untilMessage(/^No room for it\.$/)
  const id = await page.getByRole('button', { name: 'Save' }).getAttribute('aria-describedby')
  t.equal(await page.locator(`[id="${id}"]`).textContent(), 'No room for it.')
  t.equal(await page.getByLabel('A').inputValue(), 'typed')
  t.equal(await page.getByText('No room for it.').count(), 2)
  t.equal(await page.locator('[role=alert]').filter({ hasText: 'No room' }).count(), 1, 'announced once')
})

test('values to read are written as the reader does, and as the server says', async t => {
  const fields = Object.entries({
    Date: '2026-11-03',
    Time: '14:30',
    Decimal: '1234.50',
    Integer: '12345',
    DateRange: '2026-12-20/2027-01-06',
    Boolean: 'true',
    Password: 'secret'
  }).map(([type, value]) => fieldOf(type, type, { value }))
  const others = [
    fieldOf('Yes', 'Boolean', { value: 'true', true_label: 'On', false_label: 'Off' }),
    fieldOf('No', 'Boolean', { value: 'false', true_label: 'On', false_label: 'Off' }),
    fieldOf('Kind', 'Option', { value: 'b', options: [{ label: 'Bee', value: 'b' }] }),
    fieldOf('Odd', 'Date', { value: '2026-99-99' }),
    fieldOf('Word', 'Decimal', { value: 'many' })
  ]
  for (const [locale, ...shown] of [
    ['en-US', 'Nov 3, 2026', '2:30 PM', '1,234.50', '12,345', 'Dec 20, 2026 – Jan 6, 2027'],
    ['de-DE', '03.11.2026', '14:30', '1.234,50', '12.345', '20.12.2026 – 06.01.2027']
  ] as const) {
    const { page } = await cardPage(t, [...fields, ...others], { card: { actions: {} }, options: { locale } })
    const texts = await page.getByRole('definition').allTextContents()
    t.strictSame(
      texts.map(text => text.replace(/\s/g, ' ')),
      [...shown, 'Yes', '••••••••', 'On', 'Off', 'Bee', '2026-99-99', 'many']
    )
  }
})

test('an address to read is a link, unless it is not safe', async t => {
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

test('an unknown layout shows the parts that it has, or says so', async t => {
  const screens = {
    Chart: [{ layout: 'Chart' }, 'cannot draw the layout "Chart"'],
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
    await page.getByText('Main menu').click()
    await page.untilTitle('Main Menu')
  }
})

test('while a Card is saved its button says so, and a second click sends nothing', async t => {
  const app = await appOf(t, { card: cardOf([fieldOf('A', 'Text')], { actions: { create: '/save' } }) })
  const held = deferred()
  let count = 0
  app.post('/save', async () => {
    count += 1
    await held.promise
    return { layout: 'Card', title: 'Made', sections: [] }
  })
  const page = await openAt(t, app)
  await page.choose('card', 'Card')
  await page.getByLabel('A').fill('x')
  await page.getByRole('button', { name: 'Create' }).dblclick()
  const busy = page.getByRole('button', { name: 'Creating…' })
  t.equal(await busy.getAttribute('aria-disabled'), 'true')
  await page.pressKeys('Control+s')
  held.resolve()
  await page.untilTitle('Made')
  t.equal(count, 1)
})
