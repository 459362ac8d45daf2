// Users in a table: user-table.js and email-or-username.js.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import t, { type Test } from 'tap'
import type { Json } from '../../examples/process.ts'
import { until } from '../../helpers.ts'
import { faultsOf } from '../known-screen.ts'
import { jsonOf, logIn, post, preload, recipe, statusOf, tokenOf } from '../program.ts'

const PASSWORD = 'correct horse'
const NEW = 'battery staple'

/** Prints a line for each comparison of a password with a hash. */
const NODE_OPTIONS = preload(`
  import { createRequire } from 'node:module'
  const argon2 = createRequire(${JSON.stringify(import.meta.filename)})('@node-rs/argon2')
  const { verify } = argon2
  argon2.verify = (...given) => {
    console.log('compared')
    return verify(...given)
  }
`)

/** Starts a recipe with a new database, whose first user is Ada. */
async function startWithTable(t: Test, name: string, env = {}) {
  const path = join(t.testdir(), 'users.db')
  const USERS_DATABASE_URL = `file:${path}`
  const start = (password: string) =>
    recipe(t, name, { USERS_DATABASE_URL, FIRST_PASSWORD: password, NODE_OPTIONS, ...env })
  const server = start(PASSWORD)
  const url = await server.listening()
  const db = createClient({ url: USERS_DATABASE_URL, timeout: 5000 })
  t.teardown(() => db.close())
  return { path, start, server, url, db }
}

async function startUserTable(t: Test) {
  const started = await startWithTable(t, 'user-table.js')
  await started.db.execute("INSERT INTO users SELECT 'bob', 'Bob', password_hash, 'user' FROM users")
  return started
}

const errorOf = async (response: Response) => ((await response.json()) as Json).error

t.test('user-table: a login ignores the case of a username, and the session has the spelling of the table', async t => {
  const { server, url } = await startUserTable(t)
  for (const username of ['Ada', 'ada', 'ADA']) t.type(await tokenOf(url, { username }), 'string', username)
  await until(() => server.output.split('login accepted').length === 4)
  t.notMatch(server.output, /"username":"(ada|ADA)"/)
})

t.test('user-table: a login with an unknown username also compares a hash, and gets the same response', async t => {
  const { server, url } = await startUserTable(t)
  for (const [index, username] of ['ada', 'nobody', "' OR 1 = 1 --"].entries()) {
    t.equal(await errorOf(await logIn(url, { username, password: 'wrong' })), 'Wrong username or password.')
    await until(() => server.output.split('compared').length === index + 2)
  }
})

