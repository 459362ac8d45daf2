// One account, two names: people log in with their username or email address. Pitfall: the throttle counts failures by
// the entered name, so an attacker gets the attempts of two names. `nameOf` maps an address to the username. It is
// synchronous, so it reads a copy in memory. Drawback: failed logins reveal whether two names belong to one account.
import { createClient } from '@libsql/client'
import { hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

process.umask(0o077) // Only the owner may read the hashes.
const db = createClient({ url: process.env.USERS_DATABASE_URL ?? 'file:accounts.db', timeout: 1000 })
// Only email addresses have an "@", so that no username equals another person's address and gets that person's logins.
await db.execute(`CREATE TABLE IF NOT EXISTS users (
  username TEXT PRIMARY KEY COLLATE NOCASE CHECK (username NOT LIKE '%@%'),
  email TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (email LIKE '%@%'),
  display_name TEXT NOT NULL, password_hash TEXT NOT NULL) STRICT`)

const hashOf = password => hash(password, { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 })
const DUMMY = await hashOf('no user has this password')
// Adds the first user to an empty table. FIRST_PASSWORD has no effect on later starts.
const FIRST = `INSERT INTO users SELECT 'Ada', 'ada@example.com', 'Ada Lovelace', ? WHERE NOT EXISTS (SELECT 1 FROM users)`
if (process.env.FIRST_PASSWORD) await db.execute(FIRST, [await hashOf(process.env.FIRST_PASSWORD)])

const app = Fastify({ logger: true })

// Addresses that are equal in the table must be equal here; other ones may be equal here, too.
const fold = email => email.trim().toLowerCase()
let usernames = new Map()
async function refresh() {
  const { rows } = await db.execute('SELECT email, username FROM users')
  usernames = new Map(rows.map(({ email, username }) => [fold(email), username]))
}
await refresh()
// Call `refresh` where your code adds a user or changes an address. The timer reads the changes of other processes.
// While the database is down, the last copy stays in use.
const failed = ({ code }) => app.log.error({ code }, 'the names of users cannot be read')
setInterval(() => refresh().catch(failed), Number(process.env.REFRESH_SECONDS ?? 60) * 1000).unref()

await app.register(screenAuth, {
  // The plugin then ignores case and spaces. `forgetNetworks` (see user-table.js) takes the username of the table.
  throttle: { nameOf: name => usernames.get(fold(name)) ?? name },
  loginForm: form => {
    form.sections[0].fields[0].label = 'Username or email'
    return form
  },
  checkCredentials: async ({ username, password }) => {
    const sql = 'SELECT * FROM users WHERE username = ?1 OR email = ?1'
    const [user] = (await db.execute(sql, [username.trim()])).rows
    const isRight = await verify(user?.password_hash ?? DUMMY, password)
    // Returns the username of the table, not the entered name: a login by address would be a second user.
    return user && isRight ? { username: user.username, displayName: user.display_name } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

const schema = { response: { 200: ScreenContract } }
app.get('/screen/profile', { schema }, async ({ screenUser }) => ({ layout: 'Card', title: screenUser.username }))

await app.listen({ port: 3000 })
