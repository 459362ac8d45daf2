// The terminal client shows the strings of a server as text, whatever is in them.

import t from 'tap'
import { needs } from '../../needs.ts'
import { at, card, field, menu, open } from './screen-server.ts'

/** What a terminal would obey, or what would turn a text round. */
const EVIL = '\x1b[31mred\x1b]0;renamed\x07\x1b[2J\r\n\t\x9b5;5H\u202Eevil\u2066\x7f'
const EVIL_AS_SEEN = '[31mred]0;renamed[2J  5;5Hevil'

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
          { fields: [field('b', { label: 'Fixed', value: `W${EVIL}`, editable: false, type: EVIL })] }
        ]
      },
      '/list': {
        layout: 'List',
        title: `List${EVIL}`,
        lines: { columns, rows: [{ values: [`Row${EVIL}`, `Cell${EVIL}`] }], on_select: `/x?${EVIL}={0}` }
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
    await shows(`❯ Row${EVIL_AS_SEEN}`, `Column${EVIL_AS_SEEN}`, `Cell${EVIL_AS_SEEN}`)
    await terminal.press('Escape')
    await terminal.until(/❯ List/)
    await terminal.press('Down', 'Enter')
    await shows(`This client does not know the layout: Layout${EVIL_AS_SEEN}`)
  })

  t.test(
    'the words of a server for the client itself are not obeyed either, and Ctrl-C stays visible',
    async t => {
      const keys = ['save', 'choose', 'no', 'key_next', 'key_choose', 'key_quit']
      const fields = [
        field('a', { placeholder: `Hint${EVIL}` }),
        field('b', { type: 'Option', options: [`One${EVIL}`] }),
        field('c', { type: 'Boolean' })
      ]
      const more = {
        status: `Error: Fault${EVIL}`,
        ui_strings: Object.fromEntries(keys.map(key => [key, `${key}${EVIL}`]))
      }
      const { terminal } = await at(t, card(fields, more), {}, { columns: 120 })
      await terminal.until(/❯ Label a +Hint/)
      await terminal.press('Tab', 'Right')
      const screen = await terminal.until(/‹ One/)
      const texts = ['One', 'Hint', 'Fault', 'save', 'no'].map(text => text + EVIL_AS_SEEN)
      for (const text of [...texts, 'Ctrl-C key_quit']) t.ok(screen.includes(text), text)
      t.notMatch((await terminal.screen()).replaceAll('\n', ''), /[\p{Cc}\u202E\u2066]/u)
    }
  )

  t.test('the name stays where it is beside a title that is too long', async t => {
    const main = { ...menu([]), title: '漢字 title '.repeat(20), user_display_name: 'Zoë 漢字' }
    const { terminal } = await at(t, main, {}, { columns: 40, rows: 12 })
    t.match(await terminal.until(/Zoë/), /^.*… +Zoë 漢字$/m)
    t.match(await terminal.screen(), /This menu is empty\./)
  })
}
