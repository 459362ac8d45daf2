// The account of a user: changing the password with a Card, logging out, and signing out everywhere. The tests in
// test/examples/redis check the effect on other servers.

import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { bearer } from '../../helpers.ts'
import { DEMO } from '../process.ts'
import { type Example, sessionTokens, startExample } from './in-process.ts'

const ADA = { username: 'Ada & Søn', password: 'a-password' }

const cardOf = (username: string) => `/screen/user?${new URLSearchParams({ username })}`
const signOut = (username: string) => `/screen/user/sign-out?${new URLSearchParams({ username })}`

/** Starts an example with revocable sessions and a second user. */
async function withSessions(t: Test, auth: Parameters<typeof startExample>[1] = {}) {
  const example = await startExample(t, { tokens: sessionTokens(), ...auth })
  await example.users.add({ username: ADA.username, displayName: 'Ada' }, ADA.password)
  const statusOf = async (token: string) => (await example.get('/menu/main', token)).statusCode
  return { ...example, statusOf }
}

/** Logs in, and returns a function that saves the password Card. */
async function openCard({ getJson, logIn, save }: Example) {
  const { token } = await logIn()
  const { actions } = await getJson('/screen/password', token)
  return (current_password: string, new_password = 'new-password', repeat_password = new_password) =>
    save(actions.save, { current_password, new_password, repeat_password }, token)
}

t.test('a user can change the password with a Card, and the next Card confirms it', async t => {
  const example = await startExample(t)
  const change = await openCard(example)
  const changed = await change(DEMO.password, 'new-password')
  t.match(changed, { code: 200, layout: 'Card', status: 'Your password was changed.' })
  t.equal((await example.logIn()).success, false)
  t.equal((await example.logIn({ ...DEMO, password: 'new-password' })).success, true)
  // Known clients show their own text instead of the status.
  t.match(changed.sections, [{ fields: [{ value: 'Your password was changed.', editable: false }] }])
  t.notOk('actions' in changed)
})

t.test('a rejected password change gives the reason and changes nothing', async t => {
  const example = await startExample(t)
  const change = await openCard(example)
  const refused: [Promise<object>, RegExp][] = [
    [change('wrong', 'new-password'), /^Error: Current password: wrong\.$/],
    [change(''), /^Error: Please enter your password\.$/],
    [change(DEMO.password, 'new-password', 'other-password'), /^Error: .* does not match/],
    [change(DEMO.password, 'short'), /^Error: New password: 8 characters or more/],
    [change(DEMO.password, 'x'.repeat(1025)), /^Error: .* max\. 1024 characters/],
    [change(DEMO.password, 'password\ud800'), /^Error: .* invalid character/],
    [change(DEMO.password, 'password\0'), /^Error: .* invalid character/]
  ]
  for (const [response, status] of refused) {
    const screen = await response
    t.match(screen, { code: 200, layout: 'Card', status })
    t.notMatch(JSON.stringify(screen), /new-password|demo-password/)
  }
  const { token, success } = await example.logIn()
  t.equal(success, true)
  const untouched = await example.save('/screen/password', {}, token)
  t.match(untouched, { code: 200, status: /^Error: / }, 'no field was filled in')
})

t.test('with revocable sessions, a password change ends all sessions of the user', async t => {
  const example = await withSessions(t)
  const { token } = await example.logIn()
  const change = await openCard(example)
  t.match(await change('wrong'), { status: /^Error: / })
  t.equal(await example.statusOf(token), 200)
  t.match(await change(DEMO.password), { status: 'Changed. Please log in again everywhere.' })
  t.equal(await example.statusOf(token), 401)
})

t.test('a password change reports that the sessions could not be ended', async t => {
  const revokeAll = () => Promise.reject(new Error('the store is down'))
  const example = await withSessions(t, { tokens: { ...sessionTokens(), revokeAll } })
  const { token } = await example.logIn()
  const change = await openCard(example)
  t.match(await change(DEMO.password), { code: 200, status: 'Changed, but please sign out everywhere.' })
  t.equal(await example.statusOf(token), 200)
})

t.test('with JWTs, which cannot be revoked, a logout returns 404 and no user can be signed out', async t => {
  const { get, getJson, logIn, post } = await startExample(t)
  const { token } = await logIn()
  t.equal((await post('/auth/logout', {}, token)).code, 404)
  t.equal((await get('/menu/main', token)).statusCode, 200)
  t.notOk('screen_actions' in (await getJson(cardOf(DEMO.username), token)))
  t.equal((await post(signOut(DEMO.username), {}, token)).code, 404)
})

