// The session opens a link after the login, but not for another user.

import t from 'tap'
import { CARD, ENTERED, FORM, formAt, MENU, type Replies, sessionAt, shownAt } from './session-at.ts'

const OTHER = { layout: 'Card', title: 'Other' }
const NAMELESS = { layout: 'Menu', title: 'Main Menu' }
const accepted = (screen: object | null) => ({ success: true, token: 'new', error: null, screen })

t.test('after the login the screen given to start() opens, and the menu is not shown', async t => {
  for (const screen of [MENU, null]) {
    const { session, state, states, sent } = sessionAt({ 'POST /auth/login': accepted(screen) })
    await session.start('/card')
    sent()
    states.length = 0
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', path: '/card', displayName: 'Ada', replaces: true, screen: { title: 'Card' } })
    const menu = screen === null ? ['GET http://x/menu/main'] : []
    t.strictSame(sent(), ['POST http://x/auth/login', ...menu, 'GET http://x/card'])
    t.notOk(states.slice(0, -1).includes('screen'))
    t.equal(states.at(-2), 'login (loading)')
  }
})

t.test('after the session has ended, the next login of the same user leads back to the screen, once', async t => {
  for (const [route, act] of [
    ['GET /other', session => session.open('/other')],
    ['GET /card', session => session.reload()],
    ['POST /save', session => session.save('save', { city: 'Paris' })]
  ] as [string, (session: Awaited<ReturnType<typeof shownAt>>['session']) => Promise<void>][]) {
    const { session, state, table } = await shownAt('/card', { 'GET /other': OTHER })
    const path = route === 'GET /other' ? '/other' : '/card'
    const before = table[route]
    table[route] = 401
    await act(session)
    t.match(state(), { name: 'login', message: { kind: 'info' } })
    table[route] = before as object
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', path, replaces: true })
    await session.logOut()
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', path: '/menu/main' }, 'not after a logout')
  }
})

/** Whether the login after the end of a session leads back to the screen of that session. */
async function isLedBack(first: object, second: object, entered: Record<string, string>, form: object = FORM) {
  const { session, state, table } = await formAt({ 'POST /auth/login': accepted(first), 'GET /auth/login': form })
  await session.submit(ENTERED)
  await session.open('/card')
  table['GET /other'] = 401
  await session.open('/other')
  table['GET /other'] = OTHER
  table['POST /auth/login'] = accepted(second)
  await session.submit(entered)
  return state().path === '/other'
}

t.test('another user is not led to the screen of the previous user', async t => {
  const eve = { username: 'eve', password: 'x' }
  t.equal(await isLedBack(MENU, MENU, eve), true, 'the same name')
  t.equal(await isLedBack(MENU, { ...MENU, user_display_name: 'Eve' }, ENTERED), false, 'another name')
  t.equal(await isLedBack(MENU, NAMELESS, ENTERED), false, 'no name')
  t.equal(await isLedBack(NAMELESS, NAMELESS, { ...ENTERED, password: 'y' }), true, 'the same username')
  t.equal(await isLedBack(NAMELESS, NAMELESS, eve), false, 'another username')
  const pin = { ...FORM, sections: [{ fields: [{ id: 'password', type: 'Password' }] }] }
  t.equal(await isLedBack(NAMELESS, NAMELESS, { password: 'y' }, pin), false, 'no name and no username')
})

t.test('the previous user is known after a reload with an expired token', async t => {
  for (const [user, title] of [
    ['Ada', 'Card'],
    ['Eve', 'Main Menu'],
    ['', 'Main Menu']
  ] as const) {
    const draft = JSON.stringify({ user, path: '', fields: [] })
    const { session, state } = sessionAt({ 'GET /menu/main': 401 }, { token: 'old', draft })
    await session.start('/card')
    await session.submit(ENTERED)
    t.match(state(), { name: 'screen', screen: { title } }, user)
  }
})

t.test('the draft of another user is not restored', async t => {
  for (const [user, city] of [
    ['Ada', 'Paris'],
    ['', 'Paris'],
    ['Eve', 'London']
  ] as const) {
    const draft = JSON.stringify({ user, path: '/card', fields: [['city', 'London', 'Paris']] })
    const { state } = await shownAt('/card', {}, { draft })
    t.equal(state().values.get('city'), city, user)
  }
})

t.test('if the screen after the login fails, the state is failed, and can be retried', async t => {
  const { session, state, table } = sessionAt({ 'GET /card': 404 })
  await session.start('/card')
  await session.submit(ENTERED)
  t.match(state(), { name: 'failed', path: '/card', isLoggedIn: true, message: { text: /nothing at this address/ } })
  table['GET /card'] = CARD
  await session.retry()
  t.match(state(), { name: 'screen', path: '/card' })
})

t.test('a login form instead of the menu comes before the screen given to start()', async t => {
  const replies: Replies = { 'GET /menu/main': FORM }
  const { session, state } = sessionAt(replies)
  await session.start('/card')
  t.equal(state().name, 'login')
  await session.submit(ENTERED)
  t.match(state(), { name: 'screen', path: '/card' })
})
