// The lists of the terminal client, whose rows may have an action.

import t from 'tap'
import { needs } from '../../needs.ts'
import { at, field, menu, message, open, opened } from './screen-server.ts'

if (needs(t, 'tmux')) {
  t.jobs = 3

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
}
