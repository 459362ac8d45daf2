// The field and the help of a message, and the listeners of a session.

import t from 'tap'
import { CARD, ENTERED, formAt, type Reply, sessionAt, shownAt } from './session-at.ts'

const fields = [
  { id: 'rate', label: 'Rate', type: 'Decimal' },
  { id: 'rate_text', label: 'Rate in words', type: 'Text' },
  { id: 'size', label: 'Größe', type: 'Text' },
  { id: 'fixed', label: 'Fixed', type: 'Text', editable: false },
  { id: 'line', label: 'Line', type: 'Separator' },
  {}
]

t.test('a refusal that begins with the label of a field has that field', async t => {
  for (const [text, field] of [
    ['Rate: not a number.', 'rate'],
    ['Rate', 'rate'],
    ['Rate in words is missing.', 'rate_text'],
    ['Rates are high.', undefined],
    ['Größe: zu groß.', 'size'],
    ['Größenordnung', undefined],
    ['Fixed: no.', undefined],
    ['Line: no.', undefined],
    ['No rate.', undefined]
  ] as const) {
    const card = { ...CARD, sections: [{ fields }] }
    const { session, state } = await shownAt('/card', {
      'GET /card': card,
      'POST /save': { ...card, status: `Error: ${text}` }
    })
    await session.save('save', { rate: '1' })
    t.strictSame(state().message, { kind: 'error', text, ...(field && { field }) })
    session.enter('rate', '2')
    t.equal(state().message === null, field === 'rate', 'a new value of the field removes its message')
    session.dismiss()
    t.equal(state().message, null)
  }
})

t.test('a refusal on a read-only Card and a conflict have no field', async t => {
  const card = { ...CARD, actions: { delete: '/delete' }, sections: [{ fields }] }
  const text = 'Rate: too high.'
  const read = await shownAt('/card', { 'GET /card': card, 'POST /delete': { ...card, status: `Error: ${text}` } })
  await read.session.save('delete')
  t.strictSame(read.state().message, { kind: 'error', text })
  const other = { ...changed('city', 'Rome'), status: 'Error: City: saved by Eve.' }
  const conflict = await shownAt('/card', { 'POST /save': other })
  await conflict.session.save('save', { city: 'Paris' })
  t.strictSame(conflict.state().message, { kind: 'error', text: 'City: saved by Eve.', help: 'reload' })
})

t.test('the view may dismiss a message while the session asks a question', async t => {
  const { session, sent } = await shownAt(
    '/card',
    { 'POST /delete': CARD },
    { confirm: () => session.dismiss() === undefined }
  )
  await session.save()
  t.match(session.state.message, { text: /Nothing has changed/ })
  await session.save('delete')
  t.strictSame(sent(), ['POST http://x/delete'])
})

t.test('the message of a rejected login has the field of the emptied password', async t => {
  const { session, state } = await formAt({ 'POST /auth/login': { success: false, error: 'No.' } })
  await session.submit(ENTERED)
  t.strictSame(state().message, { kind: 'error', text: 'No.', field: 'password' })
  session.enter('username', 'eve')
  t.equal(state().message.text, 'No.')
  session.enter('password', 'x')
  t.equal(state().message, null)
})

/** The Card after a change by others. */
const changed = (id: string, value: string, more: object = {}) => ({
  ...CARD,
  ...more,
  sections: CARD.sections.map(section => ({
    ...section,
    fields: section.fields.map(field => (field.id === id ? { ...field, value } : field))
  }))
})
const no = { status: 'Error: No.' }

t.test('only a conflict has the help reload', async t => {
  for (const [reply, help] of [
    [409, 'reload'],
    [412, 'reload'],
    [400, undefined],
    [changed('city', 'Rome', no), 'reload'],
    [changed('name', 'Eve', no), 'reload'],
    [changed('city', 'Paris', no), undefined],
    [changed('city', 'London', no), undefined],
    [{ ...CARD, ...no, actions: { save: '/save?version=2' } }, 'reload'],
    [{ layout: 'Card', ...no }, undefined]
  ] as [Reply, string | undefined][]) {
    for (const action of ['save', 'delete'] as const) {
      const { session, state } = await shownAt('/card', { [`POST /${action}`]: reply })
      await session.save(action, { city: 'Paris' })
      t.match(state().message, { kind: 'error' })
      t.equal(state().message.help, help)
    }
  }
  const replies = { 'GET /new': { ...CARD, record_id: undefined, actions: { create: '/create' } }, 'POST /create': 409 }
  const { session, state } = await shownAt('/new', replies)
  await session.save('create')
  t.equal(state().message.help, undefined, 'a new record has no other version')
})

t.test('a reload after a conflict keeps both values until the next screen', async t => {
  const { session, state, table } = await shownAt('/card', { 'POST /save': 409 })
  await session.save('save', { city: 'Paris', name: 'Eve' })
  table['GET /card'] = changed('city', 'Rome')
  await session.reload()
  t.match(state().message, { kind: 'info', text: 'Changed by others meanwhile: City' })
  session.enter('name', 'Grace')
  t.strictSame([...state().theirs], [['city', 'Rome']])
  t.equal(state().values.get('city'), 'Paris')
  session.enter('city', 'Rome')
  t.strictSame([state().theirs.size, state().message], [0, null], 'the conflict is resolved')
  session.enter('city', 'Paris')
  await session.open('/card')
  t.equal(state().theirs.size, 0)
})

t.test('a listener is called with the state at once, and after each change until it unsubscribes', async t => {
  const { session } = sessionAt()
  const names: string[] = []
  const { subscribe } = session
  const end = subscribe(({ name }) => names.push(name))
  subscribe(({ name }) => names.push(name.toUpperCase()))
  await session.start()
  end()
  session.enter('username', 'ada')
  t.strictSame(names, ['starting', 'STARTING', 'login', 'LOGIN', 'LOGIN'])
})

t.test('a listener that throws stops neither the session nor other listeners, and its error is reported', async t => {
  const errors: unknown[] = []
  const note = (error: unknown) => errors.push(error)
  const others = process.rawListeners('unhandledRejection') as (() => void)[]
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
  t.teardown(() => {
    process.off('unhandledRejection', note)
    for (const other of others) process.on('unhandledRejection', other)
  })
  const { session, states } = sessionAt()
  session.subscribe(() => {
    throw new Error('broken view')
  })
  const names: string[] = []
  session.subscribe(({ name }) => names.push(name))
  await session.start()
  await new Promise(setImmediate)
  t.strictSame([states, names], [names, ['starting', 'login']])
  t.match(errors, [{ message: 'broken view' }, { message: 'broken view' }])
})
