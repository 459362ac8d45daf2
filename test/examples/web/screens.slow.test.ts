// What the web client makes of the screens of a server: every part, every accident, and every attack.

import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { webClient } from '../../../examples/server/web-client.ts'
import type { Field, ScreenContract } from '../../../schemas/index.ts'
import { ADA, host, PASSWORD } from '../../helpers.ts'
import { needs } from '../../needs.ts'
import { freshDatabase, startServer } from '../process.ts'
import { focused, logIn, openPage, startBrowser, untilMessage, untilTitle, violations } from './browser.ts'

const CREDENTIALS = { username: ADA.username, password: PASSWORD }

/** Listens on a free port, with the web client at the root or below a prefix. */
async function listen(app: FastifyInstance, prefix = ''): Promise<string> {
  await app.register(webClient, { prefix })
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}${prefix}/`
}

/** A server whose menu opens each of some screens, and has some more items. */
async function serverOf(t: Test, screens: Record<string, object>, more: object[] = []): Promise<string> {
  const items = Object.keys(screens).map(name => ({
    label: name,
    action: { type: 'open_screen', url: `/${name}` }
  }))
  const menu = { panel_title: 'Main', tabs: [{ label: 'All', items: [...items, ...more] }] }
  const app = await host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu }) })
  for (const [name, screen] of Object.entries(screens)) app.get(`/${name}`, async () => screen)
  return listen(app)
}

const path = needs(t, 'chromium', 'chromium-browser', 'google-chrome')
if (path !== undefined) {
  const browser = await startBrowser(t, path)

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`axe-core finds nothing on any screen, ${colorScheme}`, async t => {
      const server = await startServer(t, {})
      const page = await openPage(t, browser, server.url, { colorScheme })
      const check = async (screen: string) => t.strictSame(await violations(page), [], screen)
      await untilTitle(page, 'Demo Company')
      await check('login form')
      await logIn(page, { username: 'demo', password: 'wrong' })
      await untilMessage(page, /Wrong/)
      await check('rejection')
      await logIn(page)
      await untilTitle(page, 'Main Menu')
      await check('menu')
      await page.getByRole('tab', { name: 'Directory' }).click()
      await page.getByText('About').click()
      await untilMessage(page, /example server/, 'status')
      await check('another tab, and a message')
      await page.getByText('Users').click()
      await untilTitle(page, 'Users')
      await check('list')
      await page.getByText('Main menu').click()
      await page.getByRole('tab', { name: 'Account' }).click()
      await page.getByText('Profile').click()
      await untilTitle(page, 'Profile')
      await check('card to read')
      await page.goBack()
      await page.getByText('Change password').click()
      await untilTitle(page, 'Change password')
      await check('card to save')
      await server.stop()
      await page.getByText('Main menu').click()
      await untilTitle(page, 'No answer')
      await check('offline')
    })
  }

  t.test('no screen is wider than a window of 320 pixels', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { viewport: { width: 320, height: 640 } })
    const check = async () => t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    await untilTitle(page, 'Demo Company')
    await check()
    await logIn(page)
    for (const [tab, title] of [
      ['Account', 'Profile'],
      ['Account', 'Change password'],
      ['Directory', 'Users']
    ] as const) {
      await untilTitle(page, 'Main Menu')
      await check()
      await page.getByRole('tab', { name: tab }).click()
      await page.getByText(title).click()
      await untilTitle(page, title)
      await check()
      await page.getByText('Main menu').click()
    }
  })

  t.test('a Card is saved: the answer is shown, and the passwords are cleared', async t => {
    const { url } = await startServer(t, freshDatabase(t))
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByText('Change password').click()
    const fields = ['Current password', 'New password', 'New password again'].map(label =>
      page.getByLabel(label, { exact: true })
    )
    const save = async (...values: string[]) => {
      for (const [i, value] of values.entries()) await fields[i]?.fill(value)
      await page.keyboard.press('Enter')
    }
    await save('wrong', 'new-password', 'new-password')
    await untilMessage(page, /current password is wrong/)
    for (const field of fields) t.equal(await field.inputValue(), '')
    t.equal(await focused(page), 'repeat_password')
    await save('demo-password', 'new-password', 'new-password')
    await untilMessage(page, /was changed/, 'status')
    await page.getByRole('button', { name: 'Log out' }).click()
    await logIn(page, { username: 'demo', password: 'new-password' })
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('back, forward and reload lead to the screens that were there', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByText('Profile').click()
    await untilTitle(page, 'Profile')
    t.match(page.url(), /#\/screen\/profile$/)
    await page.getByText('Main menu').click()
    await untilTitle(page, 'Main Menu')
    await page.getByText('Change password').click()
    await untilTitle(page, 'Change password')

    const steps = ['Main Menu', 'Profile', 'Main Menu']
    for (const title of steps) {
      await page.goBack()
      await untilTitle(page, title)
    }
    for (const title of [...steps.slice(1), 'Change password']) {
      await page.goForward()
      await untilTitle(page, title)
    }
    await page.reload()
    await untilTitle(page, 'Change password')
    await page.goBack()
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('back does not lead past a login form', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url)
    await logIn(page)
    await page.getByText('Profile').click()
    await untilTitle(page, 'Profile')
    await page.getByRole('button', { name: 'Log out' }).click()
    await untilTitle(page, 'Demo Company')
    await page.goBack()
    await page.goForward()
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Demo Company')
    t.notMatch(page.url(), /profile/)
    await logIn(page)
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('an address of a screen asks for the menu first, and leads to the screen', async t => {
    const { url } = await startServer(t, { SVC_AUTH: 'false' })
    const page = await openPage(t, browser, 'about:blank')
    const paths: string[] = []
    page.on('request', request => paths.push(new URL(request.url()).pathname))
    await page.goto(`${url}/#/screen/users`)
    await untilTitle(page, 'Users')
    t.strictSame(
      paths.filter(one => /^.(menu|screen)/.test(one)),
      ['/menu/main', '/screen/users']
    )
    await page.goto(`${url}/#//example.com/menu`)
    await untilMessage(page, /another server/)
    t.match(page.url(), /#\/screen\/users$/)

    const other = await openPage(t, browser, `${url}/#/screen/nowhere`)
    await untilMessage(other, /nothing at this address/)
    await t.resolves(untilTitle(other, 'Main Menu'))
  })

  t.test('back leads past an address that is gone, or has another spelling', async t => {
    const card = { layout: 'Card', title: 'Card' }
    let isGone = false
    const app = await host(t)
    app.get('/gone', (_, reply) => (isGone ? reply.callNotFound() : reply.send({ ...card, title: 'Gone' })))
    app.get('/card', async () => card)
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    for (const [address, title] of [
      ['#/gone', 'Gone'],
      ['#card', 'Card']
    ] as const) {
      await page.evaluate(`location.hash = '${address}'`)
      await untilTitle(page, title)
    }
    isGone = true
    await page.waitForURL('**/#/card')
    for (let i = 0; i < 3; i++) {
      await page.goBack()
      await page.locator('main[aria-busy=false]').waitFor()
      await page.waitForTimeout(100)
    }
    await untilTitle(page, 'Main Menu')
    t.notMatch(page.url(), /#/)
  })

  t.test('no answer is taken from the cache of the browser', async t => {
    const app = await host(t, { mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: {} }) })
    app.addHook('onSend', async (request, reply) => {
      if (request.headers.authorization) reply.header('cache-control', 'max-age=600')
    })
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.reload()
    await untilTitle(page, 'Main Menu')
    await page.getByRole('button', { name: 'Log out' }).click()
    await t.resolves(untilTitle(page, 'Demo Company'))
  })

  t.test('a wide list scrolls by itself, and long names leave the button whole', async t => {
    const columns = Array.from({ length: 12 }, (_, i) => ({ id: `c${i}`, label: `Column number ${i}` }))
    const wide = { layout: 'List', title: 'Wide', columns, rows: [{ c1: 'x' }] }
    const popup = {
      type: 'popup',
      items: [{ label: 'Inner', action: { type: 'message', text: 'long '.repeat(999) } }]
    }
    const items = [
      { label: 'wide', action: { type: 'open_screen', url: '/wide' } },
      { label: 'More', action: popup }
    ]
    const name = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(3)
    const app = await host(t, {
      checkCredentials: () => ({ ...ADA, displayName: name }),
      mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { tabs: [{ label: 'All', items }] } })
    })
    app.get('/wide', async () => wide)
    const url = await listen(app)
    for (const width of [320, 768]) {
      const page = await openPage(t, browser, url, { viewport: { width, height: 640 } })
      await logIn(page, CREDENTIALS)
      await untilTitle(page, 'Main Menu')
      const left = async (text: string) => (await page.getByText(text).boundingBox())?.x ?? 0
      t.ok(
        ((await page.getByRole('button', { name: 'Log out' }).boundingBox())?.height ?? 99) < 40,
        'one line'
      )
      await page.getByText('More').click()
      t.ok((await left('Inner')) > (await left('More')), 'what is in a popup is indented')
      await page.getByText('Inner').click()
      await untilMessage(page, /long/, 'status')
      t.strictSame(await violations(page), [], 'a long message can be scrolled')
      await page.getByText('wide').click()
      await untilTitle(page, 'Wide')
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    }
  })

  t.test(
    'the bar covers nothing that has the focus, in a window as small as a zoom of 400 % makes it',
    async t => {
      const screens = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`item${i}`, {}]))
      const url = await serverOf(t, screens)
      const page = await openPage(t, browser, url, { viewport: { width: 320, height: 256 } })
      await logIn(page, CREDENTIALS)
      await untilTitle(page, 'Main Menu')
      for (let i = 0; i < 11; i++) {
        await page.keyboard.press('Tab')
        const below = `document.activeElement.getBoundingClientRect().bottom -
        document.querySelector('footer').getBoundingClientRect().top`
        t.ok((await page.evaluate<number>(below)) <= 0, await focused(page))
      }
    }
  )

  t.test('with forced colours it is seen which tab is open', async t => {
    const { url } = await startServer(t, {})
    const page = await openPage(t, browser, url, { forcedColors: 'active' })
    await logIn(page)
    const colour = (selected: boolean) =>
      page.evaluate(
        `getComputedStyle(document.querySelector('[role=tab][aria-selected=${selected}]')).borderBottomColor`
      )
    await untilTitle(page, 'Main Menu')
    t.not(await colour(true), await colour(false))
  })

  t.test('a service below a prefix is asked there', async t => {
    const app = await host(t, { prefix: '/v1' })
    const url = await listen(app, '/v1')
    const page = await openPage(t, browser, url.slice(0, -1))
    t.equal(page.url(), url, 'with a slash at its end')
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.reload()
    await t.resolves(untilTitle(page, 'Main Menu'))
  })

  t.test('fields of unknown types, and of none, can be read and saved', async t => {
    const fields = [
      { id: 'a', label: 'Day', type: 'Date', value: '2026-11-21' },
      { id: 'b', type: 'Number', value: 12 },
      { id: 'c', label: 'Nothing', value: null },
      { id: 'd', label: 'Lines', type: 'Text', value: 'one\ntwo' },
      { id: 'e', label: 'Fixed', type: 'Text', value: 'fast', read_only: true },
      { id: 'constructor', label: 'Odd', type: 'Text', value: 'x' },
      null
    ]
    const card = { layout: 'Card', title: 'Types', save_action: '/save', sections: [{ fields }, 7, {}] }
    const app = await host(t)
    app.get('/card', async () => card)
    let saved: unknown
    app.post('/save', async request => {
      saved = request.body
      return { success: true }
    })
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.goto(`${page.url()}#/card`)
    await untilTitle(page, 'Types')
    await page.getByLabel('Nothing').fill('something')
    await page.getByRole('button', { name: 'Save' }).click()
    await untilMessage(page, /Saved/, 'status')
    t.equal(
      JSON.stringify(saved),
      '{"fields":{"a":"2026-11-21","b":"12","c":"something","d":"one\\ntwo","e":"fast","constructor":"x"}}'
    )
    t.strictSame(await violations(page), [])
  })

  t.test('a layout that nobody knows shows the parts that it has, or says so', async t => {
    const screens = {
      Chart: { layout: 'Chart', title: 'Chart' },
      Mixed: {
        layout: 'Mixed',
        title: 'Mixed',
        sections: [{ fields: [{ id: 'a', label: 'A', value: 'b' }] }],
        rows: [{ n: 1 }]
      },
      Nobody: { layout: 'List', title: 'Nobody', columns: [{ id: 'a', label: 'A' }] },
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

  const LIST = {
    layout: 'List',
    title: 'People',
    columns: [
      { id: 'username', label: 'Username' },
      { id: 'display_name', label: 'Display name' }
    ],
    rows: [
      {
        username: 'ada',
        display_name: 'Countess',
        action: { type: 'open_screen', url: '/person?username=ada' }
      },
      { username: 'grace', display_name: 'Admiral' },
      {
        username: '',
        display_name: 'Nameless',
        action: { type: 'open_menu', url: 'https://example.com/menu' }
      },
      { username: 'hi', display_name: 'Message', action: { type: 'message', text: 'Hello.' } },
      {
        username: 'more',
        display_name: 'Popup',
        action: {
          type: 'popup',
          items: [{ label: 'Inner', action: { type: 'open_screen', url: '/person' } }]
        }
      }
    ]
  }
  const PERSON = {
    layout: 'Card',
    title: 'Person',
    save_action: '/save',
    save_label: 'Sign out everywhere',
    sections: [
      { label: 'User', fields: [{ id: 'username', label: 'Username', value: 'ada', read_only: true }] }
    ]
  }

  async function listPage(t: Test, options = {}) {
    const page = await openPage(t, browser, await serverOf(t, { people: LIST, person: PERSON }), options)
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.getByText('people').click()
    await untilTitle(page, 'People')
    return page
  }

  t.test('the first cell of a row with an action is a link, as in a menu', async t => {
    const page = await listPage(t)
    const link = page.getByRole('link', { name: 'ada' })
    t.equal(await link.getAttribute('href'), '#/person?username=ada')
    await page.getByRole('region', { name: 'People' }).focus()
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'ada')
    await page.keyboard.press('Enter')
    await untilTitle(page, 'Person')
    t.match(page.url(), /#\/person\?username=ada$/)
    await page.goBack()
    await t.resolves(untilTitle(page, 'People'))
  })

  t.test('the whole cell of a link can be clicked on', async t => {
    const page = await listPage(t)
    const cell = page.getByRole('cell', { name: 'ada' })
    const { width = 0, height = 0 } = (await cell.boundingBox()) ?? {}
    await cell.click({ position: { x: width - 2, y: height - 2 } })
    await t.resolves(untilTitle(page, 'Person'))
  })

  t.test('an action that leads nowhere is a button in its row, or opens in it', async t => {
    const page = await listPage(t)
    await page.getByRole('button', { name: 'hi' }).click()
    await untilMessage(page, /^Hello\.$/, 'status')
    t.equal(await page.getByText('Inner').isVisible(), false)
    await page.getByText('more', { exact: true }).click()
    await page.getByText('Inner').click()
    await t.resolves(untilTitle(page, 'Person'))
  })

  t.test('a row whose first cell is empty can be clicked on all the same', async t => {
    const page = await listPage(t)
    await page.getByRole('row', { name: 'Nameless' }).getByRole('link', { name: 'Open' }).click()
    await t.resolves(untilMessage(page, /another server. Nothing was sent/))
  })

  t.test('a row without an action is only text', async t => {
    const page = await listPage(t)
    const row = page.getByRole('row', { name: 'grace' })
    t.equal(await row.innerHTML(), '<td dir="auto">grace</td><td dir="auto">Admiral</td>')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`axe-core finds nothing on a list with actions, ${colorScheme}`, async t => {
      const page = await listPage(t, { colorScheme, viewport: { width: 320, height: 640 } })
      await page.getByText('more', { exact: true }).click()
      t.strictSame(await violations(page), [])
      t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    })
  }

  t.test('the button that saves a Card says what the server calls it', async t => {
    const app = await host(t)
    let answer = () => {}
    const held = new Promise<void>(resolve => {
      answer = resolve
    })
    app.get('/person', async () => PERSON)
    app.post('/save', async () => {
      await held
      return { success: true, message: 'Gone.' }
    })
    const page = await openPage(t, browser, await listen(app))
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    await page.goto(`${page.url()}#/person`)
    await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
    const busy = page.getByRole('button', { name: 'Sign out everywhere…' })
    t.equal(await busy.getAttribute('aria-disabled'), 'true')
    answer()
    await untilMessage(page, /Gone/, 'status')
    t.equal(await page.locator('button[type=submit]').textContent(), 'Sign out everywhere')
    t.strictSame(await violations(page), [])
  })

  t.test('menu items: popups, links to elsewhere, and what cannot be followed', async t => {
    const page = await openPage(
      t,
      browser,
      await serverOf(t, { inner: { layout: 'Menu', title: 'Inner' } }, [
        {
          label: 'More',
          action: { type: 'popup', items: [{ label: 'Deep', action: { type: 'message', text: 'Hi' } }] }
        },
        { label: 'Docs', action: { type: 'open_url', url: 'https://example.com/docs' } },
        { label: 'Inner menu', action: { type: 'open_menu', url: '/inner' } },
        { label: 'Print', action: { type: 'print' } },
        { label: 'Elsewhere', action: { type: 'open_screen', url: 'https://example.com/screen' } },
        { label: 'Gone', action: { type: 'open_screen', url: '/gone' } }
      ])
    )
    await logIn(page, CREDENTIALS)
    await untilTitle(page, 'Main Menu')
    t.equal(await page.getByText('Deep').isVisible(), false)
    await page.getByText('More').click()
    await page.getByText('Deep').click()
    await untilMessage(page, /^Hi$/, 'status')
    const docs = page.getByText('Docs')
    t.equal(await docs.getAttribute('href'), 'https://example.com/docs')
    t.match(await docs.getAttribute('rel'), /noopener noreferrer/)
    await page.getByText('Print').click()
    await untilMessage(page, /cannot follow the action "print"/)
    await page.getByText('Elsewhere').click()
    await untilMessage(page, /another server. Nothing was sent/)
    await page.getByText('Gone').click()
    await untilMessage(page, /nothing at this address/)
    t.strictSame(await violations(page), [])
    await page.getByText('Inner menu').click()
    await t.resolves(untilTitle(page, 'Inner'))
  })

  t.test('no string of a server becomes HTML, a script, or the address of one', async t => {
    const attack = (place: string) =>
      `${place}<img src=x onerror="top.hacked=1"><script>top.hacked=1</script>"'\`><svg onload=top.hacked=1>`
    const url = 'javascript:top.hacked=1'
    const field = (type: string) => ({ id: attack('id'), label: attack(type), type, value: attack('value') })
    const sections = [
      { id: attack('id'), label: attack('section'), fields: ['Text', attack('type')].map(field) }
    ]
    const screens = {
      card: { layout: 'Card', title: attack('card'), sections },
      form: { layout: 'Card', title: attack('form'), save_action: url, save_label: attack('save'), sections },
      list: {
        layout: 'List',
        title: attack('list'),
        columns: [{ id: 'a', label: attack('column') }],
        rows: [
          { a: attack('cell') },
          { a: attack('link'), action: { type: 'open_screen', url } },
          { a: attack('row'), action: { type: 'open_url', url } }
        ]
      },
      other: { layout: attack('layout'), title: attack('other') }
    }
    const items = [
      ...Object.keys(screens).map(name => ({
        label: attack(name),
        action: { type: 'open_screen', url: `/${name}` }
      })),
      { label: attack('message'), action: { type: 'message', text: attack('text') } },
      { label: attack('url'), action: { type: 'open_url', url } },
      {
        label: attack('data'),
        action: { type: 'open_url', url: 'data:text/html,<script>top.hacked=1</script>' }
      },
      { label: attack('screen'), action: { type: 'open_screen', url } },
      { label: attack('action'), action: { type: attack('type') } },
      {
        label: attack('popup'),
        action: { type: 'popup', items: [{ label: attack('deep'), action: { type: 'message' } }] }
      }
    ]
    const menu = { panel_title: attack('panel'), tabs: [{ label: attack('tab'), items }] }
    const user = { username: ADA.username, displayName: attack('name') }
    const app = await host(t, {
      appName: attack('app'),
      loginForm: ({ sections: [section] = [], ...form }: ScreenContract) => ({
        ...form,
        sections: [
          {
            ...section,
            label: attack('section'),
            fields: section?.fields.map((field: Field) => ({ ...field, label: attack(field.id) }))
          }
        ]
      }),
      checkCredentials: ({ password }: { password: string }) =>
        password === PASSWORD ? user : { error: attack('error') },
      mainMenu: () => ({ layout: 'Menu', title: attack('menu'), menu })
    })
    for (const [name, screen] of Object.entries(screens)) app.get(`/${name}`, async () => screen)
    const page = await openPage(t, browser, await listen(app))

    /** The attack is there to be read, and there is nothing else. */
    const check = async (...places: string[]) => {
      for (const place of places) await page.getByText(attack(place), { exact: true }).first().waitFor()
      t.strictSame(
        await page.evaluate('[globalThis.hacked, document.images.length, document.scripts.length]'),
        [undefined, 0, 1]
      )
    }
    const enter = async (password: string) => {
      await page.locator('[name=username]').fill('ada')
      await page.locator('[name=password]').fill(password)
      await page.keyboard.press('Enter')
    }
    await check('app', 'section', 'username', 'password')
    await enter('wrong')
    await check('error')
    await enter(PASSWORD)
    await check('menu', 'panel', 'tab', 'name')
    await page.locator('summary').click()
    await check('popup', 'deep')
    for (const item of ['message', 'url', 'data', 'screen', 'action']) {
      await page.getByText(attack(item), { exact: true }).click()
      await page.locator('footer').filter({ hasText: /\w/ }).waitFor()
      await check('menu')
    }
    const seen = {
      card: ['Text', 'value'],
      form: ['Text', 'save'],
      list: ['column', 'cell', 'link', 'row'],
      other: []
    }
    for (const [name, places] of Object.entries(seen)) {
      await page.getByText(attack(name), { exact: true }).click()
      await untilTitle(page, attack(name))
      await check(name, 'name', ...places)
      await page.goBack()
      await untilTitle(page, attack('menu'))
    }
    await page.getByText(attack('form'), { exact: true }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await untilMessage(page, /another server/)
    await check('form')
  })
}
