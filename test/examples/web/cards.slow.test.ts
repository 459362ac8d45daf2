// Cards: their fields, a save, unsaved changes and conflicts.

import { deferred } from '../../helpers.ts'
import { appOf, cardOf, fieldOf, openAt, openCard, openMenu, type Page, test } from './browser.ts'

/** Returns attributes of a control. */
const attributes = (page: Page, label: string, ...names: string[]) =>
  Promise.all(names.map(name => page.getByLabel(label, { exact: true }).getAttribute(name)))

test('each field uses the matching control of the browser, with its constraints, and `focus` has the focus', async t => {
  const controls = {
    Text: 'text',
    Integer: 'text numeric',
    Decimal: 'text decimal',
    Date: 'date',
    Time: 'time',
    Email: 'text email',
    Phone: 'tel',
    URL: 'url',
    Password: 'password',
    TextArea: 'textarea',
    Boolean: 'checkbox',
    Option: 'select-one',
    Gauge: 'text'
  }
  const more = { options: ['a', 'b'], rows: 7, placeholder: 'x', validation: { required: true, min: 0, max_length: 9 } }
  const fields = Object.keys(controls).map(type => fieldOf(type, type, { ...more, focus: type === 'Email' }))
  const { page } = await openCard(t, fields)
  t.equal(await page.focused(), 'Email')
  t.strictSame(await attributes(page, 'Text', 'aria-required', 'placeholder', 'maxlength'), ['true', 'x', '9'])
  t.strictSame(await attributes(page, 'TextArea', 'rows'), ['7'])
  const kinds = "[...document.querySelectorAll('[id^=field]')].map(one => (one.type + ' ' + one.inputMode).trim())"
  t.strictSame(await page.evaluate(kinds), Object.values(controls))
  t.strictSame(await page.violations(), [])
})

test('a redraw keeps values that came without an event, and a save sends the changed values alone', async t => {
  const { page, sent, save } = await openCard(t, [
    fieldOf('Same', 'Text', { value: 'same' }),
    fieldOf('Number', 'Decimal', { value: '1.50' }),
    fieldOf('Text', 'TextArea'),
    fieldOf('Secret', 'Password'),
    fieldOf('Day', 'Date'),
    fieldOf('Flag', 'Boolean', { value: 'false' }),
    fieldOf('Kind', 'Option', { value: 'a', options: [{ label: 'Bee', value: 'b' }, 'a'] }),
    fieldOf('Away', 'DateRange'),
    { id: 'line', type: 'Separator' },
    fieldOf('Fixed', 'Text', { value: 'x', editable: false })
  ])
  const filled = { Text: 'y', Secret: 'p', Day: '2026-11-21', Kind: 'b' }
  await page.evaluate(`{
    const inputs = document.querySelector('form').elements
    for (const [name, value] of Object.entries(${JSON.stringify(filled)})) inputs[name].value = value
    inputs.Flag.checked = true
  }`)
  await page.getByRole('button', { name: 'Show' }).click()
  t.strictSame(await attributes(page, 'Secret', 'type'), ['text'])
  t.equal(await page.getByLabel('Day').inputValue(), filled.Day)
  await page.getByLabel('Number').fill('2.25')
  const away = page.getByRole('group', { name: 'Away' })
  await away.getByLabel('From').fill('2026-12-20')
  await away.getByLabel('To').fill('2027-01-06')
  await save()
  await page.untilMessage(/Saved/, 'status')
  t.strictSame(sent[0].changes, { ...filled, Number: '2.25', Flag: 'true', Away: '2026-12-20/2027-01-06' })
})

test('a value that does not fit its control is shown unchanged, and does not block the save of others', async t => {
  const values = { Date: 'soon', Integer: 'many', Time: 'noon', DateRange: 'May', Text: 'one\ntwo', Option: 'z' }
  const fields = Object.entries(values).map(([type, value]) => fieldOf(type, type, { value, options: ['a'] }))
  const { page, save } = await openCard(t, fields)
  for (const [type, value] of Object.entries(values))
    t.equal(await page.getByLabel(type, { exact: true }).inputValue(), value, type)
  await page.getByLabel('Text', { exact: true }).fill('three')
  await save()
  await t.resolves(page.untilMessage(/Saved/, 'status'))
})

