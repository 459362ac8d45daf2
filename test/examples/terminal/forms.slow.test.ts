// The Cards of the terminal client, and what a person types there.

import t from 'tap'
import { needs } from '../../needs.ts'
import { at, card, field } from './screen-server.ts'

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('a form that does not fit scrolls with the focus, and is saved from any field', async t => {
    const fields = Array.from({ length: 30 }, (_, index) => field(`f${index}`, { editable: index !== 1 }))
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
    t.match(posted, [{ changes: { f2: 'second', f29: 'last' } }])
  })

  t.test('the arrows skip no lines unseen on the way to the next field, and Tab does', async t => {
    const lines = Array.from({ length: 40 }, (_, index) => field(`line ${index}!`, { editable: false }))
    const fields = [field('a'), ...lines, field('b')]
    const { terminal } = await at(t, card(fields), {}, { rows: 14 })
    await terminal.until(/❯ Label a/)
    await terminal.press('Down', 'Down', 'Down')
    t.notMatch(await terminal.until(/line 8!/), /line 9!|❯/)
    await terminal.press(...Array.from({ length: 31 }, () => 'Down'))
    t.notMatch(await terminal.until(/line 39!/), /❯/)
    await terminal.press('Down')
    await terminal.until(/❯ Label b/)
    await terminal.press('BTab')
    await terminal.until(/❯ Label a/)
    await terminal.press('Tab')
    await terminal.until(/❯ Label b/)
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
    t.strictSame(posted[0]?.changes, { a: 'y]🏳️‍🌈' })
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
        t.strictSame(
          posted.map(({ changes }) => changes),
          [{ a: isMarked ? 'onetwothree[A!' : 'onetwothree!' }]
        )
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
    t.equal(posted[0]?.changes?.a, `${'long '.repeat(2000)}!`)
  })

  t.test('keys that come in one piece are as good as one after the other', async t => {
    const { terminal, posted } = await at(t, card([field('a'), field('b')]))
    await terminal.until(/❯ Label a/)
    await terminal.type('one\ttwo\x1b[Z\x1b[C!\r')
    await terminal.until(/Kept\./)
    t.strictSame(posted[0]?.changes, { a: 'one!', b: 'two' })
  })
}
