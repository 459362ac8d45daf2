// An audit trail in a database: who logged in, from where, who failed, and which requests were refused. What came from
// the client is short and printable, and there is no password and no token in it. (Who types a password as the username
// is in it all the same: let few people read it.)
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
    // A connection that has met a locked database may be of no use afterwards.
    if (hasFailed) await db.reconnect()
    await db.batch([TABLE, ...rows.map(args => ({ sql: INSERT, args }))], 'write')
    hasFailed = false
  } catch ({ code }) {
    hasFailed = true
    // Only the code: the message may quote the URL, with its password.
    app.log.error({ code }, 'the audit trail cannot be written')
  }
  return !hasFailed
}

// One transaction a second, however many logins there are. No login waits for it.
const trail = new Writable({
  objectMode: true,
  highWaterMark: 10_000,
  async writev(entries, done) {
    const rows = entries.map(({ chunk }) => chunk)
    // While the server closes, one try is enough: a database that is down must not keep it from ending.
    do await sleep(1000)
    while (!(await isWritten(rows)) && !trail.writableEnded)
    done()
  }
})

// This runs within the request, and what it throws would end the process. So it only puts a row into the memory. The rows
// that are too many for it, because the database is down for long, are in the log only: it has all these events, too.
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

// All requests have their responses by then.
app.addHook('onClose', async () => {
  trail.end()
  await once(trail, 'close')
  db.close()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())

await app.listen({ port: 3000 })