test('each invalid field shows its error, the first one has the focus, and nothing is sent', async t => {
  const { page, sent, save } = await openCard(t, [
    fieldOf('Fine', 'Text'),
    fieldOf('Name', 'Text', { validation: { required: true } }),
    fieldOf('Email', 'Email')
  ])
  await page.getByLabel('Email').fill('nobody')
  await save()
  t.equal(await page.focused(), 'Name')
  const [id] = await attributes(page, 'Name', 'aria-describedby')
  t.equal(await page.locator(`[id="${id}"]`).textContent(), 'Required.')
  for (const [label, invalid] of Object.entries({ Fine: null, Name: 'true', Email: 'true' }))
    t.strictSame(await attributes(page, label, 'aria-invalid'), [invalid])
  t.strictSame(await page.violations(), [])

  await page.getByLabel('Name').fill('Ada')
  t.strictSame(await attributes(page, 'Name', 'aria-invalid'), [null], 'the error disappears at once')
  await page.getByLabel('Email').fill('ada@example.com')
  t.strictSame(sent, [])
  await page.pressKeys('Enter')
  await page.untilMessage(/Saved/, 'status')
  t.equal(sent.length, 1)
})

test('a refusal is shown once, at its field without the label, and the field is red with focus and pointer', async t => {
  const types = { Fine: 'Text', Rate: 'Text', Flag: 'Boolean', Day: 'DateRange' }
  const fields = Object.entries(types).map(([id, type]) => fieldOf(id, type))
  for (const [refusal, shown, place, focus, forcedColors] of [
    ['No room for it.', 'No room for it.', '#error', 'Save', 'none'],
    ['Rate: not a number.', 'Not a number.', 'form .fault', 'Rate', 'active'],
    ['Rate is wrong.', 'Rate is wrong.', 'form .fault', 'Rate', 'none'],
    ['Flag: not now.', 'Not now.', 'form .fault', 'Flag', 'active'],
    ['Day: too early.', 'Too early.', 'form .fault', 'Day', 'none']
  ] as const) {
    const respond = () => cardOf(fields, { status: `Error: ${refusal}` })
    const { page, save } = await openCard(t, fields, { respond, options: { forcedColors } })
    await page.getByLabel('Fine').fill('typed')
    await save()
    t.equal(await page.locator(place).filter({ hasText: /./ }).textContent(), shown)
    t.equal(await page.getByText(shown).count(), 1)
    t.match(await page.focused(), focus)
    const ofField = focus === 'Save' ? 0 : 1
    // A screen reader reads the description of a field that receives the focus.
    t.equal(await page.getByRole('alert').filter({ hasText: shown }).count(), 1 - ofField, 'read once')
    t.equal(await page.getByLabel('Fine').inputValue(), 'typed')
    t.equal(await page.locator('[aria-invalid]:focus').count(), ofField)
    t.strictSame(await page.violations(), [])
    await page.locator(':focus').hover()
    const colours = await page.evaluate<string>(`{
      const { borderColor, outline } = getComputedStyle(document.querySelector('.input:focus-within') ?? document.activeElement)
      borderColor + outline
    }`)
    t.equal(colours.includes('rgb(179, 38, 30)'), ofField === 1, `${focus}, forced colours: ${forcedColors}`)
  }
})

