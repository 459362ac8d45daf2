// "My sessions" lists where a person is logged in, with a button that ends the other sessions. The token store has no
// list, so the session events fill a table of your own. Clients get no id: anyone with the id of a session can end it.
import { subscribe } from 'node:diagnostics_channel'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

const db = createClient({ url: process.env.SESSIONS_DATABASE_URL ?? ':memory:' }) // In memory, like the sessions below.
await db.execute(`CREATE TABLE IF NOT EXISTS sessions
  (id TEXT UNIQUE, username TEXT, device TEXT, address TEXT, since TEXT, expires INTEGER) STRICT`)
const tokens = opaqueTokens({ lifetime: 12 * 3600 })
const app = Fastify({ logger: true })

// Listeners run within the request, which does not wait for them. An uncaught error in one ends the process.
const fail = ({ code }) => app.log.error({ code }, 'the list of sessions cannot be written')
const write = (sql, ...args) => db.execute({ sql, args }).catch(fail)
subscribe('fastify-screen-auth.session', ({ outcome, user: { username }, id, expires, request }) => {
  if (outcome === 'ended') return write('DELETE FROM sessions WHERE id = ?', id)
  if (outcome === 'all-ended') return write('DELETE FROM sessions WHERE username = ?', username)
  // The client chooses this header, and a terminal may show it.
  const device = (request?.headers['user-agent'] ?? '').replace(/[^ -~]/g, '?').slice(0, 60)
  const sql = "INSERT INTO sessions VALUES (?, ?, ?, ?, datetime('now') || ' UTC', ?)"
  write(sql, id, username, device, request?.ip ?? '', expires)
  write('DELETE FROM sessions WHERE expires <= ?', Date.now())
})

const item = { label: 'My sessions', action: { type: 'open_screen', url: '/screen/sessions' } }
const menu = { panel_title: 'Main', tabs: [{ label: 'Me', items: [item] }] }
await app.register(screenAuth, {
  tokens,
  checkCredentials: ({ username, password }) =>
    ['ada', 'bob'].includes(username) && password === 'correct horse' ? { username, displayName: username } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu })
})

async function sessionsOf(request) {
  const sql = 'SELECT * FROM sessions WHERE username = ? AND expires > ? ORDER BY rowid DESC'
  const { rows } = await db.execute({ sql, args: [request.screenUser.username, Date.now()] })
  const own = tokens.idOf(bearerToken(request))
  return rows.map(row => ({ ...row, isOwn: row.id === own }))
}

const columns = ['Device', 'Address', 'Since', 'This one'].map(label => ({ id: label, label, type: 'Text' }))
const others = { id: 'others', label: 'Sign out the others', kind: 'confirm', endpoint: '/screen/sessions/others' }
async function list(request) {
  const toValues = ({ device, address, since, isOwn }) => [device, address, since, isOwn ? 'Yes' : '']
  const rows = (await sessionsOf(request)).map((session, index) => ({ index, values: toValues(session) }))
  return { layout: 'List', title: 'My sessions', lines: { columns, rows }, screen_actions: [others] }
}

app.get('/screen/sessions', { schema: { response: { 200: ScreenContract } } }, list)

app.post('/screen/sessions/others', async request => {
  for (const { id, isOwn } of await sessionsOf(request)) if (!isOwn) await tokens.revokeById(id)
  return { success: true, message: 'The others are signed out.' }
})

await app.listen({ port: 3000 })
