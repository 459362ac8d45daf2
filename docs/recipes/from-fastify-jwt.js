// A server that has @fastify/jwt already: the old tokens, which clients send in a header or a cookie, stay valid until
// they expire, and each login issues one of the new tokens. Pitfalls: only a login token may pass, although many
// servers sign refresh tokens and links in mails with the same secret. Other sites must not use the cookie (CSRF), and
// a logout must remove it. ../coming-from.md says why, and what to remove in the end.
import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import screenAuth, { jwtTokens } from 'fastify-screen-auth'

const { OLD_JWT_SECRET, SVC_AUTH_SECRET } = process.env
if (!OLD_JWT_SECRET || !SVC_AUTH_SECRET) throw new Error('Set OLD_JWT_SECRET and SVC_AUTH_SECRET')
if (OLD_JWT_SECRET === SVC_AUTH_SECRET) throw new Error('SVC_AUTH_SECRET must be a new secret')

const users = [{ id: 7, username: 'ada', password: 'correct horse', displayName: 'Ada Lovelace' }]
// Replace this with your query. The name comes from the user store, which also knows who has left.
const findUser = async (column, value) => users.find(user => user[column] === value) ?? null
// The user store is down: the response is a 503, and the login does not count as a failure.
function unavailable(cause) {
  throw Object.assign(new Error('the user store is down', { cause }), { statusCode: 503 })
}

const app = Fastify({ logger: true })
await app.register(jwt, { secret: OLD_JWT_SECRET })
await app.register(cookie)

// Before the plugin: the guard reads only the header. Without old cookies, omit this hook and @fastify/cookie.
app.addHook('onRequest', async (request, reply) => {
  const { cookies, headers, routeOptions } = request
  // Only pages of this server may use the cookie. Browsers send this header to https: URLs and to localhost.
  if (cookies.token === undefined || headers['sec-fetch-site'] !== 'same-origin') return
  // A client fetches the login form after a logout or a 401. Use `path`, `domain` and `secure` of the old cookie.
  if (routeOptions.url?.endsWith('/auth/login')) reply.clearCookie('token', { path: '/' })
  // A token in the header comes first.
  else request.headers = { authorization: `Bearer ${cookies.token}`, ...headers }
})

const fresh = jwtTokens({ secret: SVC_AUTH_SECRET })

/** Returns the user of an old token: `{ id, iat, exp }` here. Throws for an invalid token, which gets a 401. */
function oldUser(token) {
  const { id, exp, purpose } = app.jwt.verify(token)
  // @fastify/jwt accepts a token without `exp` for ever. `verify` does not call your `trusted`: call it here.
  return exp === undefined || purpose !== undefined ? null : findUser('id', id)
}

await app.register(screenAuth, {
  tokens: {
    issue: fresh.issue,
    verify: token => fresh.verify(token) ?? oldUser(token)
  },
  checkCredentials: async ({ username, password }) => {
    const user = await findUser('username', username).catch(unavailable)
    return user?.password === password ? user : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

app.get('/screen/profile', async request => ({ layout: 'Card', title: request.screenUser.username }))

await app.listen({ port: 3000 })
