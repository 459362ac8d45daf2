// Whatever a server sends and a person types: a server with screens that the example server does not have.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { needs } from '../../needs.ts'
import { Terminal, type TerminalOptions } from './tmux.ts'

/** What a terminal would obey, or what would turn a text round. */
const EVIL = '\x1b[31mred\x1b]0;renamed\x07\x1b[2J\r\n\t\x9b5;5H\u202Eevil\u2066\x7f'
const EVIL_AS_SEEN = '[31mred]0;renamed[2J  5;5Hevil'

const message = (label: string, text = `You chose ${label}.`) => ({
  label,
  action: { type: 'message', text }
})
const open = (label: string, url: string) => ({ label, action: { type: 'open_screen', url } })
const field = (id: string, more: object = {}) => ({
  id,
  label: `Label ${id}`,
  type: 'Text',
  value: '',
  ...more
})
const menu = (tabs: object[]) => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs } })

/** Serves screens by their path, without a login, and remembers what is posted. */
async function screens(
  t: Test,
  all: Record<string, object>,
  answer: object = { success: true, message: 'Kept.' }
) {
  const posted: { fields: Record<string, string> }[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') posted.push(JSON.parse(await text(request)))
    const found = request.method === 'POST' ? answer : all[request.url ?? '']
    // What is slow shows what happens meanwhile.
    if (request.url?.startsWith('/slow')) await new Promise(resolve => setTimeout(resolve, 1000))
    response.statusCode = found ? 200 : request.url === '/broken' ? 500 : 404
    response.end(JSON.stringify(found ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted }
}

/** The client at a menu, or at whatever is at that place. */
async function at(t: Test, main: object, others: Record<string, object> = {}, options: TerminalOptions = {}) {
  const { url, posted } = await screens(t, { '/menu/main': main, ...others })
  const terminal = await Terminal.start(t, url, options)
  await terminal.until(screen => !screen.includes('Connecting'))
  return { terminal, posted }
}

const card = (fields: object[], more: object = {}) => ({
  layout: 'Card',
  title: 'Form',
  save_action: '/save',
  sections: [{ id: 's', label: 'Section', fields }],
  ...more
})

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('no text of a server is obeyed by the terminal', async t => {
    const evilMenu = {
      layout: 'Menu',
      title: `Title${EVIL}`,
      user_display_name: `Name${EVIL}`,
      menu: {
        panel_title: `Panel${EVIL}`,
        tabs: [
          {
            label: `Tab${EVIL}`,
            items: [
              { label: `Item${EVIL}`, action: { type: 'message', text: `Text${EVIL}` } },
              { label: `${EVIL}`, action: { type: 'separator' } },
              { label: 'Strange', action: { type: `Type${EVIL}` } },
              { label: 'Link', action: { type: 'open_url', url: `https://example.org/${EVIL}` } },
              open('Card', '/card'),
              open('List', '/list'),
              open('Unknown', '/unknown')
            ]
          }
        ]
      }
    }
    const columns = [{ id: EVIL, label: `Column${EVIL}` }, { id: `${EVIL}2` }]
    const others = {
      '/card': {
        ...card([
          field(`id${EVIL}`, { label: `Label${EVIL}`, value: `Value${EVIL}` }),
          field(EVIL, { label: '' })
        ]),
        sections: [
          {
            id: EVIL,
            label: `Section${EVIL}`,
            fields: [field('a', { label: `Label${EVIL}`, value: `V${EVIL}` })]
          },
          { fields: [field('b', { label: 'Fixed', value: `W${EVIL}`, read_only: true, type: EVIL })] }
        ]
      },
      '/list': {
        layout: 'List',
        title: `List${EVIL}`,
        columns,
        rows: [
          { [EVIL]: `Cell${EVIL}`, [`${EVIL}2`]: 'x' },
          { [EVIL]: `Row${EVIL}`, action: { type: EVIL } }
        ]
      },
      '/unknown': { layout: `Layout${EVIL}`, title: 'U' }
    }
    const { terminal } = await at(t, evilMenu, others, { columns: 120 })
    const shows = async (...texts: string[]) => {
      const screen = await terminal.until(screen => screen.includes(texts[0] ?? ''))
      for (const text of texts) t.ok(screen.includes(text), text)
      t.notMatch((await terminal.screen()).replaceAll('\n', ''), /[\p{Cc}\u202E\u2066]/u)
      t.not(await terminal.variable('pane_title'), 'renamed')
      t.equal(await terminal.variable('alternate_on'), '1')
    }
    await shows(...['Title', 'Name', 'Panel', 'Tab', 'Item'].map(text => text + EVIL_AS_SEEN))
    await terminal.press('Enter')
    await shows(`Text${EVIL_AS_SEEN}`)
    await terminal.press('Down', 'Enter')
    await shows(`Type${EVIL_AS_SEEN}`)
    await terminal.press('Down', 'Enter')
    await shows(`Open in a browser: https://example.org/${EVIL_AS_SEEN}`)
    await terminal.press('Down', 'Enter')
    await shows('Section[31mred', `V${EVIL_AS_SEEN}`, `W${EVIL_AS_SEEN}`)
    await terminal.press('Escape')
    await terminal.until(/❯ Card/)
    await terminal.press('Down', 'Enter')
    await shows(`Cell${EVIL_AS_SEEN}`, `Column${EVIL_AS_SEEN}`, `❯ Row${EVIL_AS_SEEN}`)
    await terminal.press('Escape')
    await terminal.until(/❯ List/)
    await terminal.press('Down', 'Enter')
    await shows(`This client does not know the layout "Layout${EVIL_AS_SEEN}".`)
  })

  t.test('tabs, items, separators and popups of a menu', async t => {
    const popup = {
      label: 'More',
      action: {
        type: 'popup',
        items: [message('Inner'), { label: 'Nothing', action: { type: 'popup', items: [] } }]
      }
    }
    const main = menu([
      {
        label: 'One',
        items: [message('First'), { label: '', action: { type: 'separator' } }, message('Second'), popup]
      },
      { label: 'Two', items: [] },
      { label: 'Three', items: [{ label: 'Link', action: { type: 'open_url', url: 'javascript:alert(1)' } }] }
    ])
    const { terminal } = await at(t, main)
    t.match(await terminal.until(/❯ First/), /\[One\] +Two +Three\n\n +❯ First\n +─+\n +Second\n +More ›/)
    await terminal.press('Up', 'Down')
    await terminal.until(/❯ Second/)
    await terminal.press('Enter')
    await terminal.until(/You chose Second\./)
    await terminal.press('Tab')
    await terminal.press('Enter')
    t.match(await terminal.until(/❯ Inner/), /Esc close/)
    await terminal.press('Down', 'Enter')
    t.match(await terminal.until(/This menu is empty\./), /More › Nothing/)
    await terminal.press('Escape')
    await terminal.until(/❯ Nothing/)
    await terminal.press('Escape')
    await terminal.until(/❯ More/)
    await terminal.press('Tab')
    await terminal.until(/❯ First/)
    await terminal.press('BTab')
    await terminal.until(/❯ More/)
    await terminal.press('Right')
    t.match(await terminal.until(/\[Two\]/), /This menu is empty\./)
    await terminal.press('Right', 'Enter')
    await terminal.until(/✗ This address cannot be followed\./)
    await terminal.press('Left', 'Left', 'Left')
    await terminal.until(/❯ First/)
    await terminal.press('Escape')
    await terminal.until(/Press Ctrl-C to quit\./)
  })

  t.test('a menu that does not fit scrolls with the focus', async t => {
    const items = Array.from({ length: 50 }, (_, index) => message(`Item ${index}!`))
    const { terminal } = await at(t, menu([{ label: 'Tab', items }]), {}, { columns: 40, rows: 12 })
    await terminal.until(/❯ Item 0!/)
    await terminal.press('End')
    t.match(await terminal.until(/❯ Item 49!/), /\[Tab\]/, 'the tabs stay')
    await terminal.press('PPage')
    await terminal.until(screen => /❯ Item 4\d!/.test(screen) && !/❯ Item 49/.test(screen))
    await terminal.press('Home')
    await terminal.until(/❯ Item 0!/)
    await terminal.press(...Array.from({ length: 20 }, () => 'Down'))
    await terminal.until(/❯ Item 20!/)
    await terminal.resize(40, 6)
    await terminal.until(/❯ Item 20!/)
    await terminal.press('NPage')
    await terminal.until(/❯ Item 2[1-9]!/)
  })

  t.test('a form that does not fit scrolls with the focus, and is saved from any field', async t => {
    const fields = Array.from({ length: 30 }, (_, index) => field(`f${index}`, { read_only: index === 1 }))
    const { terminal, posted } = await at(t, card(fields), {}, { rows: 12 })
    await terminal.until(/❯ Label f0/)
    await terminal.press('BTab')
    await terminal.until(/❯ \[ Save \]/)
    await terminal.press('Up')
    await terminal.until(/❯ Label f29/)
    await terminal.type('last')
    await terminal.press('Tab', 'Tab', 'Down')
    await terminal.until(/❯ Label f2$/m)
    await terminal.type('second')
    await terminal.press('Enter')
    await terminal.until(/Kept\./)
    t.match(posted, [{ fields: { f0: '', f2: 'second', f29: 'last' } }])
  })

  t.test('a field is edited by what a person takes for a character', async t => {
    const { terminal, posted } = await at(t, card([field('a'), field('b')]))
    await terminal.until(/❯ Label a/)
    await terminal.type('x漢👩‍👩‍👧éy')
    await terminal.until(/x漢/)
    await terminal.press('Left', 'BSpace', 'BSpace')
    await terminal.until(/x漢y$/m)
    await terminal.press('C-a')
    await terminal.type('[')
    await terminal.press('Right', 'DC', 'End')
    await terminal.type(']')
    await terminal.until(/\[xy\]$/m)
    await terminal.press('Left', 'Left', 'C-u', 'C-e')
    await terminal.type('🏳️‍🌈')
    await terminal.press('Home', 'Left', 'BSpace', 'Enter')
    await terminal.until(/Kept\./)
    t.match(posted, [{ fields: { a: 'y]🏳️‍🌈', b: '' } }])
  })

  t.test('a long value scrolls in its field', async t => {
    const { terminal } = await at(t, card([field('a'), field('b', { value: `begin${'-'.repeat(200)}end` })]))
    await terminal.until(/begin-+…$/m)
    await terminal.type(`first${'.'.repeat(100)}last`)
    t.notMatch(await terminal.until(/\.last$/m), /first/)
    await terminal.press('Home')
    t.notMatch(await terminal.until(/ first\.+$/m), /last/)
  })

  for (const isMarked of [true, false]) {
    t.test(
      `a line break in a paste submits nothing${isMarked ? '' : ', even if it is not marked'}`,
      async t => {
        const { terminal, posted } = await at(t, card([field('a', { type: 'Password' })]))
        await terminal.until(/❯ Label a/)
        await terminal.paste(`one\r\n\r\ntwo\nthr\ree${isMarked ? '\x1b[A\t\x03' : ''}`, { isMarked })
        await terminal.until(/•{9}/)
        await terminal.press('C-e')
        await terminal.type('!')
        await terminal.press('Enter')
        await terminal.until(/Kept\./)
        t.strictSame(posted, [{ fields: { a: isMarked ? 'onetwothree[A!' : 'onetwothree!' } }])
      }
    )
  }

  t.test('ten thousand characters are pasted at once', async t => {
    const { terminal, posted } = await at(t, card([field('a')]))
    await terminal.until(/❯ Label a/)
    await terminal.paste(`${'long '.repeat(2000)}!`)
    await terminal.until(/long !$/m)
    await terminal.press('Enter')
    await terminal.until(/Kept\./)
    t.equal(posted[0]?.fields.a, `${'long '.repeat(2000)}!`)
  })

  t.test('keys that come in one piece are as good as one after the other', async t => {
    const { terminal, posted } = await at(t, card([field('a'), field('b')]))
    await terminal.until(/❯ Label a/)
    await terminal.type('one\ttwo\x1b[Z\x1b[C!\r')
    await terminal.until(/Kept\./)
    t.strictSame(posted, [{ fields: { a: 'one!', b: 'two' } }])
  })

  t.test('nothing but Ctrl-C is followed while a screen is fetched', async t => {
    const items = [open('Slow', '/slow'), open('Gone', '/gone')]
    const { terminal } = await at(t, menu([{ label: 'Tab', items }]), {
      '/slow': { layout: 'Card', title: 'Came' }
    })
    await terminal.until(/❯ Slow/)
    await terminal.press('Enter')
    await terminal.until(/Loading…/)
    await terminal.press('Down', 'Enter', 'Escape')
    await terminal.until(/Came/)
    await terminal.press('Escape')
    await terminal.until(/❯ Slow/)
    await terminal.press('Down', 'Enter')
    await terminal.until(/✗ The server has nothing at this address\./)
  })

  t.test('Esc leads back from a screen that the server cannot send', async t => {
    const items = [message('First'), open('Broken', '/broken')]
    const { terminal } = await at(t, menu([{ label: 'Tab', items }]))
    await terminal.until(/❯ First/)
    await terminal.press('Escape')
    await terminal.until(/Press Ctrl-C to quit\./)
    await terminal.press('Down', 'Enter')
    t.match(await terminal.until(/No answer/), /Esc back/)
    await terminal.press('Escape')
    t.match(await terminal.until(/Main Menu/), /❯ Broken/)
  })

  t.test('a list keeps its header and its columns', async t => {
    const columns = [
      { id: 'a', label: 'Alpha' },
      { id: 'b', label: 'Beta' },
      { id: 'c', label: 'Gamma' }
    ]
    const rows = Array.from({ length: 100 }, (_, index) => ({
      a: `row ${index}`,
      b: ['漢字', 'é', '👩‍👩‍👧', 'plain'][index % 4],
      c: 'c'.repeat(200)
    }))
    const { terminal } = await at(t, { layout: 'List', title: 'List', columns, rows })
    const screen = await terminal.until(/row 0/)
    t.match(screen, /Alpha +Beta +Gamma/)
    for (const line of screen.split('\n').filter(line => /row \d/.test(line))) t.match(line, /c…$/)
    await terminal.press('NPage')
    t.match(await terminal.until(screen => !/row 0 /.test(screen)), /Alpha +Beta +Gamma/)
    await terminal.press('End')
    await terminal.until(/row 99/)
    await terminal.press('Up')
    await terminal.until(screen => !/row 99/.test(screen))
    await terminal.resize(30, 12)
    t.match(await terminal.until(/↑/), /Al.* +B.* +G/)
  })

  const rowsOf = (count: number, hasAction: (index: number) => boolean) =>
    Array.from({ length: count }, (_, index) => ({
      username: `user${index}!`,
      name: `Name ${index}`,
      ...(hasAction(index) && { action: { type: 'open_screen', url: `/user?n=${index}` } })
    }))
  const people = (rows: object[]) => ({
    layout: 'List',
    title: 'People',
    columns: [{ id: 'username', label: 'Username' }, { id: 'name' }],
    rows
  })
  const opened = (index: number) => ({
    [`/user?n=${index}`]: card([field('u', { label: 'User', value: `number ${index}`, read_only: true })], {
      save_label: 'Sign out everywhere'
    })
  })

  t.test('a row with an action is reached and opened like an item of a menu', async t => {
    const rows = rowsOf(5, index => index !== 2)
    const list = menu([{ label: 'Tab', items: [open('People', '/people')] }])
    const { terminal } = await at(t, list, { '/people': people(rows), ...opened(3) })
    await terminal.until(/❯ People/)
    await terminal.press('Enter')
    const screen = await terminal.until(/❯ user0!/)
    t.match(screen, /^ {3}Username {2}name\n ❯ user0! +Name 0\n {3}user1! +Name 1\n {3}user2! +Name 2$/m)
    t.match(screen, /↑↓ move {3}Enter open {3}Esc back/)
    await terminal.press('Up', 'Down')
    await terminal.until(/❯ user1!/)
    await terminal.press('Down')
    await terminal.until(/❯ user3!/)
    await terminal.press('Tab', 'Tab', 'BTab', 'BTab')
    await terminal.until(/❯ user3!/)
    await terminal.press('Enter')
    await terminal.until(/User +number 3/)
    await terminal.press('Escape')
    await terminal.until(/❯ user3!/)
  })

  t.test('the message of a row is shown below the list, and its popup instead of it', async t => {
    const items = [message('Inner'), open('User', '/user?n=1')]
    const rows = [
      { username: 'first', action: { type: 'message', text: 'Hello.' } },
      { username: '', name: 'Nameless', action: { type: 'open_url', url: 'https://example.org/' } },
      { username: 'more', action: { type: 'popup', items } }
    ]
    const { terminal } = await at(t, people(rows), opened(1))
    await terminal.until(/❯ first/)
    await terminal.press('Enter')
    await terminal.until(/Hello\./)
    await terminal.press('Down')
    await terminal.until(/❯ Open +Nameless/)
    await terminal.press('Enter')
    await terminal.until(/Open in a browser: https:\/\/example\.org\//)
    await terminal.press('Down', 'Enter')
    t.match(await terminal.until(/❯ Inner/), /^ {3}more\n\n ❯ Inner\n {3}User\n\n/m)
    await terminal.press('Escape')
    await terminal.until(/❯ more/)
    await terminal.press('Enter', 'Down', 'Enter')
    await terminal.until(/number 1/)
    await terminal.press('Escape')
    await terminal.until(/❯ more/)
  })

  t.test('in a list of thousands of rows each key finds its row', async t => {
    const rows = rowsOf(5000, () => true)
    const { terminal } = await at(t, people(rows), opened(4999), { columns: 30, rows: 12 })
    await terminal.until(/❯ user0!/)
    await terminal.press('End')
    t.match(await terminal.until(/❯ user4999!/), /Username +name/)
    await terminal.press('Enter')
    await terminal.until(/number 4999/)
    await terminal.press('Escape')
    await terminal.until(/❯ user4999!/)
    await terminal.press('PPage', 'Up')
    await terminal.until(/❯ user4993!/)
    await terminal.press('Home')
    await terminal.until(/❯ user0!/)
    await terminal.press(...Array.from({ length: 50 }, () => 'Down'))
    await terminal.until(/❯ user50!/)
    await terminal.resize(20, 8)
    for (const line of (await terminal.until(/❯ user50! +N/)).split('\n')) t.ok(line.length <= 20)
  })

  t.test(
    'the arrows skip no rows unseen on the way to the next that can be opened, and Tab does',
    async t => {
      const rows = rowsOf(100, index => index % 50 === 2)
      const { terminal } = await at(t, people(rows), opened(2), { rows: 14 })
      await terminal.until(/❯ user2!/)
      await terminal.press('Down', 'Down', 'Down')
      t.match(await terminal.until(/user10!/), /Username +name\n {3}user3!/)
      await terminal.press(...Array.from({ length: 41 }, () => 'Down'))
      t.match(await terminal.until(/user51!/), /Username +name\n {3}user44!/)
      await terminal.press('Down')
      await terminal.until(/❯ user52!/)
      await terminal.press('NPage', 'PPage', 'PPage')
      t.notMatch(await terminal.until(/↑ 38 more/), /❯/)
      await terminal.press('Enter')
      await terminal.until(/❯ user52!/)
      await terminal.press('Tab')
      await terminal.until(/❯ user2!/)
      await terminal.press('Enter')
      await terminal.until(/number 2/)
    }
  )

  t.test('the button that saves a Card says what the server calls it', async t => {
    const label = 'Sign out everywhere'
    const long = card([field('a')], { save_label: 'x'.repeat(200) })
    const items = [open('Short', '/user?n=1'), open('Long', '/long'), open('Slow', '/slow')]
    const { terminal } = await at(t, menu([{ label: 'Tab', items }]), {
      ...opened(1),
      '/long': long,
      '/slow': card([], { save_action: '/slow', save_label: label })
    })
    await terminal.until(/❯ Short/)
    await terminal.press('Enter')
    const screen = await terminal.until(/❯ \[ Sign out everywhere \]/)
    t.match(screen, /Tab next {3}Enter sign out everywhere {3}Esc back/)
    await terminal.press('Escape')
    await terminal.until(/❯ Short/)
    await terminal.press('Down', 'Enter')
    t.match(await terminal.until(/\[ x+…$/m), /Tab next {3}Enter x+… {3}Esc back {3}Ctrl-C quit/)
    await terminal.press('Escape')
    await terminal.until(/❯ Long/)
    await terminal.press('Down', 'Enter')
    await terminal.until(/❯ \[ Sign out everywhere \]/)
    await terminal.press('Enter')
    await terminal.until(/^ Sign out everywhere…$/m)
    await terminal.until(/Kept\./)
  })

  t.test('a list without rows, a card without fields, and a layout that nobody knows', async t => {
    const items = [
      open('List', '/list'),
      open('Card', '/card'),
      open('Other', '/other'),
      open('Parts', '/parts')
    ]
    const { terminal } = await at(t, menu([{ label: 'Tab', items }]), {
      '/list': { layout: 'List', title: 'Empty list', columns: [{ id: 'a', label: 'Alpha' }] },
      '/card': { layout: 'Card', title: 'Empty card' },
      '/other': { layout: 'Hologram', title: 'Other' },
      '/parts': {
        layout: 'Dashboard',
        title: 'Parts',
        sections: [{ label: 'Facts', fields: [field('a', { value: 'known', type: 'Password' })] }],
        menu: { tabs: [{ label: 'Here', items: [message('Go')] }] },
        rows: [{ a: 1 }]
      }
    })
    for (const says of [
      /Alpha\n +Nothing here yet\./,
      /Nothing here yet\./,
      /does not know the layout "Hologram"/
    ]) {
      await terminal.until(/❯ \w+$/m)
      await terminal.press('Enter')
      await terminal.until(says)
      await terminal.press('Escape')
      await terminal.until(/Main Menu/)
      await terminal.press('Down')
    }
    await terminal.until(/❯ Parts/)
    await terminal.press('Enter')
    const parts = await terminal.until(/❯ Go/)
    t.match(parts, /Facts\n\n +Label a +•{5}\n/)
    t.match(parts, /a\n +1\n/)
  })

  t.test('the name stays where it is beside a title that is too long', async t => {
    const main = { ...menu([]), title: '漢字 title '.repeat(20), user_display_name: 'Zoë 漢字' }
    const { terminal } = await at(t, main, {}, { columns: 40, rows: 12 })
    t.match(await terminal.until(/Zoë/), /^.*… +Zoë 漢字$/m)
    t.match(await terminal.screen(), /This menu is empty\./)
  })
}
