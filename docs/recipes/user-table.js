// Users in a table of SQLite: passwords hashed with Argon2id, roles, and a screen to change the password. Pitfalls: a
// person may type "ADA", but the token must have the username of the table, or later code sees a second user. And an
// unknown name must take as long as a wrong password, or the response time reveals who has an account.
import { createClient } from '@libsql/client'
import { hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import screenAuth, { opaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

process.umask(0o077) // Only the owner may read the hashes.
const db = createClient({ url: process.env.USERS_DATABASE_URL ?? 'file:users.db', timeout: 1000 })
// NOCASE: upper and lower case of A to Z are the same, so ADA and Ada cannot be two users.
await db.execute(`CREATE TABLE IF NOT EXISTS users (username TEXT PRIMARY KEY COLLATE NOCASE,
  display_name TEXT NOT NULL, password_hash TEXT NOT NULL, role TEXT NOT NULL) STRICT`)
const findUser = async name => (await db.execute('SELECT * FROM users WHERE username = ?', [name])).rows[0]
const hashOf = password => hash(password, { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 })
const DUMMY = await hashOf('no user has this password')
// Adds the first user to an empty table. FIRST_PASSWORD has no effect on later starts.
const FIRST = `INSERT INTO users SELECT 'Ada', 'Ada Lovelace', ?, 'admin' WHERE NOT EXISTS (SELECT 1 FROM users)`
if (process.env.FIRST_PASSWORD) await db.execute(FIRST, [await hashOf(process.env.FIRST_PASSWORD)])

const tokens = opaqueTokens() // In memory: a restart ends every session.
const app = Fastify({ logger: true })
const item = (label, url) => ({ label, action: { type: 'open_screen', url } })
const tabs = (label, items) => ({ panel_title: label, tabs: [{ label, items }] })
const menu = (title, items) => ({ layout: 'Menu', title, menu: tabs(title, items) })

await app.register(screenAuth, {
  tokens,
  checkCredentials: async ({ username, password }) => {
    const user = await findUser(username)
    const isRight = await verify(user?.password_hash ?? DUMMY, password)
    return user && isRight ? { username: user.username, displayName: user.display_name } : null
  },
  mainMenu: async ({ username }) => {
    const isAdmin = (await findUser(username))?.role === 'admin'
    return menu('Main', [item('Password', '/screen/password'), ...(isAdmin ? [item('Users', '/screen/users')] : [])])
  }
})
const response = { 200: ScreenContract }

// Reads the role with each request, so a revoked role has no effect after that. With a cache: user-record.js.
const onlyFor = role => async (request, reply) => {
  if ((await findUser(request.screenUser.username))?.role !== role) return reply.code(403).send()
}
app.get('/screen/users', { schema: { response }, preHandler: onlyFor('admin') }, async () => {
  const { rows } = await db.execute('SELECT username, display_name, role FROM users ORDER BY username')
  const columns = ['Username', 'Name', 'Role'].map(label => ({ id: label.toLowerCase(), label }))
  const lines = { columns, rows: rows.map((row, index) => ({ index, values: Array.from(row) })) }
  return { layout: 'List', title: 'Users', lines }
})

const labels = { current_password: 'Current password', new_password: 'New password', repeat_password: 'Once more' }
const fields = Object.entries(labels).map(([id, label]) => ({ id, label, type: 'Password', value: '' }))
const sections = [{ id: 'password', label: 'Password', fields }]
const card = { layout: 'Card', title: 'Password', sections, actions: { save: '/screen/password' } }
app.get('/screen/password', { schema: { response } }, async () => card)
const RIGHT = /^[^\0\p{Cs}]{12,1000}$/u // The login rejects NUL and lone surrogates.
// `changes` has only the changed fields. A body that no Card sends is a 400; a person's mistake is a status.
const changes = { type: 'object', additionalProperties: { type: 'string' } }
const body = { type: 'object', required: ['changes'], properties: { changes } }
app.post('/screen/password', { schema: { body, response } }, async request => {
  const { current_password = '', new_password = '', repeat_password = '' } = request.body.changes
  const refuse = error => ({ ...card, status: `Error: ${error}` })
  if (!RIGHT.test(new_password)) return refuse('Use 12 characters or more.')
  if (new_password !== repeat_password) return refuse('The new passwords are not the same.')
  const { username, error } = await app.screenAuth.reauthenticate(request, current_password)
  if (error) return refuse(error)
  const args = [await hashOf(new_password), username]
  // Before the change, so that nothing changes if the session store is down; again after it, for logins in between.
  // Also ends this session, because a thief may have its token: the person logs in again.
  await tokens.revokeAll(username)
  await db.execute('UPDATE users SET password_hash = ? WHERE username = ?', args)
  await tokens.revokeAll(username)
  await app.screenAuth.forgetNetworks(username)
  return { ...menu('Password changed', [item('Log in again', '/menu/main')]), status: 'Your password was changed.' }
})

await app.listen({ port: 3000 })
