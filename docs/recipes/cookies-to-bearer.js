// From cookies to tokens, step by step: old pages keep their signed cookie, screens have the guard, and a browser that is
// signed in trades its session for a token, once. The trap: a cookie must never count as a token, not by a hook that copies
// it into `Authorization` either. A browser sends a cookie along with what other sites start, so any of them could post to
// your screens as the person (CSRF). Only one new route reads it, and it asks first which site has sent the request.
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'

// ORIGIN is what a browser shows as the address of this server: scheme, host, and the port if it is not the usual one.
const { COOKIE_SECRET, ORIGIN = 'http://localhost:3000' } = process.env
if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET to the secret that signs your cookies')

const users = new Map([['ada', { password: 'correct horse', displayName: 'Ada Lovelace' }]])

// Stands for the store of the sessions that there are: the id, which the cookie has, and the user. Nothing makes a new one:
// take the old login away, or passwords can be guessed there without a limit.
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

/** The id in the cookie; null without one, and for one that this server has not signed. */
const idOf = request => request.unsignCookie(request.cookies.session ?? '').value

// The old pages, public for the new guard and behind the old one. A page that becomes a screen leaves this scope.
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

// For `fetch('/session/token', { method: 'POST' })` in a page of yours. The response is that of a login.
app.post('/session/token', { config: { screenAuth: false } }, async (request, reply) => {
  // No proxy and no browser may keep a token.
  reply.header('cache-control', 'no-store')
  // A browser sends it with each POST, and no page can change it. Without it the request is from no page.
  if (request.headers.origin !== ORIGIN) return reply.code(403).send(refusal('Not from here.'))
  const id = idOf(request)
  const username = sessions.get(id)
  // It ends before there is a token, so of two requests at a time one gets a token. In SQL: DELETE … RETURNING username.
  const isFirst = sessions.delete(id)
  // With the path and the domain that it was set with. The old pages are closed for this browser from now on.
  reply.clearCookie('session', { path: '/' })
  const user = isFirst && users.get(username)
  if (!user) return reply.code(401).send(refusal('Please log in.'))
  const { displayName } = user
  const token = await app.screenAuth.issueToken({ username, displayName })
  return { success: true, token, error: null, screen: mainMenu({ displayName }) }
})

await app.listen({ port: 3000 })
