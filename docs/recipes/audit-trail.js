// An audit trail in a database, made of the audit lines that the plugin logs: they have no password and no token, and
// what came from the client is short and printable. (Who types a password as the username is in it all the same: let few
// people read it.) The log itself is written as ever, so nothing is lost with a database that is down.
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'

const db = createClient({ url: process.env.AUDIT_DATABASE_URL ?? 'file:audit.db' })

const TABLE = `CREATE TABLE IF NOT EXISTS audit
  (time TEXT, event TEXT, username TEXT, address TEXT, method TEXT, route TEXT) STRICT`
const INSERT = 'INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)'

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
    app.log.error({ code }, 'the audit trail cannot be written, trying again')
  }
  return !hasFailed
}

// One transaction a second, however many logins there are. No login waits for it. When it has not been written for long,
// the rows that are too many for the memory are in the log only.
const trail = new Writable({
  objectMode: true,
  highWaterMark: 10_000,
  async writev(entries, done) {
    do await sleep(1000)
    while (!(await isWritten(entries.map(({ chunk }) => chunk))))
    done()
  }
})

const PREFIX = 'screen-auth: '

const stream = {
  write(line) {
    process.stdout.write(line)
    if (!line.includes(`"msg":"${PREFIX}`)) return
    const { time, msg, username, address, method, route } = JSON.parse(line)
    // The plugin's other lines have no username. In an audit line it may be null, as for a request without a token.
    if (username === undefined || trail.writableNeedDrain) return
    const event = msg.slice(PREFIX.length)
    trail.write([new Date(time).toISOString(), event, username, address ?? null, method, route])
  }
}

// The audit lines have the level "info": with a higher one there are none.
const app = Fastify({ logger: { level: 'info', stream } })

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username, displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
