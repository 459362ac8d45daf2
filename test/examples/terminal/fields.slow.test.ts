// Every type of field in the terminal client: how it is typed, and how it is read.
import t from 'tap'
import { needs } from '../../needs.ts'
import { at, card, field } from './screen-server.ts'

const ENV = { env: { LC_ALL: 'de_DE.UTF-8' } }

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('a yes or no is turned with the space bar', async t => {
    const { terminal, posted } = await at(t, card([field('a', { type: 'Boolean', value: 'true' })]))
    await terminal.until(/❯ Label a +\[x\] Yes/)
    await terminal.press('Space')
    await terminal.until(/\[ \] No/)
    await terminal.press('Enter')
    await terminal.until(/Kept\./)
    t.strictSame(posted[0]?.changes, { a: 'false' })
  })

  t.test('one of several options is chosen with the arrows', async t => {
    const options = ['one', { label: 'Two', value: '2' }, { label: 'Three', value: '3' }]
    const { terminal, posted } = await at(t, card([field('a', { type: 'Option', options })]))
    await terminal.until(/❯ Label a +‹ Choose… ›/)
    await terminal.press('Right', 'Space')
    await terminal.until(/‹ Two ›/)
    await terminal.press('Left', 'Left', 'Left')
    await terminal.until(/‹ Three ›/)
    await terminal.press('Enter')
    await terminal.until(/Kept\./)
    t.strictSame(posted[0]?.changes, { a: '3' })
  })

  t.test('a value that is no option stays until another is chosen', async t => {
    const options = ['one', 'two']
    const more = { type: 'Option', value: 'gone', options, validation: { required: true } }
    const { terminal } = await at(t, card([field('a', more)]))
    await terminal.until(/Label a \* +‹ gone ›/)
    await terminal.press('Left')
    await terminal.until(/‹ two ›/)
    await terminal.press('Right')
    await terminal.until(/‹ one ›/)
  })

  t.test('a text area has lines, which the arrows reach, and is saved with Ctrl-S', async t => {
    const fields = [field('a', { type: 'TextArea', rows: 3 }), field('b')]
    const { terminal, posted } = await at(t, card(fields))
    await terminal.until(/❯ Label a/)
    await terminal.type('first')
    await terminal.press('Enter')
    await terminal.type('third')
    await terminal.press('Up', 'End', 'Enter')
    await terminal.type('second')
    await terminal.until(/first\n +second\n +third/)
    await terminal.press('Down', 'Home')
    await terminal.type('the ')
    await terminal.press('Down')
    await terminal.until(/❯ Label b/)
    await terminal.press('BTab', 'C-s')
    await terminal.until(/Kept\./)
    t.strictSame(posted[0]?.changes, { a: 'first\nsecond\nthe third' })
  })

  t.test('a long text is broken between words, and scrolls with the cursor', async t => {
    const value = `${'word '.repeat(30)}end`
    const { terminal } = await at(t, card([field('a', { type: 'TextArea', rows: 2, value })]))
    t.notMatch(await terminal.until(/word end/), /Label a.*\n.*\n.*word end/)
    await terminal.press('Up', 'Up')
    t.notMatch(await terminal.until(screen => !/word end/.test(screen)), /wor$/m)
    await terminal.press('Tab')
    await terminal.until(/❯ \[ Save \]/)
  })

  t.test('a very long text can be changed', async t => {
    const value = 'x'.repeat(400_000)
    const { terminal, posted } = await at(t, card([field('a', { type: 'TextArea', value })]))
    await terminal.until(/❯ Label a +x{50}/)
    await terminal.type('end')
    await terminal.until(/xend$/m)
    await terminal.press('C-s')
    await terminal.until(/Kept\./)
    t.ok(posted[0]?.changes?.a === `${value}end`)
  })

  t.test('line breaks that are pasted into a text area stay', async t => {
    const { terminal, posted } = await at(t, card([field('a', { type: 'TextArea' })]))
    await terminal.until(/❯ Label a/)
    await terminal.paste('one\r\ntwo\nthree')
    await terminal.until(/three/)
    await terminal.press('C-s')
    await terminal.until(/Kept\./)
    t.strictSame(posted[0]?.changes, { a: 'one\ntwo\nthree' })
  })

  t.test('no more is typed than the field takes, and no character is cut', async t => {
    const { terminal, posted } = await at(t, card([field('a', { validation: { max_length: 5 } })]))
    await terminal.until(/❯ Label a/)
    await terminal.type('abc👩‍👩‍👧def')
    await terminal.until(/Label a +abc$/m)
    await terminal.type('defg')
    await terminal.until(/Label a +abcde$/m)
    await terminal.press('Enter')
    await terminal.until(/Kept\./)
    t.strictSame(posted[0]?.changes, { a: 'abcde' })
  })

  t.test('an empty field says how it is filled in, and a required one is marked', async t => {
    const fields = [
      field('a', { placeholder: 'Like this', validation: { required: true } }),
      field('b', { type: 'Date' }),
      field('c', { type: 'DateRange' }),
      field('d', { type: 'Separator', label: '' })
    ]
    const { terminal } = await at(t, card(fields))
    const screen = await terminal.until(/❯ Label a \* +Like this/)
    t.match(screen, /Label b +\d{4}-\d\d-\d\d\n +Label c +\d{4}-\d\d-\d\d\/\d{4}-\d\d-\d\d\n +─+\n/)
    await terminal.type('x')
    await terminal.until(/Label a \* +x$/m)
  })

  t.test('the cursor is first in the field that the server names', async t => {
    const { terminal } = await at(t, card([field('a'), field('b', { value: 'x', focus: true })]))
    await terminal.until(/❯ Label b/)
  })

  t.test('what is only read is read in the language of the person', async t => {
    const values: [string, string, RegExp][] = [
      ['Date', '2026-12-24', /24\.12\.2026/],
      ['Time', '14:30', /14:30/],
      ['DateRange', '2026-12-20/2027-01-06', /20\.12\.2026\s–\s06\.01\.2027/],
      ['Integer', '1815', /1\.815/],
      ['Decimal', '1234.50', /1\.234,50/],
      ['Boolean', 'false', /Nein/],
      ['Option', 'c', /Kunde/],
      ['Date', '2026-02-31', /2026-02-31/],
      ['Integer', 'many', /many/]
    ]
    const options = [{ label: 'Kunde', value: 'c' }]
    const fields = values.map(([type, value], index) =>
      field(`f${index}!`, { type, value, options, editable: false })
    )
    const { terminal } = await at(t, { ...card(fields), ui_strings: { no: 'Nein' } }, {}, ENV)
    const screen = await terminal.until(/Label f8!/)
    for (const [index, [, , says]] of values.entries())
      t.match(screen, new RegExp(`Label f${index}! +${says.source}$`, 'm'))
  })

  t.test('the cells of a list are read in the language of the person', async t => {
    const columns = ['Text', 'Date', 'Decimal', 'Boolean'].map(type => ({ id: type, label: type, type }))
    const rows = [{ values: ['Ada', '1815-12-10', '1200.50', 'true'] }, { values: ['Bo', '', '7', ''] }]
    const { terminal } = await at(t, { layout: 'List', title: 'L', lines: { columns, rows } }, {}, ENV)
    t.match(
      await terminal.until(/Ada/),
      /Text {2}Date +Decimal {2}Boolean\n +Ada {3}10\.12\.1815 {2}1\.200,50 {2}Yes\n +Bo +7$/m
    )
  })
}
