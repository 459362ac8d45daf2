// "My sessions" lists where a person is logged in, with a button that ends the other sessions. The token store has no
// list, so the session events fill a table of your own. Pitfall: anyone with the id of a session can end the session.
// So clients get no id, and a request for another user's session gets a 404.
import { subscribe } from 'node:diagnostics_channel'
import { createClient } from '@libsql/client'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

const db = createClient({ url: process.env.SESSIONS_DATABASE_URL ?? ':memory:' }) // In memory, like the sessions below.
// AUTOINCREMENT never reuses a number, so a stale screen cannot end a newer session.
await db.execute(`CREATE TABLE IF NOT EXISTS sessions (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE,
  username TEXT, device TEXT, address TEXT, since TEXT, expires INTEGER) STRICT`)
const INSERT = "INSERT INTO sessions VALUES (NULL, ?, ?, ?, ?, datetime('now') || ' UTC', ?)"
const DELETE = 'DELETE FROM sessions WHERE id = ?'
const SELECT = `SELECT id, number || '', device, address, since FROM sessions
  WHERE username = ? AND expires > ? ORDER BY number DESC`
const tokens = opaqueTokens({ lifetime: 12 * 3600 })
const app = Fastify({ logger: true })
// Listeners run within the request, which does not wait for them. An uncaught error in one ends the process.
const fail = ({ code }) => app.log.error({ code }, 'the list of sessions cannot be written')
const write = (sql, ...args) => db.execute({ sql, args }).catch(fail)
subscribe('fastify-screen-auth.session', ({ outcome, user: { username }, id, expires, request }) => {
  if (outcome === 'ended') return write(DELETE, id)
  if (outcome === 'all-ended') return write('DELETE FROM sessions WHERE username = ?', username)
  // The client chooses this header, and a terminal may show it.
  const device = (request?.headers['user-agent'] ?? '').replace(/[^ -~]/g, '?').slice(0, 60)
  write(INSERT, id, username, device, request?.ip ?? '', expires)
  write('DELETE FROM sessions WHERE expires <= ?', Date.now())
})

const items = [{ label: 'My sessions', action: { type: 'open_screen', url: '/screen/sessions' } }]
const MENU = { layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [{ label: 'Me', items }] } }
await app.register(screenAuth, {
  tokens,
  checkCredentials: ({ username, password }) =>
    ['ada', 'bob'].includes(username) && password === 'correct horse' ? { username, displayName: username } : null,
  mainMenu: () => MENU
})

/** Returns the sessions of the user, newest first, with the values to show. */
async function sessionsOf(request) {
  const { rows } = await db.execute({ sql: SELECT, args: [request.screenUser.username, Date.now()] })
  const isOwn = id => id === tokens.idOf(bearerToken(request))
  const toSession = ([id, ...values]) => ({ id, isOwn: isOwn(id), values: [...values, isOwn(id) ? 'Yes' : ''] })
  return rows.map(row => toSession(Array.from(row)))
}

const columns = ['No.', 'Device', 'Address', 'Since', 'This one'].map(label => ({ id: label, label, type: 'Text' }))
const others = { id: 'others', label: 'Sign out the others', kind: 'confirm', endpoint: '/screen/sessions/others' }
async function list(request) {
  const rows = (await sessionsOf(request)).map(({ values }, index) => ({ index, values }))
  const lines = { columns, rows, row_count: rows.length, on_select: '/screen/sessions/{0}' }
  return { layout: 'List', title: 'My sessions', lines, screen_actions: [others] }
}

// The event deletes the row, too, but perhaps only after the next list.
const end = ({ id }) => tokens.revokeById(id).then(() => write(DELETE, id))

const options = { schema: { response: { 200: ScreenContract } } }
app.get('/screen/sessions', options, list)
app.post('/screen/sessions/others', async request => {
  for (const session of await sessionsOf(request)) if (!session.isOwn) await end(session)
  return { success: true, message: 'The others are signed out.', screen: await list(request) }
})

const ofOne = use => async (request, reply) => {
  const session = (await sessionsOf(request)).find(({ values: [number] }) => number === request.params.number)
  return session ? use(session, request) : reply.callNotFound()
}
const showOne = ofOne(({ values }) => {
  const fields = columns.map((column, index) => ({ ...column, value: values[index], editable: false }))
  const sections = [{ id: 'session', label: 'Session', fields }]
  return { layout: 'Card', title: 'A session', sections, actions: { delete: `/screen/sessions/${values[0]}` } }
})
const endOne = ofOne((session, request) => end(session).then(() => list(request)))
app.get('/screen/sessions/:number', options, showOne)
app.post('/screen/sessions/:number', options, endOne)
await app.listen({ port: 3000 })