t.test('a logout with any body ends one session', async t => {
  const { app, logIn, statusOf } = await withSessions(t)
  const other = (await logIn()).token
  for (const [type, payload] of [
    ['application/json', ''],
    ['application/json', '{'],
    ['application/json', '{"fields":{}}'],
    ['text/plain', 'x'],
    [';;;', 'x']
  ] as const) {
    const { token } = await logIn()
    const headers = { ...bearer(token), 'content-type': type }
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/auth/logout', headers, payload })
    t.strictSame([statusCode, body], [204, ''], `${type} ${payload}`)
    t.equal(await statusOf(token), 401)
  }
  t.equal(await statusOf(other), 200)
})

t.test('the list of users opens the Card of the user, whose button signs the user out everywhere', async t => {
  const { getJson, logIn, post, statusOf } = await withSessions(t)
  const adas = [(await logIn(ADA)).token, (await logIn(ADA)).token]
  const { token } = await logIn()

  const { lines } = await getJson('/screen/users', adas[0])
  const row = lines.rows.find(({ values }: { values: string[] }) => values[0] === ADA.username)
  const card = await getJson(lines.on_select.replace('{0}', encodeURIComponent(row.values[0])), adas[0])
  t.match(card, { layout: 'Card', title: 'Ada', record_id: ADA.username, parent_url: '/screen/users' })
  t.notOk('actions' in card, 'the Card is read-only')
  const [action] = card.screen_actions
  t.match(action, { label: 'Sign out everywhere', kind: 'confirm', confirm_message: /\?$/ })
  const pressed = { action_id: action.id, record_id: card.record_id, screen_title: card.title, fields: {} }
  const message = 'Signed out everywhere.'
  t.match(await post(action.endpoint, pressed, adas[0]), { code: 200, success: true, message })
  for (const ended of adas) t.equal(await statusOf(ended), 401)
  t.equal(await statusOf(token), 200)
  t.equal((await logIn(ADA)).success, true)
})

t.test('a user cannot sign out another user, and the Card of another user has no button for it', async t => {
  const { get, getJson, logIn, post, statusOf } = await withSessions(t)
  const adas = (await logIn(ADA)).token
  const { token } = await logIn()
  t.notOk('screen_actions' in (await getJson(cardOf(ADA.username), token)))
  t.equal((await get(cardOf('nobody'), token)).statusCode, 404)
  const refused = { code: 200, url: undefined, success: false, error: 'You can sign out only yourself.' }
  for (const username of [ADA.username, 'nobody', '', 'DEMO'])
    t.strictSame(await post(signOut(username), {}, token), refused, username)
  t.equal(await statusOf(adas), 200)
  t.equal(await statusOf(token), 200)
})

t.test('in no-auth mode, no user can be signed out, even with revocable sessions', async t => {
  const { getJson, post } = await withSessions(t, { enabled: false })
  t.notOk('screen_actions' in (await getJson(cardOf(DEMO.username))))
  t.match(await post(signOut(DEMO.username), {}), { code: 200, success: false })
})

for (const [title, by, isKnown] of [
  ['after signing out everywhere, a user can be blocked by failures from other networks', ADA, false],
  ['a rejected sign-out of another user keeps the known network of that user', DEMO, true]
] as const) {
  t.test(title, async t => {
    const throttle = { username: { failures: 1, seconds: 900 } }
    const { app, logIn, post } = await withSessions(t, { throttle })
    await logIn(ADA)
    t.equal((await post(signOut(ADA.username), {}, (await logIn(by)).token)).success, !isKnown)
    const fields = { ...ADA, password: 'wrong' }
    const stranger = { method: 'POST', url: '/auth/login', remoteAddress: '192.0.2.1', payload: { fields } }
    await app.inject(stranger as InjectOptions)
    t.equal((await logIn(ADA)).success, isKnown)
  })
}

t.test('guesses of the password at the Card are limited like those at the login', async t => {
  const example = await startExample(t)
  const change = await openCard(example)
  for (let i = 0; i < 10; i++) t.match(await change(`guess-${i}`), { status: /Current password: wrong/ })
  t.match(await change(DEMO.password), { status: 'Error: Too many attempts. Wait 15 minutes.' })
  t.match(await example.logIn(), { success: false, error: 'Too many attempts. Try again in 15 minutes' })
})
