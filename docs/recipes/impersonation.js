// An administrator acts as another user, to see that user's screens. Each screen and each log line names the
// administrator, and routes can reject such requests. Rules: the way back must not extend the session, an
// administrator must not become another administrator, and a hook must reject sessions whose administrator is unknown.
import { subscribe } from 'node:diagnostics_channel'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'
import { LRUCache } from 'lru-cache'

const person = (username, displayName, isAdmin) => [username, { username, displayName, isAdmin }]
const users = new Map([person('ada', 'Ada Lovelace', true), person('eve', 'Eve', true), person('bob', 'Bob', false)])
const isAdmin = username => users.get(username)?.isAdmin
const tokens = opaqueTokens({ lifetime: 12 * 3600 })
// For each session: the administrator or null, and when the original login ends. Several servers need a shared table.
const sessions = new LRUCache({ ttl: 1, ttlAutopurge: true })
subscribe('fastify-screen-auth.session', ({ outcome, user: { username }, id, expires }) => {
  if (outcome === 'started') sessions.set(id, { admin: null, expires }, { ttl: expires - Date.now() })
  if (outcome === 'ended') sessions.delete(id)
  // The administrator has no session left: `undefined` makes the hook reject this administrator's impersonations.
  if (outcome === 'all-ended') for (const it of sessions.values()) if (it.admin === username) it.admin = undefined
})
const app = Fastify({ logger: true })
app.decorateRequest('origin', null)
// A preParsing hook runs after the guard and before everything else.
app.addHook('preParsing', async (request, reply) => {
  if (request.screenUser === null) return
  const origin = sessions.get(tokens.idOf(bearerToken(request)))
  const isKnown = origin !== undefined && (origin.admin === null || isAdmin(origin.admin))
  if (!isKnown) return reply.code(401).header('www-authenticate', 'Bearer realm="screen"').send()
  request.origin = origin
  request.log = reply.log = request.log.child({ username: request.screenUser.username, admin: origin.admin })
})
const item = (label, url) => ({ label, action: { type: 'open_screen', url } })
const refusal = error => ({ success: false, token: null, error, screen: null })
function menuOf({ username, displayName }, admin = null) {
  const items = [admin === null ? item('My password', '/screen/password') : item(`Back to ${admin}`, '/screen/return')]
  if (isAdmin(username)) items.push(item('Act as another user', '/screen/impersonate'))
  const menu = { panel_title: displayName, tabs: [{ label: 'Me', items }] }
  return { layout: 'Menu', title: 'Main Menu', menu, user_display_name: displayName }
}
await app.register(screenAuth, {
  tokens,
  checkCredentials: ({ username, password }) => (password === 'correct horse' ? (users.get(username) ?? null) : null),
  mainMenu: (user, request) => menuOf(user, request.origin?.admin)
})
/** Replaces the session of the request. The new one ends with the original login at the latest. */
async function change(request, user, origin, longest) {
  const left = Math.floor((origin.expires - Date.now()) / 1000)
  const token = await tokens.issue(user, request, { lifetime: Math.max(1, Math.min(longest, left)) })
  Object.assign(sessions.get(tokens.idOf(token)), origin)
  // All sessions may have been revoked in the meantime, because of a thief.
  const isOn = await tokens.verify(bearerToken(request), { use: false })
  await tokens.revoke(isOn ? bearerToken(request) : token)
  if (!isOn) return refusal('Please log in again.')
  request.log.info({ to: user.username }, 'impersonation')
  return { success: true, token, error: null, screen: menuOf(user, origin.admin) }
}
const only = isAllowed => ({ preHandler: async (request, reply) => isAllowed(request) || reply.code(403).send() })
const inPerson = only(({ origin }) => origin.admin === null)
const acting = only(({ origin }) => origin.admin !== null)
const admins = only(({ screenUser, origin }) => origin.admin === null && isAdmin(screenUser.username))
function card({ screenUser: { displayName: user_display_name } }, title, auth_action, ...fields) {
  return { layout: 'Card', title, user_display_name, auth_action, sections: [{ id: 'user', label: title, fields }] }
}
const field = { id: 'username', label: 'Username', type: 'Text', value: '' }
app.get('/screen/impersonate', admins, async request => card(request, 'Act as a user', '/auth/impersonate', field))
app.post('/auth/impersonate', admins, async request => {
  const user = users.get(request.body?.fields?.username)
  const { username: admin, displayName: by } = request.screenUser
  if (!user || user.isAdmin) return refusal('You cannot act as this user.')
  const shown = { ...user, displayName: `${user.displayName} (by ${by})` }
  return change(request, shown, { admin, expires: request.origin.expires }, 900)
})
app.get('/screen/return', acting, async request => card(request, 'Back to my own account', '/auth/return'))
app.post('/auth/return', acting, async request => {
  const { admin, expires } = request.origin
  return change(request, users.get(admin), { admin: null, expires }, 12 * 3600)
})
app.get('/screen/password', inPerson, async request => card(request, 'My password'))
await app.listen({ port: 3000 })
