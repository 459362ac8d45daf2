// An audit trail in a database: accepted and failed logins with username and address, and refused requests. Values from
// the client are shortened and printable. The table has no passwords or tokens, but a person may type a password as the
// username: restrict who can read the table.
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const db = createClient({ url: process.env.AUDIT_DATABASE_URL ?? 'file:audit.db' })

const TABLE = `CREATE TABLE IF NOT EXISTS audit
  (time TEXT, event TEXT, outcome TEXT, username TEXT, address TEXT, method TEXT, route TEXT) STRICT`
const INSERT = 'INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?)'

let hasFailed = false

async function isWritten(rows) {
  try {
    // After a locked database, the connection may stay unusable.
    if (hasFailed) await db.reconnect()
    await db.batch([TABLE, ...rows.map(args => ({ sql: INSERT, args }))], 'write')
    hasFailed = false
  } catch ({ code }) {
    hasFailed = true
    // Logs only the code: the message may contain the URL with its password.
    app.log.error({ code }, 'the audit trail cannot be written')
  }
  return !hasFailed
}

// At most one transaction a second, for any number of logins. No login waits for it.
const trail = new Writable({
  objectMode: true,
  highWaterMark: 10_000,
  async writev(entries, done) {
    const rows = entries.map(({ chunk }) => chunk)
    // While the server closes, try once: a database that is down must not block the shutdown.
    do await sleep(1000)
    while (!(await isWritten(rows)) && !trail.writableEnded)
    done()
  }
})

// A listener runs within the request, and an exception in it ends the process. So this only adds a row to a queue in
// memory. While the queue is full, because the database is down, rows are dropped; the log still has these events.
function add(event, outcome, username, address, { method, routeOptions }) {
  if (!trail.writable || trail.writableNeedDrain) return
  const time = new Date().toISOString()
  trail.write([time, event, outcome, username, address ?? null, method, routeOptions.url ?? null])
}

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
  trail.end()
  await once(trail, 'close')
  db.close()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())

await app.listen({ port: 3000 })
