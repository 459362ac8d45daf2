// From cookies to tokens, step by step: old pages keep their signed cookie, the guard protects the screens, and a
// signed-in browser exchanges its session for a token, once. Pitfall: never accept a cookie as a token, not even
// through a hook that copies it into `Authorization`. Browsers send cookies with requests from other sites, so any site
// could post to your screens as the person (CSRF). Only one new route reads the cookie, after a check of the origin.
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

// ORIGIN is the address that a browser shows for this server: scheme, host, and the port unless it is the default.
const { COOKIE_SECRET, ORIGIN = 'http://localhost:3000' } = process.env
if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET to the secret that signs your cookies')

const users = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

// Replace this with your session store: it maps the id in the cookie to the username. Nothing here creates a session:
// remove the old login, or attackers can guess passwords there without a limit.
const sessions = new Map([['d2f1c6a0', 'ada']])

const app = Fastify({ logger: true })
await app.register(cookie, { secret: COOKIE_SECRET })

const mainMenu = ({ displayName }) => ({
  layout: 'Menu',
  title: 'Main Menu',
  menu: { panel_title: 'Main', tabs: [] },
  user_display_name: displayName
})

await app.register(screenAuth, {
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu
})

/** Returns the id in the cookie, or null if the cookie is missing or not signed by this server. */
const idOf = request => request.unsignCookie(request.cookies.session ?? '').value

// The old pages: the guard skips them, and a hook checks the cookie. A page that becomes a screen leaves this scope.
await app.register(async old => {
  old.addHook('onRoute', route => {
    route.config = { ...route.config, screenAuth: false }
  })
  old.addHook('onRequest', async (request, reply) => {
    if (!sessions.has(idOf(request))) return reply.code(401).send()
  })
  old.get('/old/orders', async request => `Orders of ${sessions.get(idOf(request))}`)
})

const schema = { response: { 200: ScreenContract } }
app.get('/screen/orders', { schema }, async ({ screenUser: { username } }) => ({
  layout: 'Card',
  title: `Orders of ${username}`
}))

const refusal = error => ({ success: false, token: null, error, screen: null })

// For `fetch('/session/token', { method: 'POST' })` in your page. The response has the form of a login response.
app.post('/session/token', { config: { screenAuth: false } }, async (request, reply) => {
  // Proxies and browsers must not cache a token.
  reply.header('cache-control', 'no-store')
  // Browsers send `Origin` with each POST, and pages cannot change it. A request without it comes from no page.
  if (request.headers.origin !== ORIGIN) return reply.code(403).send(refusal('Not from here.'))
  const id = idOf(request)
  const username = sessions.get(id)
  // Deletes the session first, so only one of two concurrent requests gets a token. SQL: DELETE … RETURNING username.
  const isFirst = sessions.delete(id)
  // Use the path and domain with which the cookie was set. This browser can no longer open the old pages.
  reply.clearCookie('session', { path: '/' })
  const user = isFirst && users.get(username)
  if (!user) return reply.code(401).send(refusal('Please log in.'))
  const { displayName } = user
  const token = await app.screenAuth.issueToken({ username, displayName })
  return { success: true, token, error: null, screen: mainMenu({ displayName }) }
})

await app.listen({ port: 3000 })
