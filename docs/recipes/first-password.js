// At the first login, users must change a password that an administrator assigned. Until then the main menu and every
// other screen is the Card that changes it. An error status does not work: a 401 logs the user out, and known clients
// show nothing of a 403. Pitfall: a list of closed routes misses later routes. Here all routes but two are closed.
import { hash, verify } from '@node-rs/argon2'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

const ada = { username: 'ada', displayName: 'Ada Lovelace', mustChange: true, hash: await hash('correct horse') }
const users = new Map([[ada.username, ada]])
const mustChange = user => users.get(user?.username)?.mustChange
// Verified for unknown names, so that their logins take as long.
const NO_HASH = await hash('of no user')

const item = (label, url) => ({ label, action: { type: 'open_screen', url } })
const items = [item('Profile', '/screen/profile'), item('Change my password', '/screen/password')]
const MENU = { layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [{ label: 'Me', items }] } }

const field = (id, label) => ({ id, label, type: 'Password', value: '', validation: { required: true } })
const fields = [field('current', 'Now'), field('fresh', 'New'), field('again', 'New, again')]
const sections = [{ id: 'password', label: 'Password', fields }]
const CARD = { layout: 'Card', title: 'Change my password', sections, actions: { save: '/screen/password' } }
const FORCED = { ...CARD, status: 'Please choose a password of your own.' }

const tokens = opaqueTokens({ lifetime: 12 * 3600 })
const app = Fastify({ logger: true })
const OPEN = ['/screen/password', '/auth/logout']
// Added before other plugins, so that it covers their routes, too. A preHandler runs after the guard.
app.addHook('preHandler', async (request, reply) => {
  if (!mustChange(request.screenUser) || OPEN.includes(request.routeOptions.url)) return
  if (request.method !== 'GET') return reply.code(403).send()
  // The schema of the route fits only its own response.
  const screen = { ...FORCED, user_display_name: request.screenUser.displayName }
  return reply.serializer(JSON.stringify).type('application/json').send(screen)
})

await app.register(screenAuth, {
  tokens,
  checkCredentials: async ({ username, password }) => {
    const user = users.get(username) ?? null
    return (await verify(user?.hash ?? NO_HASH, password)) ? user : null
  },
  mainMenu: user => (mustChange(user) ? FORCED : MENU)
})

const response = { 200: ScreenContract }
const changes = { type: 'object', additionalProperties: { type: 'string', maxLength: 1024 } }
const body = { type: 'object', required: ['changes'], properties: { changes } }

app.get('/screen/password', { schema: { response } }, async request => (mustChange(request.screenUser) ? FORCED : CARD))

app.post('/screen/password', { schema: { body, response } }, async request => {
  const { current = '', fresh = '', again = '' } = request.body.changes
  const refuse = text => ({ ...CARD, status: `Error: ${text}` })
  if (fresh !== again) return refuse('The new passwords differ.')
  if (fresh.length < 8) return refuse('Use 8 characters or more.')
  if (fresh === current) return refuse('That is the password you have.')
  // The login rejects NUL and lone surrogates.
  if (fresh.includes('\0') || !fresh.isWellFormed()) return refuse('Use other characters.')
  const user = await app.screenAuth.reauthenticate(request, current)
  if ('error' in user) return refuse(user.error)
  const changed = { ...users.get(user.username), mustChange: false, hash: await hash(fresh) }
  // Ends all sessions, because others may know the old password. Before the change, so that nothing changes if the
  // store is down; again after it, for logins in between.
  await tokens.revokeAll(user.username)
  users.set(user.username, changed)
  await tokens.revokeAll(user.username)
  await app.screenAuth.forgetNetworks(user.username)
  return { layout: 'Card', title: 'Your password was changed', sections: [], status: 'Log in with the new one.' }
})

app.get('/screen/profile', { schema: { response } }, async () => ({ layout: 'Card', title: 'Profile', sections: [] }))

app.post('/auth/logout', async (request, reply) => {
  await tokens.revoke(bearerToken(request))
  return reply.code(204).send()
})

await app.listen({ port: 3000 })
