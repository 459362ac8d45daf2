// Recipes that use the id of a session: my-sessions.js and impersonation.js.
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { until } from '../../helpers.ts'
import { jsonOf, logIn, post, preload, recipe, request, statusOf, tokenOf } from '../program.ts'

/** Starts my-sessions.js with a database that a test can change. */
async function startMySessions(t: Test) {
  const database = `file:${join(t.testdir({}), 'sessions.db')}`
  const server = recipe(t, 'my-sessions.js', { SESSIONS_DATABASE_URL: database })
  const url = await server.listening()
  const rowsOf = async (token: string): Promise<string[][]> => {
    const { lines } = await jsonOf(`${url}/screen/sessions`, token)
    return lines.rows.map(({ values }: { values: string[] }) => values)
  }
  return { server, url, database, rowsOf }
}

t.test('my-sessions: the list has all sessions of the user, no session of another user, and no session id', async t => {
  const { url, rowsOf } = await startMySessions(t)
  const [first, second] = await Promise.all([tokenOf(url), tokenOf(url)])
  await tokenOf(url, { username: 'bob' })
  const headers = { 'user-agent': `\u009b31mX${'y'.repeat(100)}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ fields: { username: 'ada', password: 'correct horse' } })
  await request(`${url}/auth/login`, null, { method: 'POST', headers, body })
  const list = await jsonOf(`${url}/screen/sessions`, first)
  t.equal(list.user_display_name, 'ada')
  const values = list.lines.rows.map((row: Json) => row.values)
  t.equal(values.length, 3)
  t.match(values[0], ['4', `?31mX${'y'.repeat(55)}`, '127.0.0.1', / UTC$/, ''])
  t.equal(values.filter((row: string[]) => row[4] === 'Yes').length, 1)
  t.notMatch(JSON.stringify(list), /[a-xzA-Z0-9_-]{43}/)
  const own = async (token: string) => (await rowsOf(token)).find(row => row[4] === 'Yes')?.[0]
  t.strictSame([await own(first), await own(second)].sort(), ['1', '2'])
})

t.test('my-sessions: a user can show and end only their own sessions, by number', async t => {
  const { url, rowsOf } = await startMySessions(t)
  const [own, other, bob] = [await tokenOf(url), await tokenOf(url), await tokenOf(url, { username: 'bob' })]
  const path = `${url}/screen/sessions/2`
  for (const wrong of ['3', '0', 'x', '2 OR 1=1', "2'", '%00', '2.0'])
    for (const method of ['GET', 'POST'])
      t.equal((await request(`${url}/screen/sessions/${wrong}`, own, { method })).status, 404, wrong)
  t.equal((await post(path, {}, bob)).status, 404)
  t.match(await jsonOf(path, own), { layout: 'Card', actions: { delete: '/screen/sessions/2' } })
  const list = await (await post(path, { screen_id: '', record_id: '2' }, own)).json()
  t.match(list, { layout: 'List', lines: { row_count: 1 } })
  t.equal(await statusOf(`${url}/menu/main`, other), 401)
  t.equal((await rowsOf(bob)).length, 1)
})

t.test('my-sessions: the button ends all other sessions of the user, and no session of another user', async t => {
  const { url, rowsOf } = await startMySessions(t)
  const [own, other, bob] = [await tokenOf(url), await tokenOf(url), await tokenOf(url, { username: 'bob' })]
  const { screen_actions } = await jsonOf(`${url}/screen/sessions`, own)
  const response = await post(url + screen_actions[0].endpoint, { action_id: 'others', fields: {} }, own)
  t.match(await response.json(), { success: true, screen: { lines: { row_count: 1 } } })
  t.equal(await statusOf(`${url}/menu/main`, other), 401)
  t.equal((await rowsOf(own)).length, 1)
  t.equal((await rowsOf(bob)).length, 1)
})

t.test('my-sessions: an expired session is not shown, and the next login removes it from the table', async t => {
  const { url, database, rowsOf } = await startMySessions(t)
  const token = await tokenOf(url)
  await tokenOf(url)
  const db = createClient({ url: database })
  t.teardown(() => db.close())
  await db.execute('UPDATE sessions SET expires = 1 WHERE number = 2')
  t.equal((await rowsOf(token)).length, 1)
  await tokenOf(url)
  await until(async () => (await db.execute('SELECT * FROM sessions')).rows.length === 2)
})

t.test('my-sessions: logins succeed while the table cannot be written', async t => {
  const { server, url, database } = await startMySessions(t)
  const db = createClient({ url: database })
  t.teardown(() => db.close())
  await db.execute('ALTER TABLE sessions RENAME TO away')
  t.match(await (await logIn(url)).json(), { success: true })
  await until(() => server.output.includes('cannot be written'))
  await db.execute('ALTER TABLE away RENAME TO sessions')
  const token = await tokenOf(url)
  t.equal((await jsonOf(`${url}/screen/sessions`, token)).lines.row_count, 1)
})

/** Starts impersonation.js, which prints the expiry time of each session. */
async function startImpersonation(t: Test) {
  const NODE_OPTIONS = preload(`
    import { subscribe } from 'node:diagnostics_channel'
    const print = ({ outcome, expires }) => outcome === 'started' && process.stdout.write('expires ' + expires + '\\n')
    subscribe('fastify-screen-auth.session', print)
  `)
  const server = recipe(t, 'impersonation.js', { NODE_OPTIONS })
  const url = await server.listening()
  const actAs = async (token: string, username: unknown): Promise<Json> =>
    (await post(`${url}/auth/impersonate`, { fields: { username } }, token)).json()
  const goBack = async (token: string): Promise<Json> =>
    (await post(`${url}/auth/return`, { fields: {} }, token)).json()
  return { server, url, actAs, goBack }
}

t.test('impersonation: an administrator can act as a user, and each screen and log line names both', async t => {
  const { server, url, actAs } = await startImpersonation(t)
  const own = await tokenOf(url)
  t.match(await jsonOf(`${url}/screen/impersonate`, own), { layout: 'Card', auth_action: '/auth/impersonate' })
  const { success, token, error, screen } = await actAs(own, 'bob')
  t.match([success, error, screen.layout], [true, null, 'Menu'])
  t.match(await jsonOf(`${url}/menu/main`, token), { user_display_name: 'Bob (by Ada Lovelace)' })
  t.match(JSON.stringify(screen), 'Back to ada')
  t.match(await jsonOf(`${url}/screen/return`, token), { user_display_name: 'Bob (by Ada Lovelace)' })
  t.equal(await statusOf(`${url}/menu/main`, own), 401, 'the session of the administrator has ended')
  await until(() => /"username":"bob","admin":"ada".*"msg":"request completed"/.test(server.output))
})

t.test(
  'impersonation: users cannot act as others, and administrators cannot act as administrators or open private screens',
  async t => {
    const { url, actAs } = await startImpersonation(t)
    const own = await tokenOf(url)
    for (const username of ['eve', 'ada', 'nobody', '', undefined, {}, ['bob'], '__proto__'])
      t.match(await actAs(own, username), {
        success: false,
        token: null,
        error: 'You cannot act as this user.',
        screen: null
      })
    const { token } = await actAs(own, 'bob')
    const bob = await tokenOf(url, { username: 'bob' })
    for (const other of [token, bob]) {
      t.equal((await post(`${url}/auth/impersonate`, { fields: { username: 'bob' } }, other)).status, 403)
      t.equal(await statusOf(`${url}/screen/impersonate`, other), 403)
    }
    t.equal(await statusOf(`${url}/screen/password`, token), 403)
    t.equal(await statusOf(`${url}/screen/password`, bob), 200)
  }
)

t.test('impersonation: only the acting administrator can go back, and going back ends the session', async t => {
  const { url, actAs, goBack } = await startImpersonation(t)
  for (const fields of [{}, { username: 'bob' }])
    t.equal((await post(`${url}/auth/return`, { fields: { username: 'ada' } }, await tokenOf(url, fields))).status, 403)
  const { token } = await actAs(await tokenOf(url), 'bob')
  t.match(await jsonOf(`${url}/screen/return`, token), { layout: 'Card', auth_action: '/auth/return' })
  const back = await goBack(token)
  t.equal(await statusOf(`${url}/menu/main`, token), 401)
  t.match(await jsonOf(`${url}/menu/main`, back.token), { user_display_name: 'Ada Lovelace' })
  t.equal(await statusOf(`${url}/screen/password`, back.token), 200)
  t.match(await actAs(back.token, 'bob'), { success: true })
})

t.test('impersonation: an acting session is shorter than a login, and going back extends no session', async t => {
  const { server, url, actAs, goBack } = await startImpersonation(t)
  const { token } = await actAs(await tokenOf(url), 'bob')
  await goBack(token)
  const ends = () => [...server.output.matchAll(/^expires (\d+)$/gm)].map(([, time]) => Number(time))
  await until(() => ends().length === 3)
  const [login = 0, acting = 0, back = 0] = ends()
  t.ok(acting <= login - 11 * 3600 * 1000)
  t.ok(back <= login)
})
