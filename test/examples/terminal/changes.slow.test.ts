// What a person changes in the terminal client: saved, refused, created, deleted, and asked about.
import t from 'tap'
import { needs } from '../../needs.ts'
import { at, card, field, menu, open } from './screen-server.ts'

const list = (names: string[], more: object = {}) => ({
  layout: 'List',
  title: 'Contacts',
  lines: {
    columns: [{ id: 'name', label: 'Name' }],
    rows: names.map((name, index) => ({ index, values: [name] })),
    on_select: '/contact'
  },
  ...more
})

/** A menu with a list of one contact, who can be changed and deleted. */
const contacts = (more: Record<string, object> = {}) => ({
  '/list': list(['Ada']),
  '/contact': card([field('name', { value: 'Ada' })], { actions: { save: '/save', delete: '/delete' } }),
  'POST /delete': list([], { status: 'Deleted.', content_location: '/list' }),
  ...more
})

const MAIN = menu([{ label: 'Tab', items: [open('Contacts', '/list'), open('New', '/new')] }])

if (needs(t, 'tmux')) {
  t.jobs = 3

  t.test('a saved Card is shown as the server has it now', async t => {
    const saved = card([field('name', { value: 'Countess' })], { title: 'Countess', status: 'Saved.' })
    const { terminal } = await at(t, MAIN, contacts({ 'POST /save': saved }))
    await terminal.press('Enter')
    await terminal.until(/❯ Ada/)
    await terminal.press('Enter')
    await terminal.until(/❯ Label name +Ada/)
    await terminal.press('C-u')
    await terminal.type('Countess')
    await terminal.press('C-s')
    t.match(await terminal.until(/Saved\./), /^ ?Countess/)
    await terminal.press('Escape')
    await terminal.until(/❯ Ada/)
  })

  t.test('what the server refuses stays as it was typed', async t => {
    const refused = { layout: 'Card', status: 'Error: Name is too short.' }
    const { terminal } = await at(t, MAIN, contacts({ 'POST /save': refused }))
    await terminal.press('Enter')
    await terminal.until(/❯ Ada/)
    await terminal.press('Enter')
    await terminal.until(/❯ Label name/)
    await terminal.press('BSpace')
    await terminal.press('Enter')
    t.match(await terminal.until(/✗ Name is too short\./), /❯ Label name +Ad$/m)
  })

  t.test('after a refusal, Ctrl-R loads the Card again and keeps what was typed', async t => {
    const others = contacts({ 'POST /save': { layout: 'Card', status: 'Error: Bo has saved in between.' } })
    const { terminal, posted } = await at(t, MAIN, others)
    await terminal.press('Enter')
    await terminal.until(/❯ Ada/)
    await terminal.press('Enter')
    await terminal.until(/❯ Label name/)
    await terminal.type('!')
    await terminal.press('C-s')
    await terminal.until(/Bo has saved in between\.\n.*Ctrl-R load again/)
    const fields = [field('name', { value: 'Bo' }), field('b', { value: 'new' })]
    others['/contact'] = card(fields, { actions: { save: '/again' } })
    await terminal.press('C-r')
    t.match(
      await terminal.until(/Changed by others meanwhile: Label name/),
      /❯ Label name +Ada!\n +Label b +new$/m
    )
    await terminal.press('C-s')
    await terminal.until(/Kept\./)
    t.match(posted[1], { url: '/again', changes: { name: 'Ada!' } })
  })

  t.test('a question can be answered on a tiny terminal', async t => {
    const { terminal } = await at(t, MAIN, contacts())
    await terminal.until(/❯ Contacts/)
    await terminal.press('Enter')
    await terminal.until(/❯ Ada/)
    await terminal.press('Enter')
    await terminal.until(/❯ Label/)
    await terminal.resize(20, 5)
    await terminal.type('!')
    await terminal.press('Escape')
    await terminal.until(/Leave without\nsaving\? +\[Enter\]\nLeave +\[Esc\]/)
  })

  t.test('after a create, Esc leads to the list and not to the empty form', async t => {
    const { terminal, posted } = await at(t, MAIN, {
      '/list': list([], {
        screen_actions: [{ id: 'new', label: 'New one', kind: 'simple', endpoint: '/act' }]
      }),
      'POST /act': { success: true, push_url: '/new' },
      '/new': card([field('name')], { title: 'Empty', actions: { create: '/create' } }),
      'POST /create': card([field('name', { value: 'Ada' })], { title: 'Created', status: 'Created.' })
    })
    await terminal.press('Enter')
    await terminal.until(/❯ \[ New one \]/)
    await terminal.press('Enter')
    await terminal.until(/\[ Create \]/)
    await terminal.type('Ada')
    await terminal.press('Enter')
    await terminal.until(/Created\./)
    t.match(posted[1], { changes: { name: 'Ada' }, action: 'create' })
    await terminal.press('Escape')
    await terminal.until(/❯ \[ New one \]/)
  })

  t.test('a delete is asked about, and keys that were typed before are no answer', async t => {
    const { terminal, posted } = await at(t, MAIN, contacts())
    await terminal.press('Enter')
    await terminal.until(/❯ Ada/)
    await terminal.press('Enter')
    await terminal.until(/❯ Label name/)
    await terminal.press('BTab', 'Enter', 'Enter', 'y')
    t.match(await terminal.until(/\[Enter\] Delete +\[Esc\] Cancel/), /Delete this\?/)
    t.equal(posted.length, 0)
    await terminal.press('x', 'Down', 'Escape')
    await terminal.until(/❯ \[ Delete \]/)
    await terminal.press('Enter')
    await terminal.until(/\[Enter\] Delete/)
    await terminal.press('y')
    t.match(await terminal.until(/Deleted\./), /Nothing here yet\./)
    t.match(posted, [{ url: '/delete', action: 'delete' }])
    await terminal.press('Escape')
    await terminal.until(/❯ Contacts/)
  })

  t.test('unsaved changes are asked about before they go', async t => {
    const { terminal } = await at(t, MAIN, contacts())
    await terminal.press('Enter')
    await terminal.until(/❯ Ada/)
    await terminal.press('Enter')
    await terminal.until(/❯ Label name/)
    await terminal.type('!')
    await terminal.press('Escape')
    await terminal.until(/Leave without saving\? +\[Enter\] Leave/)
    await terminal.press('n')
    await terminal.until(/❯ Label name +Ada!/)
    await terminal.press('C-c')
    await terminal.until(/Not saved\. Press Ctrl-C again to quit\./)
    await terminal.press('Escape')
    await terminal.until(/\[Enter\] Leave/)
    await terminal.press('Enter')
    await terminal.until(/❯ Ada/)
  })

  t.test('a second Ctrl-C quits without saving', async t => {
    const { terminal } = await at(t, card([field('a')]))
    await terminal.until(/❯ Label a/)
    await terminal.type('x')
    await terminal.press('C-c')
    await terminal.until(/Press Ctrl-C again/)
    await terminal.press('C-c')
    await terminal.until(/code 0/)
  })

  t.test('a button asks first if the server wants it', async t => {
    const action = {
      id: 'end',
      label: 'Sign out',
      kind: 'confirm',
      endpoint: '/end',
      confirm_message: 'Sign Ada out?'
    }
    const { terminal, posted } = await at(
      t,
      card([field('a', { editable: false })], { actions: {}, screen_actions: [action], record_id: 7 }),
      { 'POST /end': { success: true, message: 'Ada is signed out.' } }
    )
    await terminal.until(/❯ \[ Sign out \]/)
    await terminal.press('Space')
    await terminal.until(/Sign Ada out\? +\[Enter\] Sign out +\[Esc\] Cancel/)
    await terminal.press('Enter')
    await terminal.until(/Ada is signed out\./)
    t.match(posted, [{ url: '/end', action_id: 'end', record_id: 7 }])
  })

  t.test('the form of a button stays open while the server refuses it', async t => {
    const fields = [field('to', { type: 'Email' })]
    const action = { id: 'invite', label: 'Invite', kind: 'modal', endpoint: '/invite', fields }
    const answers: Record<string, object> = { 'POST /invite': { success: false, error: 'No such address.' } }
    const { terminal, posted } = await at(t, card([], { actions: {}, screen_actions: [action] }), answers)
    await terminal.until(/❯ \[ Invite \]/)
    await terminal.press('Enter')
    await terminal.until(/❯ Label to/)
    await terminal.type('ada')
    await terminal.press('Enter')
    t.match(await terminal.until(/✗ No such address\./), /❯ Label to +ada$/m)
    answers['POST /invite'] = { success: true, message: 'Invited.' }
    await terminal.type('@example.org')
    await terminal.press('Enter')
    t.match(await terminal.until(/Invited\./), /^ ?Form/)
    t.strictSame(posted[1]?.fields, { to: 'ada@example.org' })
  })

  t.test('the help lists the keys', async t => {
    const { terminal } = await at(t, card([field('a')]))
    await terminal.until(/❯ Label a/)
    await terminal.type('?')
    await terminal.until(/Label a +\?$/m)
    await terminal.press('F1')
    t.match(await terminal.until(/^ ?Keys/), /Ctrl-S +save\n/)
    await terminal.press('Escape')
    await terminal.until(/❯ Label a +\?$/m)
    await terminal.press('Tab')
    await terminal.until(/❯ \[ Save \]/)
    await terminal.type('?')
    await terminal.until(/^ ?Keys/)
  })

  t.test('the client speaks the language of the server', async t => {
    const ui_strings = { save: 'Speichern', key_help: 'Hilfe', yes: 'Ja' }
    const { terminal } = await at(t, card([field('a', { type: 'Boolean', value: 'true' })], { ui_strings }))
    t.match(await terminal.until(/\[ Speichern \]/), /\[x\] Ja\n(.*\n)*.*F1 Hilfe/)
  })
}