test('read-only values have the format of the browser locale, and safe addresses, also typed ones, are links', async t => {
  const labels = { true_label: 'On', false_label: 'Off' }
  const fields = [
    ['Date', '2026-11-03'],
    ['Decimal', '1234.50'],
    ['Boolean', 'true'],
    ['Password', 'secret'],
    ['Boolean', 'false', labels],
    ['Text', ''],
    ['Email', 'ada@example.com'],
    ['Phone', '+44 (0)20 123'],
    ['URL', 'https://example.com/'],
    ['URL', 'javascript:alert(1)'],
    ['Email', 'ada@example.com?body=x'],
    ['Phone', 'call me']
  ].map(([type, value, more], id) => fieldOf(`${id}`, type as string, { value, editable: false, ...(more as object) }))
  const inputs = fields.map(field => ({ ...field, id: `input ${field.id}`, editable: true }))
  const { page } = await openCard(t, [...fields, ...inputs], { options: { locale: 'de-DE' } })
  const texts = await page.getByRole('definition').allTextContents()
  t.strictSame(texts.slice(0, 6), ['03.11.2026', '1.234,50', 'Yes', '••••••••', 'Off', '–'])
  for (const links of ['dd a', '.input a']) {
    const targets = page.locator(links).evaluateAll(all => all.map(one => one.getAttribute('href')))
    t.strictSame(await targets, ['mailto:ada@example.com', 'tel:+4420123', 'https://example.com/'])
  }
  for (const [label, typed, name] of [
    ['6', 'a@b.c', 'Write to a@b.c'],
    ['7', '112', 'Call 112'],
    ['8', 'http://b/', 'Open http://b/']
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(typed)
    t.ok(await page.getByRole('link', { name, exact: true }).isVisible())
  }
})

test('a screen with an unknown layout shows its known parts, and one without parts shows a message', async t => {
  const field = { id: 'a', label: 'A', value: 'b', editable: false }
  const mixed = { sections: [{ fields: [field] }], lines: { columns: [{ label: 'n' }], rows: [{ values: [1] }] } }
  const screens: Record<string, [object, RegExp]> = {
    Chart: [{ layout: 'Chart' }, /does not support the layout "Chart"/],
    Mixed: [{ layout: 'Mixed', ...mixed }, /Ab.*n1/],
    Nobody: [{ layout: 'List', lines: { columns: [{ label: 'A' }] }, actions: { create: '/n' } }, /A.*here yet.*New/],
    Bare: [{ layout: 'Card' }, /empty/],
    Vacant: [{ layout: 'Menu' }, /empty/]
  }
  const titled = Object.entries(screens).map(([title, [screen]]) => [title, { title, ...screen }])
  const page = await openAt(t, await appOf(t, Object.fromEntries(titled)))
  for (const [name, [, shown]] of Object.entries(screens)) {
    await page.choose(name)
    t.match(await page.locator('main').textContent(), shown)
    t.strictSame(await page.violations(), [], name)
    await page.locator('#menu-link').click()
    await page.untilTitle('Main Menu')
  }
})

test('during a save the button shows the progress, and fields are read-only', async t => {
  const fields = [fieldOf('Name', 'Text'), fieldOf('Flag', 'Boolean'), fieldOf('Kind', 'Option', { options: ['a'] })]
  const held = deferred()
  const respond = () => held.promise.then(() => cardOf([], { title: 'Made' }))
  const { page } = await openCard(t, fields, { card: { actions: { create: '/save' } }, respond })
  await page.getByLabel('Name').fill('x')
  await page.getByRole('button', { name: 'Create' }).click()
  const busy = page.getByRole('button', { name: 'Creating…' })
  t.equal(await busy.getAttribute('aria-disabled'), 'true')
  t.equal(await page.getByLabel('Name').isEditable(), false)
  await page.getByLabel('Flag').click()
  t.equal(await page.getByLabel('Flag').isChecked(), false)
  t.strictSame(await page.locator('option:enabled').all(), [])
  held.resolve()
  await t.resolves(page.untilTitle('Made'))
})

test('a link and the logout ask before they discard changes, and a no keeps them', async t => {
  for (const name of ['a link', 'the logout']) {
    const { page } = await openCard(t, [fieldOf('A', 'Text')])
    const leave = () => (name === 'a link' ? page.locator('#menu-link').click() : page.account('Log out'))
    const question = page.getByRole('alertdialog', { name: /Leave without saving/ })
    const input = page.getByLabel('A', { exact: true })
    await input.fill('typed')
    await leave()
    await question.waitFor()
    t.equal(await page.focused(), 'Cancel', 'the safe button has the focus')
    t.strictSame(await page.violations(), [])
    await page.pressKeys('Escape')
    await question.waitFor({ state: 'detached' })
    t.equal(await input.inputValue(), 'typed')

    await leave()
    await question.getByRole('button', { name: 'Leave' }).click()
    await t.resolves(name === 'a link' ? page.untilTitle('Main Menu') : page.getByLabel('Username').waitFor())
  }
})

test('the browser asks before a reload only if there are changes', async t => {
  const { page } = await openCard(t, [fieldOf('A', 'Text', { value: 'old' })])
  const input = page.getByLabel('A', { exact: true })
  const asked: string[] = []
  page.on('dialog', dialog => asked.push(dialog.type()))
  for (const typed of ['typed', 'old']) {
    await input.fill(typed)
    await page.reload()
    await page.untilTitle('Card')
    t.strictSame(asked, ['beforeunload'])
    t.equal(await input.inputValue(), typed)
    if (typed === 'typed') await page.untilMessage(/unsaved changes are back/, 'status')
  }
})

test('after a conflict the form keeps the input, and offers to use each saved value', async t => {
  const { page, contacts } = await openMenu(t)
  await page.choose('Contacts')
  await page.choose('Bruno Keller')
  await contacts.save(2, 1, { company: 'Theirs', email: 'theirs@example.com' }, 'eve')
  await page.getByLabel('Company').fill('Mine')
  await page.getByLabel('Email').fill('mine@example.com')
  await page.pressKeys('Enter')
  await page.untilMessage(/Changed by eve \d/)
  await page.getByRole('button', { name: 'Reload, keep mine' }).click()
  await page.getByText('Theirs: Theirs', { exact: true }).waitFor()
  t.strictSame(await page.violations(), [])
  const email = page.locator('.theirs', { hasText: 'Theirs: theirs@example.com' })
  await email.getByRole('button', { name: 'Use theirs' }).click()
  await email.waitFor({ state: 'detached' })
  t.equal(await page.focused(), 'email', 'the field has the focus')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.untilMessage(/^Saved\.$/, 'status')
  t.match((await contacts.find(2))?.values, { company: 'Mine', email: 'theirs@example.com' })
})

test('a contact is created from its list, renamed, and deleted after a confirmation', async t => {
  const { page } = await openMenu(t)
  await page.choose('Contacts')
  t.equal(await page.locator('form').count(), 0)
  await page.getByRole('button', { name: 'New' }).click()
  await page.untilTitle('New contact')
  t.equal(await page.focused(), 'name')
  await page.getByLabel('Name').fill('Zoe')
  await page.pressKeys('Enter')
  await page.untilTitle('Zoe')
  await page.untilMessage(/^Created\.$/, 'status')
  t.match(page.url(), /#\/screen\/contact\?id=6$/)
  await page.getByLabel('Name').fill('Zoe Once')
  await page.pressKeys('Enter')
  await page.untilTitle('Zoe Once')
  t.equal(await page.focused(), 'name', 'the focus stays in the field')

  // Back must not open the form of the created contact.
  await page.goBack()
  await page.untilTitle('Contacts')
  await page.choose('Zoe Once')
  await page.getByRole('button', { name: 'Delete' }).click()
  t.equal(await page.focused(), 'Cancel')
  await page.getByText('This cannot be undone.').waitFor()
  await page.getByRole('alertdialog', { name: 'Delete Zoe Once?' }).getByRole('button', { name: 'Delete' }).click()
  await page.untilMessage(/Deleted/, 'status')
  await t.resolves(page.untilTitle('Contacts'))
})
