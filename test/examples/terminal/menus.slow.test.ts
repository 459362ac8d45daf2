// The menus of the terminal client.

import t from 'tap'
import { needs } from '../../needs.ts'
import { at, menu, message, open } from './screen-server.ts'

if (needs(t, 'tmux')) {
  t.jobs = 3

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

  t.test('nothing but Ctrl-C is followed while a screen is fetched', async t => {
    const items = [open('Slow', '/slow'), open('Gone', '/gone')]
    const main = { ...menu([{ label: 'Tab', items }]), user_display_name: 'Ada' }
    const { terminal, release } = await at(t, main, {
      '/slow': { layout: 'Card', title: 'Came' }
    })
    await terminal.until(/❯ Slow/)
    await terminal.press('Enter')
    await terminal.until(/Loading…/)
    await terminal.press('Down', 'Enter', 'Escape')
    // Once it has drawn itself anew in two other sizes, it has read the keys, too.
    for (const [columns, rows] of [
      [60, 20],
      [80, 24]
    ] as const) {
      await terminal.resize(columns, rows)
      await terminal.until(
        screen => /^ ?Main Menu +Ada ?\n/.test(screen) && screen.indexOf('\n') >= columns - 1
      )
    }
    release()
    await terminal.until(/Came/)
    await terminal.press('Escape')
    await terminal.until(/❯ Slow/)
    await terminal.press('Down', 'Enter')
    await terminal.until(/✗ The server has nothing at this address\./)
  })

  t.test('a screen that the server cannot send leaves the person where they are', async t => {
    const items = [message('First'), open('Broken', '/broken')]
    const { terminal } = await at(t, menu([{ label: 'Tab', items }]))
    await terminal.until(/❯ First/)
    await terminal.press('Escape')
    await terminal.until(/Press Ctrl-C to quit\./)
    await terminal.press('Down', 'Enter')
    t.match(await terminal.until(/✗ The server cannot respond now\./), /❯ Broken/)
    await terminal.press('Up')
    await terminal.until(/❯ First/)
  })
}
