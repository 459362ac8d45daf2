// A store of your own: sessions and failed logins in a SQLite file, which survive a restart, and which all processes of
// one machine share. Pitfalls: two processes that count at the same moment, so `take` locks the file before it reads;
// and a late `touch`, which must create nothing, or it would restore a session that has ended.
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'

process.umask(0o077) // Only the owner may open the file: someone who can write to it can log in as anyone.
const db = createClient({ url: process.env.SESSIONS_DATABASE_URL ?? 'file:sessions.db', timeout: 1000 })
await db.execute('PRAGMA journal_mode = WAL') // Reads do not wait for writes.
// A value is a row without an id. A count has a row for each id, all with the same end.
await db.execute(`CREATE TABLE IF NOT EXISTS entries (key TEXT, id TEXT, value TEXT, ends INTEGER,
  PRIMARY KEY (key, id)) STRICT, WITHOUT ROWID`)
await db.execute('CREATE INDEX IF NOT EXISTS ends ON entries (ends)')

const GET = "SELECT value FROM entries WHERE key = ? AND id = '' AND ends > ?"
const TOUCH = "UPDATE entries SET ends = ? WHERE key = ? AND id = '' AND ends > ?"
const TAKE = `INSERT OR IGNORE INTO entries
  SELECT :key, :id, NULL, coalesce(min(ends), :ends) FROM entries WHERE key = :key HAVING count(*) < :limit`
const COUNT = 'SELECT max(id = ?) AS taken, max(ends) AS ends FROM entries WHERE key = ?'
// After a locked file, the connection may stay in a transaction that never ends.
function reconnect(error) {
  db.reconnect()
  throw error
}
const run = (sql, ...args) => db.execute({ sql, args }).catch(reconnect)
const store = {
  async get(key) {
    const [row] = (await run(GET, key, Date.now())).rows
    return row ? JSON.parse(row.value) : null
  },
  set: (key, value, ms) =>
    run("INSERT OR REPLACE INTO entries VALUES (?, '', ?, ?)", key, JSON.stringify(value), Date.now() + ms),
  delete: key => run('DELETE FROM entries WHERE key = ?', key),
  touch: (key, ms) => run(TOUCH, Date.now() + ms, key, Date.now()),
  async take(key, limit, ms, id) {
    const now = Date.now()
    const clean = { sql: 'DELETE FROM entries WHERE key = ? AND ends <= ?', args: [key, now] }
    const insert = { sql: TAKE, args: { key, id, limit, ends: now + ms } }
    const count = { sql: COUNT, args: [id, key] }
    const [, , { rows }] = await db.batch([clean, insert, count], 'write').catch(reconnect)
    return { taken: rows[0].taken === 1, ms: rows[0].ends - now }
  },
  giveBack: (key, id) => run('DELETE FROM entries WHERE key = ? AND id = ?', key, id)
}

const app = Fastify({ logger: true })
const tokens = opaqueTokens({ store, lifetime: 1800, maxLifetime: 12 * 3600 })
await app.register(screenAuth, {
  tokens,
  throttle: { store },
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})
app.post('/auth/logout', async (request, reply) => {
  await tokens.revoke(bearerToken(request))
  return reply.code(204).send()
})

// Entries that have ended are invisible. This frees their room.
const failed = ({ code }) => app.log.error({ code }, 'the sessions cannot be cleaned up')
const clean = () => run('DELETE FROM entries WHERE ends <= ?', Date.now()).catch(failed)
setInterval(clean, Number(process.env.CLEAN_SECONDS ?? 60) * 1000).unref()
await app.listen({ port: 3000 })
