// The buttons of the login form, and a form with an `auth_action` after the login.

import t from 'tap'
import { buttonOf, ENTERED, FORM, formAt, type Reply, shownAt } from './session-at.ts'

const SWITCH = { ...FORM, title: 'Switch user', auth_action: '/switch' }
const EVE = { success: true, token: 'eve', error: null, screen: { layout: 'Menu', title: 'Menu of Eve' } }
const switchAt = (replies = {}) => shownAt('/switch', { 'GET /switch': SWITCH, 'POST /switch': EVE, ...replies })

t.test('a button of the login form sends the values of the form, overridden by its own fields', async t => {
  const screen_actions = [{ id: 'forgot', endpoint: '/send', kind: 'modal' }]
  const { session, state, bodies } = await formAt({ 'GET /auth/login': { ...FORM, screen_actions } })
  session.enter('username', 'ada')
  await session.act(state().screen.screenActions[0], { company: 'Mine' })
  const fields = { username: 'ada', password: '', company: 'Mine' }
  t.strictSame(bodies(), [{ action_id: 'forgot', screen_title: 'Demo', fields }])
})

t.test('after a button, the login form keeps its values, and a 401 does not fetch the form again', async t => {
  for (const [reply, kind, text] of [
    [{ success: true, message: 'Sent.' }, 'success', 'Sent.'],
    [{ success: true, message: 'Sent.', redirect_url: '/menu/main' }, 'success', 'Sent.'],
    [{ success: true, push_url: '/nowhere' }, 'error', /nothing at this address/],
    [401, 'error', /refused/],
    [new TypeError('fetch failed'), 'error', /cannot be reached/]
  ] as [Reply, string, string | RegExp][]) {
    const { session, state, sent } = await formAt({ 'POST /send': reply })
    for (const [id, value] of Object.entries(ENTERED)) session.enter(id, value)
    await session.act(buttonOf())
    t.match(state(), { name: 'login', message: { kind, text }, busy: null })
    t.match(Object.fromEntries(state().values), ENTERED)
    t.notOk(state().message.help, 'before the login no screen can be opened')
    t.notOk(sent().includes('GET http://x/auth/login'))
  }
})

t.test('a button may return another login form, with a message', async t => {
  for (const next of [{ screen: SWITCH }, { redirect_url: '/switch' }]) {
    const replies = { 'POST /send': { success: true, message: 'Enter the code.', ...next }, 'GET /switch': SWITCH }
    const { session, state } = await formAt(replies)
    await session.act(buttonOf())
    t.match(state(), { name: 'login', screen: { title: 'Switch user' }, message: { text: 'Enter the code.' } })
  }
})

t.test('a busy login form sends no other request', async t => {
  const { session, sent } = await formAt({ 'POST /send': { success: true } })
  await Promise.all([session.act(buttonOf()), session.submit(ENTERED)])
  await Promise.all([session.submit(ENTERED), session.act(buttonOf())])
  t.strictSame(sent(), ['POST http://x/send', 'POST http://x/auth/login'])
})

t.test('a form after the login is sent with the token, and returns the token of another user', async t => {
  const { session, state, store, requests } = await switchAt()
  t.match(state(), { name: 'login', path: '/switch', displayName: 'Ada' })
  await session.submit(ENTERED)
  t.match(requests, [{ url: 'http://x/switch', authorization: 'Bearer abc' }])
  t.match(state(), { name: 'screen', path: '/menu/main', displayName: '', screen: { title: 'Menu of Eve' } })
  t.equal(store.token, 'eve')
})

t.test('the other user does not get the unsaved changes', async t => {
  const { session, state, drafted } = await switchAt()
  await session.open('/card')
  session.enter('name', 'Grace')
  await session.open('/switch')
  t.strictSame(drafted(), [])
  await session.submit(ENTERED)
  await session.open('/card')
  t.equal(state().values.get('name'), 'Ada')
})

t.test('on a form after the login a 401 ends the session, unless it rejects the input', async t => {
  const { session, state, store, table } = await switchAt()
  table['POST /switch'] = () => Response.json({ success: false, error: 'Not Eve.' }, { status: 401 })
  await session.submit(ENTERED)
  t.match([state().screen.title, state().message.text, store.token], ['Switch user', 'Not Eve.', 'abc'])
  table['POST /switch'] = 401
  await session.submit(ENTERED)
  t.match([state().screen.title, state().message.text, store.token], ['Demo', /session has ended/, null])
})

t.test('a form after the login can be left', async t => {
  const { session, state } = await switchAt()
  await session.open('/nowhere')
  t.match(state(), { name: 'login', path: '/switch', message: { kind: 'error' } })
  await session.open('/menu/main')
  t.match(state(), { name: 'screen', screen: { title: 'Main Menu' } })
  await session.open('/switch')
  await session.logOut()
  t.match(state(), { name: 'login', path: '/auth/login', message: { text: /logged out/ } })
})
