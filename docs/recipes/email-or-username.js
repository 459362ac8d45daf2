// One account, two names: people log in with their username or with their email address. The trap: failed logins count by
// what was typed, so who guesses has the tries of two names. `nameOf` makes one name of both; it cannot wait for a query,
// so it reads a copy in memory. The price: who knows both names can find out, by failing, that they are one account.
import { createClient } from '@libsql/client'
import { hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

process.umask(0o077) // Only the owner may read the hashes.
const db = createClient({ url: process.env.USERS_DATABASE_URL ?? 'file:accounts.db', timeout: 1000 })
// Only addresses have an "@". Else a person could take the address of another one as a username, and get their logins.
await db.execute(`CREATE TABLE IF NOT EXISTS users (
  username TEXT PRIMARY KEY COLLATE NOCASE CHECK (username NOT LIKE '%@%'),
  email TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (email LIKE '%@%'),
  display_name TEXT NOT NULL, password_hash TEXT NOT NULL) STRICT`)

const hashOf = password => hash(password, { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 })
const DUMMY = await hashOf('no user has this password')
// The first user, if there is none: FIRST_PASSWORD is of no use later.
const FIRST = `INSERT INTO users SELECT 'Ada', 'ada@example.com', 'Ada Lovelace', ? WHERE NOT EXISTS (SELECT 1 FROM users)`
if (process.env.FIRST_PASSWORD) await db.execute(FIRST, [await hashOf(process.env.FIRST_PASSWORD)])

const app = Fastify({ logger: true })

// It must take all for the same that the table takes for the same; it may take more.
const fold = name => name.trim().toLowerCase()
let usernames = new Map()
async function refresh() {
  const { rows } = await db.execute('SELECT email, username FROM users')
  usernames = new Map(rows.map(({ email, username }) => [fold(email), fold(username)]))
}
await refresh()
// Call `refresh` where your code adds a user or changes an address. The timer is for what other processes change; while the
// database is down, what was read last is good.
const failed = ({ code }) => app.log.error({ code }, 'the names of users cannot be read')
setInterval(() => refresh().catch(failed), Number(process.env.REFRESH_SECONDS ?? 60) * 1000).unref()

await app.register(screenAuth, {
  // After a new password (see user-table.js) one `forgetNetworks(username)` is enough for both names, because of this.
  throttle: { nameOf: name => usernames.get(fold(name)) ?? fold(name) },
  loginForm: form => {
    form.sections[0].fields[0].label = 'Username or email'
    return form
  },
  checkCredentials: async ({ username, password }) => {
    const sql = 'SELECT * FROM users WHERE username = ?1 OR email = ?1'
    const [user] = (await db.execute(sql, [username.trim()])).rows
    const isRight = await verify(user?.password_hash ?? DUMMY, password)
    // Always the username of the table, never what was typed: by an address the same person would be another user.
    return user && isRight ? { username: user.username, displayName: user.display_name } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

const schema = { response: { 200: ScreenContract } }
app.get('/screen/profile', { schema }, async ({ screenUser }) => ({ layout: 'Card', title: screenUser.username }))

await app.listen({ port: 3000 })
