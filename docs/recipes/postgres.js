// Users in a table of PostgreSQL. Pitfalls: without a listener for `error`, a restart of PostgreSQL ends this process.
// `pg` knows no signals, so without time limits, logins that nobody waits for keep connections. An unknown name must
// take as long as a wrong password, or the response time reveals who has an account. The table:
//   CREATE TABLE users (username text PRIMARY KEY, display_name text NOT NULL, password_hash text NOT NULL);
//   CREATE UNIQUE INDEX ON users (lower(username));
import { hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL, // Over a network, end it with `?sslmode=verify-full`.
  // Milliseconds. Together, they are shorter than the 10 seconds that a login may take.
  connectionTimeoutMillis: 2000, // The wait for a connection.
  statement_timeout: 2000, // Then PostgreSQL ends the query. Behind PgBouncer: `ALTER ROLE … SET statement_timeout`.
  query_timeout: 3000 // Then `pg` closes the connection, because PostgreSQL or the network is silent.
})
// PostgreSQL is down, slow or full: the response is a 503, and the login does not count as a failure.
function unavailable(cause) {
  throw Object.assign(new Error('the user store is down', { cause }), { statusCode: 503 })
}
// Without `lower`, ADA and ada would be two names.
const FIND = 'SELECT username, display_name, password_hash FROM users WHERE lower(username) = lower($1)'
const query = async name => (await pool.query(FIND, [name])).rows[0] // Async: an invalid URL throws at once.
const findUser = name => query(name).catch(unavailable)
const DUMMY = await hash('nobody', { memoryCost: 19_456, timeCost: 2, parallelism: 1 }) // Like your hashes.

const app = Fastify({ logger: true })
// The pool replaces the lost connection. Logs only the message, because the error contains the client.
pool.on('error', ({ message }) => app.log.warn(`connection to PostgreSQL lost: ${message}`))
app.addHook('onClose', () => pool.end())
await app.register(screenAuth, {
  checkCredentials: async ({ username, password }, _request, signal) => {
    const user = await findUser(username.trim())
    signal.throwIfAborted() // Nobody waits for the slow hash.
    const isRight = await verify(user?.password_hash ?? DUMMY, password)
    return user && isRight ? { username: user.username, displayName: user.display_name } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})
await app.listen({ port: 3000 })