t.test('user-table: only its owner can read the database file, and the table stores only password hashes', async t => {
  const { path, server, db } = await startUserTable(t)
  t.equal(statSync(path).mode & 0o77, 0)
  const { rows } = await db.execute('SELECT password_hash FROM users')
  for (const { password_hash } of rows) t.match(password_hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  t.notMatch(server.output, PASSWORD)
})

t.test('user-table: a restart does not reset the password of the first user', async t => {
  const { start } = await startUserTable(t)
  const url = await start(NEW).listening()
  t.equal(await tokenOf(url, { password: NEW }), null)
  t.type(await tokenOf(url), 'string')
})

t.test('user-table: only admins can list the users, and removing a role takes effect at once', async t => {
  const { url, db } = await startUserTable(t)
  const [ada, bob] = [await tokenOf(url), await tokenOf(url, { username: 'bob' })]
  const statuses = () => Promise.all([null, bob, ada].map(token => statusOf(`${url}/screen/users`, token)))
  const itemsOf = async (token: string) => (await jsonOf(`${url}/menu/main`, token)).menu.tabs[0].items.length
  t.strictSame(await statuses(), [401, 403, 200])
  t.strictSame([await itemsOf(ada), await itemsOf(bob)], [2, 1])
  await db.execute("UPDATE users SET role = 'user'")
  t.strictSame(await statuses(), [401, 403, 403])
  t.equal(await itemsOf(ada), 1)
})

t.test('user-table: the password Card', async t => {
  const { server, url, db } = await startUserTable(t)
  const token = await tokenOf(url, { username: 'ADA' })
  const save = async (changes: unknown, { username = 'ada' } = {}) =>
    post(
      `${url}/screen/password`,
      { screen_id: null, record_id: null, changes, action: 'save', lines: [] },
      username === 'ada' ? token : await tokenOf(url, { username })
    )

  t.test('known clients can draw the menu and its screens', async t => {
    const menu = await jsonOf(`${url}/menu/main`, token)
    const screens = menu.menu.tabs[0].items.map(({ action }: Json) => jsonOf(url + action.url, token))
    for (const screen of [menu, ...(await Promise.all(screens))]) {
      t.equal(faultsOf(screen), '')
      t.equal(screen.user_display_name, 'Ada Lovelace')
    }
  })

  t.test('an invalid entry shows the Card again with an error, and changes nothing', async t => {
    const right = { current_password: PASSWORD, new_password: NEW, repeat_password: NEW }
    for (const [status, changes] of [
      ['Error: Use 12 characters or more.', {}],
      ['Error: Use 12 characters or more.', { ...right, new_password: 'short', repeat_password: 'short' }],
      ['Error: Use 12 characters or more.', { ...right, new_password: 'x'.repeat(9999) }],
      ['Error: Use 12 characters or more.', { ...right, new_password: `${NEW}\0`, repeat_password: `${NEW}\0` }],
      ['Error: Use 12 characters or more.', { ...right, new_password: `${NEW}\ud800` }],
      ['Error: The new passwords are not the same.', { ...right, repeat_password: undefined }],
      ['Error: Please enter your password.', { ...right, current_password: undefined }],
      ['Error: The password is wrong.', { ...right, current_password: 'wrong' }]
    ] as const) {
      const screen = (await (await save(changes)).json()) as Json
      t.match(screen, { layout: 'Card', status, actions: { save: '/screen/password' } })
      t.equal(faultsOf(screen), '')
    }
    t.type(await tokenOf(url), 'string')
  })

  t.test('a body that no Card sends returns 400', async t => {
    for (const changes of [undefined, null, [], 'x', { new_password: {} }, { new_password: ['a', 'b'] }])
      t.equal((await save(changes)).status, 400, JSON.stringify(changes))
  })

  t.test('a new password affects one user, and ends all sessions of that user', async t => {
    const [other, bob] = [await tokenOf(url), await tokenOf(url, { username: 'bob' })]
    const saved = await save({ current_password: PASSWORD, new_password: NEW, repeat_password: NEW })
    const screen = (await saved.json()) as Json
    t.match(screen, { layout: 'Menu', status: 'Your password was changed.' })
    t.equal(faultsOf(screen), '')
    for (const ended of [token, other]) t.equal(await statusOf(`${url}/menu/main`, ended), 401)
    t.equal(await statusOf(`${url}/menu/main`, bob), 200)
    t.equal(await tokenOf(url), null)
    for (const fields of [{ password: NEW }, { username: 'bob' }]) t.type(await tokenOf(url, fields), 'string')
    t.notMatch(server.output, NEW)
  })

  t.test('a new password that cannot be stored returns 500, and the old one stays valid', async t => {
    await db.execute("CREATE TRIGGER full BEFORE UPDATE ON users BEGIN SELECT RAISE(ABORT, 'full'); END")
    const changes = { current_password: PASSWORD, new_password: NEW, repeat_password: NEW }
    t.equal((await save(changes, { username: 'bob' })).status, 500)
    t.type(await tokenOf(url, { username: 'bob' }), 'string')
  })
})

const EMAIL = 'ada@example.com'

t.test('email-or-username: a user can log in with the username or the email address, in any case', async t => {
  const { url } = await startWithTable(t, 'email-or-username.js')
  for (const username of ['Ada', 'ada', EMAIL, 'ADA@Example.com', ` ${EMAIL} `])
    t.equal((await jsonOf(`${url}/screen/profile`, await tokenOf(url, { username }))).title, 'Ada', username)
  t.equal((await jsonOf(`${url}/auth/login`)).sections[0].fields[0].label, 'Username or email')
})

t.test('email-or-username: a login with an unknown username or address also compares a hash', async t => {
  const { server, url } = await startWithTable(t, 'email-or-username.js')
  for (const [index, username] of ['nobody', 'nobody@example.com', '@'].entries()) {
    t.equal(await errorOf(await logIn(url, { username })), 'Wrong username or password.')
    await until(() => server.output.split('compared').length === index + 2)
  }
})

t.test('email-or-username: failures with the username and with the address count together', async t => {
  const { url } = await startWithTable(t, 'email-or-username.js')
  for (let i = 0; i < 5; i++) for (const username of ['ada', EMAIL]) await logIn(url, { username, password: 'wrong' })
  for (const username of ['ADA', 'Ada@example.com'])
    t.match(await errorOf(await logIn(url, { username })), /^Too many attempts/, username)
})

t.test('email-or-username: failures with an address that another process changed count for the user, too', async t => {
  const { url, db } = await startWithTable(t, 'email-or-username.js', { REFRESH_SECONDS: '0.01' })
  await db.execute("UPDATE users SET email = 'new@example.com'")
  await until(async () => {
    for (let i = 0; i < 10; i++) await logIn(url, { username: 'new@example.com', password: 'wrong' })
    return (await tokenOf(url)) === null
  })
  t.match(await errorOf(await logIn(url)), /^Too many attempts/)
})

t.test('email-or-username: the table rejects an address as username and a duplicate username or address', async t => {
  const { db } = await startWithTable(t, 'email-or-username.js')
  for (const names of ["'eve@example.com', 'eve@example.org'", "'eve', 'ADA@example.com'", "'eve', 'ada'"])
    await t.rejects(db.execute(`INSERT INTO users VALUES (${names}, 'Eve', 'hash')`), /constraint/, names)
})

t.test('email-or-username: the server keeps running while it cannot read the usernames', async t => {
  const { server, url, db } = await startWithTable(t, 'email-or-username.js', { REFRESH_SECONDS: '0.01' })
  await db.execute('ALTER TABLE users RENAME TO away')
  await until(() => server.output.includes('the names of users cannot be read'))
  t.equal((await logIn(url, { username: EMAIL })).status, 500)
  await db.execute('ALTER TABLE away RENAME TO users')
  t.type(await tokenOf(url, { username: EMAIL }), 'string')
})
