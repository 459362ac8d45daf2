// The lists of the terminal client, whose rows may open something.

import t from 'tap'
import { needs } from '../../needs.ts'
import { at, card, field, menu, message, open, opened } from './screen-server.ts'

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('a list keeps its header and its columns', async t => {
    const columns = [
      { id: 'a', label: 'Alpha' },
      { id: 'b', label: 'Beta' },
      { id: 'c', label: 'Gamma' }
    ]
    const rows = Array.from({ length: 100 }, (_, index) => ({
      values: [`row ${index}`, ['漢字', 'é', '👩‍👩‍👧', 'plain'][index % 4], 'c'.repeat(200)]
    }))
    const { terminal } = await at(t, { layout: 'List', title: 'List', lines: { columns, rows } })
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

  t.test('a new record is created from a list', async t => {
    const list = {
      layout: 'List',
      title: 'People',
      actions: { create: '/new' },
      lines: { columns: [], rows: [] }
    }
    const blank = card(
      [field('name'), field('on', { type: 'Boolean', value: 'false', false_label: 'Off' })],
      {
        title: 'New',
        actions: { create: '/create', save: '/save' }
      }
    )
    const { terminal } = await at(t, list, { '/new': blank })
    await terminal.until(/\[ New \]/)
    await terminal.press('Enter')
    const screen = await terminal.until(/\[ \] Off/)
    t.match(screen, /\[ Create \]/)
    t.notMatch(screen, /\[ Save \]/)
  })

  const people = (count: number, more: object = {}) => ({
    layout: 'List',
    title: 'People',
    lines: {
      columns: [{ id: 'username', label: 'Username' }, { id: 'name' }],
      rows: Array.from({ length: count }, (_, index) => ({
        index,
        values: [`user${index}!`, `Name ${index}`, `${index}`]
      })),
      row_count: count,
      on_select: '/user?n={2}',
      ...more
    }
  })

  t.test('a row is reached and opened like an item of a menu', async t => {
    const list = menu([{ label: 'Tab', items: [open('People', '/people')] }])
    const { terminal } = await at(t, list, { '/people': people(5), ...opened(3) })
    await terminal.until(/❯ People/)
    await terminal.press('Enter')
    const screen = await terminal.until(/❯ user0!/)
    t.match(screen, /^ {3}Username {2}name\n ❯ user0! +Name 0\n {3}user1! +Name 1$/m)
    t.match(screen, /↑↓ move {3}Enter open {3}Esc back/)
    await terminal.press('Up', 'Down')
    await terminal.until(/❯ user1!/)
    await terminal.press('Tab', 'Tab', 'Tab', 'BTab')
    await terminal.until(/❯ user3!/)
    await terminal.press('Enter')
    await terminal.until(/User +number 3/)
    await terminal.press('Escape')
    await terminal.until(/❯ user3!/)
  })

  t.test('the values in the URL of a row are encoded, and a row without a name can be opened', async t => {
    const rows = [{ values: ['', 'Ada & Søn'] }]
    const { terminal } = await at(t, people(0, { rows, on_select: '/user?n={1}' }), {
      '/user?n=Ada%20%26%20S%C3%B8n': card([field('u', { value: 'the right one' })])
    })
    await terminal.until(/❯ Open +Ada & Søn/)
    await terminal.press('Enter')
    t.match(await terminal.until(/Label u/), /the right one/)
  })

  t.test('a column of numbers is on the right', async t => {
    const columns = [
      { id: 'n', label: 'Count', align: 'right' },
      { id: 'a', label: 'Last', align: 'right' }
    ]
    const rows = [{ values: ['7', 'x'] }, { values: ['1,815', 'y'] }]
    const { terminal } = await at(t, people(0, { columns, rows, on_select: undefined }))
    t.match(await terminal.until(/Count/), /^ {3}Count {2}Last\n {7}7 {5}x\n {3}1,815 {5}y$/m)
  })

  t.test('in a list of thousands of rows each key finds its row', async t => {
    const { terminal } = await at(t, people(5000), opened(4999), { columns: 30, rows: 12 })
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

  t.test('a list without rows, a card without fields, and a layout that nobody knows', async t => {
    const items = [
      open('List', '/list'),
      open('Card', '/card'),
      open('Other', '/other'),
      open('Parts', '/parts')
    ]
    const { terminal } = await at(t, menu([{ label: 'Tab', items }]), {
      '/list': { layout: 'List', title: 'Empty list', lines: { columns: [{ id: 'a', label: 'Alpha' }] } },
      '/card': { layout: 'Card', title: 'Empty card' },
      '/other': { layout: 'Hologram', title: 'Other' },
      '/parts': {
        layout: 'Dashboard',
        title: 'Parts',
        sections: [{ label: 'Facts', fields: [field('a', { value: 'known', type: 'Password' })] }],
        menu: { tabs: [{ label: 'Here', items: [message('Go')] }] },
        lines: { columns: [{ label: 'a' }], rows: [{ values: [1] }] }
      }
    })
    for (const says of [
      /Alpha\n +Nothing here yet\./,
      /Nothing here yet\./,
      /does not know the layout: Hologram/
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
