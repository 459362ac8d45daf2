// The Cards of the web client, and the screens of which it does not know the layout.

import t, { type Test } from 'tap'
import { deferred } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { freshDatabase, startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'
import { appOf, CREDENTIALS, cardOf, listen, openScreen, serverOf } from './screen-server.ts'

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  /** A page with a Card of these fields. What it saves is in `saved`. */
  async function cardPage(t: Test, fields: object[], { respond = {} as object, options = {} } = {}) {
    const card = cardOf(fields)
    const app = await appOf(t, { card })
    const saved: unknown[] = []
    app.post('/save', async request => {
      saved.push(request.body)
      return { ...card, ...respond }
    })
    const page = await openPage(t, browser, await listen(app), options)
    await openScreen(page, 'card', 'Card')
    return { page, saved, save: () => page.getByRole('button', { name: 'Save' }).click() }
  }

  t.test('a password is changed, and the message is shown', async t => {
    const { url } = await startServer(t, freshDatabase(t))
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByRole('tab', { name: 'Account' }).click()
    await page.getByText('Change password').click()
    const labels = ['Current password', 'New password', 'New password again']
    const save = async (...values: string[]) => {
      for (const [i, label] of labels.entries())
        await page.getByLabel(label, { exact: true }).fill(values[i] ?? '')
      await page.keyboard.press('Enter')
    }
    await save('wrong', 'new-password', 'new-password')
    await untilMessage(page, /current password is wrong/)
    await save('demo-password', 'new-password', 'new-password')
    await untilMessage(page, /was changed/, 'status')
    t.match(await page.locator('main dl').innerText(), /was changed/)
    await page.getByRole('button', { name: 'Log out' }).click()
    await logIn(page, { username: 'demo', password: 'new-password' })
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test(
    'a date and a number in the form of a language are edited with the inputs of the browser',
    async t => {
      const { url } = await startServer(t, { SVC_LANGUAGE: 'de' })
      const page = await openPage(t, browser, url, { locale: 'fr-FR' })
      await page.getByLabel('Benutzername').fill('demo')
      await page.getByLabel('Passwort', { exact: true }).fill('demo-password')
      await page.keyboard.press('Enter')
      await untilTitle(page, 'Hauptmenü')
      await page.goto(`${url}/#/screen/contact?id=2`)
      await untilTitle(page, 'Bruno Keller')
      t.equal(await page.getByLabel('Geburtstag').inputValue(), '1969-11-02')
      t.equal(await page.getByLabel('Stundensatz').inputValue(), '62,50')
      const type = async (text: string) => {
        await page.getByLabel('Stundensatz').selectText()
        await page.keyboard.type(text)
        await page.keyboard.press('Enter')
      }
      await type('1.250')
      await untilMessage(page, /^Stundensatz: bitte ohne Punkt\.$/)
      await type('1250,25')
      await untilMessage(page, /^Gespeichert\.$/, 'status')
      await page.getByLabel('Geburtstag').fill('1970-01-31')
      await page.keyboard.press('Enter')
      await untilMessage(page, /^Gespeichert\.$/, 'status')
      await page.reload()
      await untilTitle(page, 'Bruno Keller')
      t.equal(await page.getByLabel('Geburtstag').inputValue(), '1970-01-31')
      t.equal(await page.getByLabel('Stundensatz').inputValue(), '1250,25')
    }
  )

  t.test('a Boolean to read has the words of the server', async t => {
    const words = { true_label: 'On', false_label: 'Off' }
    const { page } = await cardPage(t, [
      { id: 'a', label: 'A', type: 'Boolean', value: 'true', editable: false, ...words },
      { id: 'b', label: 'B', type: 'Boolean', value: 'false', editable: false, ...words },
      { id: 'c', label: 'C', type: 'Boolean', value: 'true', editable: false }
    ])
    t.strictSame(await page.locator('dd').allInnerTexts(), ['On', 'Off', 'Yes'])
  })

  t.test('each type of a field is the control of the browser for it', async t => {
    const types =
      'Text Integer Decimal Date Time Email Phone URL Password TextArea Boolean Option Gauge'.split(' ')
    const fields = types.map(type => ({ id: type, label: type, type, value: '', options: ['a', 'b'] }))
    const { page } = await cardPage(t, fields)
    const controls: Record<string, unknown> = {}
    for (const type of types) {
      controls[type] = await page.getByLabel(type, { exact: true }).evaluate(one => {
        const { tagName, type } = one as unknown as { tagName: string; type: string }
        return tagName === 'INPUT' ? type : tagName.toLowerCase()
      })
    }
    t.strictSame(controls, {
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
    })
    t.strictSame(await violations(page), [])
  })

  t.test('what is entered into the controls is saved, and nothing else', async t => {
    const { page, saved, save } = await cardPage(t, [
      { id: 'text', label: 'Text', type: 'Text', value: 'same' },
      { id: 'number', label: 'Number', type: 'Decimal', value: '1.50' },
      { id: 'day', label: 'Day', type: 'Date', value: '' },
      { id: 'flag', label: 'Flag', type: 'Boolean', value: 'false' },
      { id: 'kind', label: 'Kind', type: 'Option', value: 'a', options: [{ label: 'Bee', value: 'b' }, 'a'] },
      { id: 'away', label: 'Away', type: 'DateRange', value: '' },
      { id: 'line', type: 'Separator' },
      { id: 'fixed', label: 'Fixed', type: 'Text', value: 'x', editable: false }
    ])
    await page.getByLabel('Number').fill('2.25')
    await page.getByLabel('Day').fill('2026-11-21')
    await page.getByLabel('Flag').check()
    await page.getByLabel('Kind').selectOption('Bee')
    const away = page.getByRole('group', { name: 'Away' })
    await away.getByLabel('From').fill('2026-12-20')
    await away.getByLabel('To').fill('2027-01-06')
    await save()
    await untilMessage(page, /Saved/, 'status')
    t.match(saved, [
      {
        changes: {
          number: '2.25',
          day: '2026-11-21',
          flag: 'true',
          kind: 'b',
          away: '2026-12-20/2027-01-06'
        },
        action: 'save'
      }
    ])
    t.notOk('text' in (saved[0] as { changes: object }).changes)
  })

  t.test('a value that does not fit its control is shown as it is', async t => {
    const values = {
      Date: 'soon',
      Integer: 'many',
      Time: 'noon',
      DateRange: 'May',
      Text: 'one\ntwo',
      Option: 'z'
    }
    const { page } = await cardPage(
      t,
      Object.entries(values).map(([type, value]) => ({ id: type, label: type, type, value, options: ['a'] }))
    )
    for (const [type, value] of Object.entries(values))
      t.equal(await page.getByLabel(type, { exact: true }).inputValue(), value, type)
  })

  t.test('what a field wants is what its control wants', async t => {
    const { page } = await cardPage(t, [
      {
        id: 'name',
        label: 'Name',
        type: 'Text',
        value: '',
        placeholder: 'First and last',
        validation: { required: true, max_length: 9, pattern: '[A-Z].*' }
      },
      { id: 'size', label: 'Size', type: 'Integer', value: '1', validation: { min: 0, max: 5 } },
      { id: 'rate', label: 'Rate', type: 'Decimal', value: '1' },
      { id: 'notes', label: 'Notes', type: 'TextArea', value: '', rows: 7 }
    ])
    const has = (label: string, ...names: string[]) =>
      Promise.all(names.map(name => page.getByLabel(label).getAttribute(name)))
    t.strictSame(await has('Name', 'required', 'placeholder', 'maxlength', 'pattern', 'enterkeyhint'), [
      '',
      'First and last',
      '9',
      '[A-Z].*',
      'next'
    ])
    t.strictSame(await has('Size', 'min', 'max', 'step', 'inputmode'), ['0', '5', '1', 'numeric'])
    t.strictSame(await has('Rate', 'type', 'inputmode'), ['text', 'decimal'])
    t.strictSame(await has('Notes', 'rows'), ['7'])
  })

  t.test('what is wrong is said at its field, the first one has the focus, and nothing is sent', async t => {
    const { page, saved, save } = await cardPage(t, [
      { id: 'fine', label: 'Fine', type: 'Text', value: '' },
      { id: 'name', label: 'Name', type: 'Text', value: '', validation: { required: true } },
      { id: 'email', label: 'Email', type: 'Email', value: '' }
    ])
    await page.getByLabel('Email').fill('nobody')
    await save()
    const name = page.getByRole('textbox', { name: 'Name' })
    t.equal(await focused(page), 'name')
    t.equal(await name.getAttribute('aria-invalid'), 'true')
    const described = page.locator(`[id="${await name.getAttribute('aria-describedby')}"]`)
    t.match(await described.textContent(), /\w/)
    t.equal(await page.getByRole('textbox', { name: 'Email' }).getAttribute('aria-invalid'), 'true')
    t.equal(await page.getByRole('textbox', { name: 'Fine' }).getAttribute('aria-invalid'), null)
    t.strictSame(await violations(page), [])

    await name.fill('Ada')
    t.equal(await name.getAttribute('aria-invalid'), null, 'it is right at once')
    await page.getByLabel('Email').fill('ada@example.com')
    t.strictSame(saved, [])
    await page.keyboard.press('Enter')
    await untilMessage(page, /Saved/, 'status')
    t.equal(saved.length, 1)
  })

  t.test('a range of days has both, and does not end before it begins', async t => {
    const { page, saved, save } = await cardPage(t, [
      { id: 'away', label: 'Away', type: 'DateRange', value: '2026-12-20/2027-01-06' }
    ])
    await page.getByLabel('To').fill('2026-12-01')
    await save()
    t.equal(await page.getByLabel('To').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('To').fill('')
    await save()
    t.equal(await page.getByLabel('To').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('From').fill('')
    await save()
    await untilMessage(page, /Saved/, 'status')
    t.match(saved, [{ changes: { away: '' } }])
  })

  t.test('the field that the server names has the focus', async t => {
    const { page } = await cardPage(t, [
      { id: 'a', label: 'A', type: 'Text', value: '' },
      { id: 'b', label: 'B', type: 'Text', value: 'x', focus: true }
    ])
    t.equal(await focused(page), 'b')
  })

  t.test('a refusal is said in the bar and beside the buttons, and what was typed stays', async t => {
    const { page, save } = await cardPage(t, [{ id: 'a', label: 'A', type: 'Text', value: '' }], {
      respond: { status: 'Error: No room for it.' }
    })
    await page.getByLabel('A').fill('typed')
    await save()
    await untilMessage(page, /^No room for it\.$/)
    const button = page.getByRole('button', { name: 'Save' })
    const described = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`)
    t.equal(await described.textContent(), 'No room for it.')
    t.equal(await page.getByLabel('A').inputValue(), 'typed')
    t.equal(await page.getByText('No room for it.').count(), 2)
    t.equal(await page.locator('[role=alert]').filter({ hasText: 'No room' }).count(), 1, 'announced once')
  })

  const VALUES = [
    { id: '1', label: 'Day', type: 'Date', value: '2026-11-03' },
    { id: '2', label: 'At', type: 'Time', value: '14:30' },
    { id: '3', label: 'Rate', type: 'Decimal', value: '1234.50' },
    { id: '4', label: 'Size', type: 'Integer', value: '12345' },
    { id: '5', label: 'Away', type: 'DateRange', value: '2026-12-20/2027-01-06' },
    { id: '6', label: 'Flag', type: 'Boolean', value: 'true' },
    { id: '7', label: 'Kind', type: 'Option', value: 'b', options: [{ label: 'Bee', value: 'b' }] },
    { id: '8', label: 'Odd', type: 'Date', value: '2026-99-99' },
    { id: '9', label: 'Word', type: 'Decimal', value: 'many' },
    { id: 'p', label: 'Secret', type: 'Password', value: 'secret' }
  ]
  const SHOWN = {
    'en-US': ['Nov 3, 2026', '2:30 PM', '1,234.50', '12,345', 'Dec 20, 2026 – Jan 6, 2027'],
    'de-DE': ['03.11.2026', '14:30', '1.234,50', '12.345', '20.12.2026 – 06.01.2027']
  }
  for (const [locale, shown] of Object.entries(SHOWN)) {
    t.test(`values to read are written as in ${locale}`, async t => {
      const url = await serverOf(t, {
        card: { layout: 'Card', title: 'Card', sections: [{ fields: VALUES }] }
      })
      const page = await openPage(t, browser, url, { locale })
      await openScreen(page, 'card', 'Card')
      const texts = (await page.getByRole('definition').allTextContents()).map(text =>
        text.replace(/\s/g, ' ')
      )
      t.strictSame(texts, [...shown, 'Yes', 'Bee', '2026-99-99', 'many', '••••••••'])
    })
  }

  t.test('an address to read is a link, unless it is not safe', async t => {
    const fields = [
      ['Email', 'ada@example.com'],
      ['Phone', '+44 (0)20 123'],
      ['URL', 'https://example.com/'],
      ['URL', 'javascript:alert(1)'],
      ['Email', 'ada@example.com?body=x'],
      ['Phone', 'call me']
    ].map(([type, value], id) => ({ id: `${id}`, label: type, type, value, editable: false }))
    const url = await serverOf(t, { card: { layout: 'Card', title: 'Card', sections: [{ fields }] } })
    const page = await openPage(t, browser, url)
    await openScreen(page, 'card', 'Card')
    const links = await Promise.all((await page.locator('dd a').all()).map(one => one.getAttribute('href')))
    t.strictSame(links, ['mailto:ada@example.com', 'tel:+44020123', 'https://example.com/'])
  })

  t.test('a layout that nobody knows shows the parts that it has, or says so', async t => {
    const screens = {
      Chart: { layout: 'Chart', title: 'Chart' },
      Mixed: {
        layout: 'Mixed',
        title: 'Mixed',
        sections: [{ fields: [{ id: 'a', label: 'A', value: 'b' }] }],
        lines: { columns: [{ label: 'n' }], rows: [{ values: [1] }] }
      },
      Nobody: { layout: 'List', title: 'Nobody', lines: { columns: [{ id: 'a', label: 'A' }] } },
      Bare: { layout: 'Card', title: 'Bare' },
      Vacant: { layout: 'Menu', title: 'Vacant' }
    }
    const page = await openPage(t, browser, await serverOf(t, screens))
    await logIn(page, CREDENTIALS)
    const seen: Record<string, string | null> = {}
    for (const name of Object.keys(screens)) {
      await untilTitle(page, 'Main Menu')
      await page.getByText(name).click()
      await untilTitle(page, name)
      seen[name] = await page.locator('main').textContent()
      t.strictSame(await violations(page), [], name)
      t.equal(await page.locator('#display-name').textContent(), 'Ada Lovelace', 'on every screen')
      await page.getByText('Main menu').click()
    }
    t.match(seen, {
      Chart: 'cannot draw the layout "Chart"',
      Mixed: /Ab.*n1/,
      Nobody: /A.*Nothing here yet/,
      Bare: 'empty',
      Vacant: 'empty'
    })
  })

  t.test('while a Card is saved its button says so, and a second click sends nothing', async t => {
    const app = await appOf(t, {
      card: cardOf([{ id: 'a', label: 'A', value: '' }], { actions: { create: '/save' } })
    })
    const held = deferred()
    let count = 0
    app.post('/save', async () => {
      count += 1
      await held.promise
      return { layout: 'Card', title: 'Made', sections: [] }
    })
    const page = await openPage(t, browser, await listen(app))
    await openScreen(page, 'card', 'Card')
    await page.getByLabel('A').fill('x')
    await page.getByRole('button', { name: 'Create' }).dblclick()
    const busy = page.getByRole('button', { name: 'Creating…' })
    t.equal(await busy.getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('Control+s')
    held.resolve()
    await untilTitle(page, 'Made')
    t.equal(count, 1)
  })
}
