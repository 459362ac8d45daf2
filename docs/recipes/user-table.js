// Users in a table of SQLite: passwords hashed with Argon2id, roles, and a screen to change the password. A hook reads
// the row of the user once per request, for all later hooks and handlers. Pitfalls: a person may type "ADA", but the
// token must have the username of the table, or later code sees a second user. An unknown name must take as long as a
// wrong password, or the response time reveals who has an account. Users must change a password that somebody else
// assigned: until then, every screen is the Card that changes it, because known clients show nothing of a 403.
import { createClient } from '@libsql/client'
import { hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import screenAuth, { opaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

process.umask(0o077) // Only the owner may read the hashes.
const db = createClient({ url: process.env.USERS_DATABASE_URL ?? 'file:users.db', timeout: 1000 })
// The user store is down: the response is a 503, and the login does not count as a failure.
function unavailable(cause) {
  db.reconnect() // After a lock, the connection may stay in a transaction that never ends.
  throw Object.assign(new Error('the user store is down', { cause }), { statusCode: 503 })
}
const run = (sql, ...args) => db.execute({ sql, args }).catch(unavailable)
// NOCASE: upper and lower case of A to Z are the same, so ADA and Ada cannot be two users.
await run(`CREATE TABLE IF NOT EXISTS users (username TEXT PRIMARY KEY COLLATE NOCASE,
  display_name TEXT NOT NULL, password_hash TEXT NOT NULL, role TEXT NOT NULL, must_change INTEGER NOT NULL) STRICT`)
const findUser = async name => (await run('SELECT * FROM users WHERE username = ?', name)).rows[0]
const hashOf = password => hash(password, { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 })
const DUMMY = await hashOf('no user has this password')
// `FIRST_PASSWORD=… node user-table.js` adds the first user, Ada, to an empty table. Later, it has no effect.
const FIRST = `INSERT INTO users SELECT 'Ada', 'Ada Lovelace', ?, 'admin', 1 WHERE NOT EXISTS (SELECT 1 FROM users)`
if (process.env.FIRST_PASSWORD) await run(FIRST, await hashOf(process.env.FIRST_PASSWORD))

const item = (label, url) => ({ label, action: { type: 'open_screen', url } })
const tabs = (label, items) => ({ panel_title: label, tabs: [{ label, items }] })
const menu = (title, items) => ({ layout: 'Menu', title, menu: tabs(title, items) })
const labels = { current_password: 'Current password', new_password: 'New password', repeat_password: 'Once more' }
const fields = Object.entries(labels).map(([id, label]) => ({ id, label, type: 'Password', value: '' }))
const sections = [{ id: 'password', label: 'Password', fields }]
const CARD = { layout: 'Card', title: 'Password', sections, actions: { save: '/screen/password' } }
const FORCED = { ...CARD, status: 'Please choose a password of your own.' }

const tokens = opaqueTokens() // In memory: a restart ends every session.
const app = Fastify({ logger: true })

app.decorateRequest('row')
// Added before other plugins, so that it covers their routes, too. A preHandler runs after the guard. If the query is
// slow, cache the row for some seconds. If it fails, the response is a 503, which ends no session.
app.addHook('preHandler', async (request, reply) => {
  if (request.screenUser === null) return // A public route.
  request.row = await findUser(request.screenUser.username)
  if (request.row === undefined) {
    // The user was removed after the login. After a 401, the client drops its token and shows the login.
    const challenge = 'Bearer realm="screen", error="invalid_token"'
    return reply.code(401).headers({ 'www-authenticate': challenge, 'cache-control': 'no-store' }).send()
  }
  // All routes but one are closed: a list of closed routes would miss later routes.
  const isChange = request.method === 'POST' && request.routeOptions.url === '/screen/password'
  if (!request.row.must_change || isChange) return
  if (request.method !== 'GET') return reply.code(403).send()
  // The schema of the route fits only its own response.
  const screen = { ...FORCED, user_display_name: request.screenUser.displayName }
  return reply.serializer(JSON.stringify).type('application/json').send(screen)
})

await app.register(screenAuth, {
  tokens,
  checkCredentials: async ({ username, password }, request) => {
    const user = await findUser(username.trim())
    const isRight = await verify(user?.password_hash ?? DUMMY, password)
    if (!user || !isRight) return null
    request.row = user // For `mainMenu`: the hook above runs before the user of a login is known.
    return { username: user.username, displayName: user.display_name }
  },
  mainMenu: (_user, { row: { role, must_change } }) => {
    if (must_change) return FORCED
    const ofAdmins = role === 'admin' ? [item('Users', '/screen/users')] : []
    return menu('Main', [item('Password', '/screen/password'), ...ofAdmins])
  }
})
const response = { 200: ScreenContract }
const onlyFor = role => async (request, reply) => {
  if (request.row.role !== role) return reply.code(403).send()
}
app.get('/screen/users', { schema: { response }, preHandler: onlyFor('admin') }, async () => {
  const { rows } = await run('SELECT username, display_name, role FROM users ORDER BY username')
  const columns = ['Username', 'Name', 'Role'].map(label => ({ id: label.toLowerCase(), label }))
  const lines = { columns, rows: rows.map((row, index) => ({ index, values: Array.from(row) })) }
  return { layout: 'List', title: 'Users', lines }
})

app.get('/screen/password', { schema: { response } }, async () => CARD)
const RIGHT = /^[^\0\p{Cs}]{12,1000}$/u // The login rejects NUL and lone surrogates.
// `changes` has only the changed fields. A body that no Card sends is a 400; a person's mistake is a status.
const changes = { type: 'object', additionalProperties: { type: 'string' } }
const body = { type: 'object', required: ['changes'], properties: { changes } }
app.post('/screen/password', { schema: { body, response } }, async request => {
  const { current_password = '', new_password = '', repeat_password = '' } = request.body.changes
  const refuse = error => ({ ...CARD, status: `Error: ${error}` })
  if (!RIGHT.test(new_password)) return refuse('Use 12 characters or more.')
  if (new_password !== repeat_password) return refuse('The new passwords are not the same.')
  if (new_password === current_password) return refuse('That is the password you have.')
  const { username } = request.screenUser
  try {
    await app.screenAuth.reauthenticate(request, current_password)
  } catch (error) {
    if (error.code !== 'FST_SCREEN_AUTH_REAUTHENTICATION_FAILED') throw error
    return refuse(error.message)
  }
  const args = [await hashOf(new_password), username]
  // Also ends this session, because a thief may have its token: the person logs in again.
  const endLogins = async () => {
    await app.screenAuth.forgetNetworks(username)
    await tokens.revokeAll(username)
  }
  // Before the change, so that nothing changes if the token store is down; again after it, for logins in between.
  await endLogins()
  await run('UPDATE users SET password_hash = ?, must_change = 0 WHERE username = ?', ...args)
  await endLogins()
  return { ...menu('Password changed', [item('Log in again', '/menu/main')]), status: 'Your password was changed.' }
})

await app.listen({ port: 3000 })
