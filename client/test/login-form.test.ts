// The buttons of the login form, and a form with an `auth_action` behind the login.

import t from 'tap'
import { buttonOf, CARD, ENTERED, empty, FORM, formAt, held, MENU, type Reply, shownAt } from './session-at.ts'

const down = new TypeError('fetch failed')
const SWITCH = { ...FORM, title: 'Switch user', auth_action: '/switch' }
const EVE = { success: true, token: 'eve', error: null, screen: { layout: 'Menu', title: 'Menu of Eve' } }
const switchAt = (replies = {}) => shownAt('/switch', { 'GET /switch': SWITCH, 'POST /switch': EVE, ...replies })

t.test('a button of the login form sends what was typed there, and its own fields before it', async t => {
  const screen_actions = [{ id: 'forgot', endpoint: '/send', kind: 'modal' }]
  const { session, state, bodies } = await formAt({ 'GET /auth/login': { ...FORM, screen_actions } })
  session.enter('username', 'ada')
  await session.act(state().screen.screenActions[0], { company: 'Mine', mail: 'a@x' })
  const fields = { username: 'ada', password: '', company: 'Mine', mail: 'a@x' }
  t.strictSame(bodies(), [{ action_id: 'forgot', screen_title: 'Demo', fields }])
})

t.test('what came of it is said on the form, where nothing that was typed is lost', async t => {
  for (const [reply, kind, text] of [
    [{ success: true, message: 'Sent.' }, 'info', /^Sent\.$/],
    [{ success: true }, 'info', /Done/],
    [{ success: false, error: 'No.' }, 'error', /^No\.$/],
    [{ success: true, push_url: '/nowhere' }, 'error', /nothing at this address/],
    [{ success: true, message: 'Sent.', redirect_url: '/menu/main' }, 'info', /^Sent\.$/],
    [401, 'error', /refused/],
    [500, 'error', /cannot respond/],
    [down, 'error', /cannot be reached/]
  ] as [Reply, string, RegExp][]) {
    const { session, state, sent } = await formAt({ 'POST /send': reply })
    for (const [id, value] of Object.entries(ENTERED)) session.enter(id, value)
    await session.act(buttonOf())
    t.match(state(), { name: 'login', message: { kind, text }, busy: false })
    t.match(Object.fromEntries(state().values), ENTERED)
    t.notOk(sent().includes('GET http://x/auth/login'))
  }
})

t.test('a screen or another login form may come of it', async t => {
  const message = 'Enter the code.'
  for (const [reply, name, title, path] of [
    [{ success: true, message, screen: SWITCH }, 'login', 'Switch user', '/auth/login'],
    [{ success: true, message, redirect_url: '/switch' }, 'login', 'Switch user', '/switch'],
    [{ success: true, message, screen: CARD }, 'screen', 'Card', '/auth/login'],
    [{ success: true, message, push_url: '/card' }, 'screen', 'Card', '/card']
  ] as const) {
    const { session, state } = await formAt({ 'POST /send': reply, 'GET /switch': SWITCH })
    await session.act(buttonOf())
    t.match(state(), { name, path, screen: { title }, message: { kind: 'info', text: message }, busy: false })
  }
})

t.test('a button of the login form asks if it wants to, and sends nothing after a no', async t => {
  const { session, questions, sent } = await formAt({}, { answer: false })
  await session.act(buttonOf({ kind: 'confirm' }))
  t.strictSame([questions.length, sent()], [1, []])
})

t.test('a form that is busy sends nothing else, and what comes after a stop is not shown', async t => {
  const [login, sending] = [held(), held()]
  const { session, states, sent } = await formAt({ 'POST /auth/login': login.reply, 'POST /send': sending.reply })
  const acts = [session.act(buttonOf()), session.submit(ENTERED)]
  sending.respond(Response.json({ success: true }))
  await Promise.all(acts)
  const submitted = [session.submit(ENTERED), session.act(buttonOf())]
  t.strictSame(sent(), ['POST http://x/send', 'POST http://x/auth/login'])
  session.stop()
  const shown = states.length
  login.respond(Response.json(EVE))
  await Promise.all(submitted)
  t.equal(states.length, shown)
})

t.test('a form behind the login is sent with the token, and brings that of another person', async t => {
  const { session, state, store, requests } = await switchAt()
  t.match(state(), { name: 'login', path: '/switch', screen: { displayName: 'Ada' } })
  await session.submit(ENTERED)
  t.match(requests, [{ url: 'http://x/switch', authorization: 'Bearer abc' }])
  t.match(state(), { name: 'screen', path: '/menu/main', screen: { title: 'Menu of Eve', displayName: '' } })
  t.equal(store.token, 'eve')
})

t.test('nothing that was typed comes back for the other person', async t => {
  const { session, state, store } = await switchAt()
  await session.open('/card')
  session.enter('name', 'Grace')
  await session.open('/switch')
  t.equal(store.draft, null)
  await session.submit(ENTERED)
  await session.open('/card')
  t.equal(state().values.get('name'), 'Ada')
})

t.test('behind the login a 401 ends the session, unless it is about what was entered', async t => {
  const { session, state, store, table } = await switchAt()
  table['POST /switch'] = () => Response.json({ success: false, error: 'Not Eve.' }, { status: 401 })
  await session.submit(ENTERED)
  t.match([state().screen.title, state().message.text, store.token], ['Switch user', 'Not Eve.', 'abc'])
  table['POST /switch'] = 401
  await session.submit(ENTERED)
  t.match([state().screen.title, state().message.text, store.token], ['Demo', /session has ended/, null])
})

t.test('one can leave a form behind the login', async t => {
  const { session, state, sent } = await switchAt({ 'POST /auth/logout': () => empty(204) })
  await session.open('/nowhere')
  t.match(state(), { name: 'login', path: '/switch', message: { kind: 'error' } })
  await session.open('/menu/main')
  t.match(state(), { name: 'screen', screen: { title: MENU.title } })
  await session.open('/switch')
  sent()
  await session.logOut()
  t.match([state().path, session.isLoggedIn, sent()[0]], ['/auth/login', false, 'POST http://x/auth/logout'])
})
