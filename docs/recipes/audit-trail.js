// An audit trail in a database: accepted and failed logins with username and address, and refused requests. Values from
// the client are shortened and printable. The table has no passwords or tokens, but a person may type a password as the
// username: restrict who can read the table.
import { subscribe } from 'node:diagnostics_channel'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const db = createClient({ url: process.env.AUDIT_DATABASE_URL ?? 'file:audit.db' })

const TABLE = `CREATE TABLE IF NOT EXISTS audit
  (time TEXT, event TEXT, outcome TEXT, username TEXT, address TEXT, method TEXT, route TEXT) STRICT`
const INSERT = 'INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)'

// A listener runs within the request, and an exception in it ends the process. So this only adds a row to an array.
// While the array is full, because the database is down, rows are dropped; the log still has these events.
const rows = []
function add(event, outcome, username, address, { method, routeOptions }) {
  if (rows.length >= 10_000) return
  const time = new Date().toISOString()
  rows.push([time, event, outcome, username, address ?? null, method, routeOptions.url ?? null])
}

async function write() {
  const count = rows.length
  try {
    if (count > 0) await db.batch([TABLE, ...rows.map(args => ({ sql: INSERT, args }))], 'write')
    rows.splice(0, count)
  } catch ({ code }) {
    // Logs only the code: the message may contain the URL with its password.
    app.log.error({ code }, 'the audit trail cannot be written')
    // After a locked database, the connection may stay unusable.
    await db.reconnect()
  }
}

// At most one transaction a second, for any number of logins. No login waits for it.
let writing = Promise.resolve()
setInterval(() => {
  writing = writing.then(write)
}, 1000).unref()

subscribe('fastify-screen-auth.login', ({ outcome, username, address, request }) =>
  add('login', outcome, username, address, request)
)
subscribe('fastify-screen-auth.refusal', ({ reason, address, request }) =>
  add('refusal', reason, null, address, request)
)

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

// Runs after the last response.
app.addHook('onClose', async () => {
  // Tries once: a database that is down must not block the shutdown.
  await writing.then(write)
  db.close()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())

await app.listen({ port: 3000 })
