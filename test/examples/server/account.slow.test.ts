// The account of a user: changing the password with a Card, logging out, and signing out everywhere.

import t, { type Test } from 'tap'
import { opaqueTokens } from '../../../lib/index.ts'
import { bearer } from '../../helpers.ts'
import { DEMO } from '../process.ts'
import { NO_AUTH, startExample, valuesOf } from './in-process.ts'

const ADA = { username: 'Ada & Søn', password: 'a-password' }

const cardOf = (username: string) => `/screen/user?${new URLSearchParams({ username })}`
const signOut = (username: string) => `/screen/user/sign-out?${new URLSearchParams({ username })}`

/** Starts an example with two users, by default with revocable sessions. */
async function start(t: Test, auth: Parameters<typeof startExample>[1] = { tokens: opaqueTokens() }) {
  const example = await startExample(t, auth)
  await example.users.add({ username: ADA.username, displayName: 'Ada' }, ADA.password)
  return {
    ...example,
    statusOf: async (token: string) => (await example.get('/menu/main', token)).statusCode,
    /** Saves the Card for a new password. */
    change: (token: string, current_password: string, new_password = 'new-password', repeat_password = new_password) =>
      example.post('/screen/password', { changes: { current_password, new_password, repeat_password } }, token)
  }
}

t.test('a new password ends all sessions of the user; nothing changes if the store fails before', async t => {
  for (const failing of [0, 1, 2]) {
    const isChanged = failing !== 1
    const tokens = opaqueTokens()
    let calls = 0
    const revokeAll = async (username: string) => {
      calls += 1
      if (calls === failing) throw new Error('the store is down')
      await tokens.revokeAll(username)
    }
    const { app, change, logIn, statusOf } = await start(t, { tokens: { ...tokens, revokeAll } })
    const logged = t.capture(app.log, 'error')
    const { token } = await logIn()
    const ada = (await logIn(ADA)).token
    const status = isChanged ? 'Changed. Please log in again everywhere.' : 'Error: Not changed. Try again later.'
    // Known clients show their own text instead of the status.
    const sections = isChanged ? [{ fields: [{ value: status, editable: false }] }] : []
    const screen = await change(token, DEMO.password)
    t.match(screen, { code: 200, layout: 'Card', status, sections })
    t.equal('actions' in screen, !isChanged)
    t.equal(logged().length, failing === 0 ? 0 : 1)
    t.strictSame([await statusOf(token), await statusOf(ada)], [isChanged ? 401 : 200, 200])
    t.equal((await logIn()).success, !isChanged)
    t.equal((await logIn({ ...DEMO, password: 'new-password' })).success, isChanged)
  }
})

t.test('a rejected password change gives the reason and changes nothing', async t => {
  const { change, logIn, post } = await start(t)
  const { token } = await logIn()
  for (const [passwords, status] of [
    [['wrong'], 'Current password: wrong.'],
    [[''], 'Current password: wrong.'],
    [[DEMO.password, 'new-password', 'other-password'], 'New password again: does not match.'],
    [[DEMO.password, DEMO.password], 'New password: same as before.'],
    [[DEMO.password, 'short'], 'New password: 8 characters or more.'],
    [[DEMO.password, 'x'.repeat(1025)], 'New password: max. 1024 characters.'],
    [[DEMO.password, 'password\ud800'], 'New password: invalid character.'],
    [[DEMO.password, 'password\0'], 'New password: invalid character.']
  ] as [[string, string?, string?], string][]) {
    const screen = await change(token, ...passwords)
    t.match(screen, { code: 200, layout: 'Card', status: `Error: ${status}` })
    t.notMatch(JSON.stringify(screen), /new-password|demo-password/)
  }
  t.match(await post('/screen/password', { changes: {} }, token), { status: /^Error: / }, 'no field was filled in')
  t.equal((await logIn()).success, true)
})

t.test('guesses of the password at the Card are limited like those at the login', async t => {
  const { change, logIn } = await start(t)
  const { token } = await logIn()
  for (let i = 0; i < 10; i++) await change(token, `guess-${i}`)
  t.match(await change(token, DEMO.password), { status: 'Error: Too many attempts. Wait 15 minutes.' })
  t.match(await logIn(), { success: false, error: 'Too many attempts. Try again in 15 minutes' })
})

t.test('with JWTs, which cannot be revoked, no user can be signed out, and a removed user has no profile', async t => {
  const { change, get, getJson, logIn, post, statusOf, users } = await start(t, {})
  const { token } = await logIn()
  t.match(valuesOf(await getJson('/screen/profile', token)), { display_name: 'Demo User', created_at: /^\d\d-\d\d-/ })
  t.notOk('screen_actions' in (await getJson(cardOf(DEMO.username), token)))
  for (const path of ['/auth/logout', signOut(DEMO.username)]) t.equal((await post(path, {}, token)).code, 404)
  t.match(await change(token, DEMO.password), { status: 'Your password was changed.' })
  t.equal(await statusOf(token), 200)
  await users.remove('demo')
  t.equal((await get('/screen/profile', token)).statusCode, 404)
})

t.test('a logout with any body ends one session', async t => {
  const { app, logIn, statusOf } = await start(t)
  const other = (await logIn()).token
  for (const [type, payload] of [
    ['application/json', ''],
    ['application/json', '{'],
    ['text/plain', 'x'],
    [';;;', 'x']
  ] as const) {
    const { token } = await logIn()
    const headers = { ...bearer(token), 'content-type': type }
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/auth/logout', headers, payload })
    t.strictSame([statusCode, body, await statusOf(token)], [204, '', 401], `${type} ${payload}`)
  }
  t.equal(await statusOf(other), 200)
})

t.test('users can sign themselves out everywhere, and nobody else', async t => {
  const { getJson, logIn, post, statusOf } = await start(t)
  const adas = [(await logIn(ADA)).token, (await logIn(ADA)).token]
  const { token } = await logIn()
  t.notOk('screen_actions' in (await getJson(cardOf(ADA.username), token)))
  const refused = { code: 200, success: false, error: 'You can sign out only yourself.' }
  for (const username of [ADA.username, 'nobody', '', 'DEMO'])
    t.match(await post(signOut(username), {}, token), refused, username)
  for (const ada of adas) t.equal(await statusOf(ada), 200)

  const [action] = (await getJson(cardOf(ADA.username), adas[0])).screen_actions
  t.match(await post(action.endpoint, {}, adas[0]), { success: true, message: 'Signed out everywhere.' })
  for (const ada of adas) t.equal(await statusOf(ada), 401)
  t.equal(await statusOf(token), 200)
})

t.test('in no-auth mode, no user can be signed out, even with revocable sessions', async t => {
  const { getJson, post } = await start(t, { ...NO_AUTH, tokens: opaqueTokens() })
  t.notOk('screen_actions' in (await getJson(cardOf(DEMO.username))))
  t.match(await post(signOut(DEMO.username), {}), { code: 200, success: false })
})
