// A server that has @fastify/jwt already: the tokens that clients hold stay valid until they expire, and each login
// issues one of the new tokens. Pitfall: only a login token may pass. With the same secret, many servers also sign
// refresh tokens and links in mails. Remove the old login, which has no limit, and each `request.jwtVerify()`, which
// rejects the new tokens. Once the last old token has expired, remove @fastify/jwt.
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import screenAuth, { jwtTokens } from 'fastify-screen-auth'

const { OLD_JWT_SECRET, SVC_AUTH_SECRET } = process.env
if (!OLD_JWT_SECRET || !SVC_AUTH_SECRET) throw new Error('Set OLD_JWT_SECRET and SVC_AUTH_SECRET')
if (OLD_JWT_SECRET === SVC_AUTH_SECRET) throw new Error('SVC_AUTH_SECRET must be a new secret')

const users = new Map([['ada', { id: 7, password: 'correct horse', displayName: 'Ada Lovelace' }]])

const app = Fastify({ logger: true })
await app.register(jwt, { secret: OLD_JWT_SECRET })

const fresh = jwtTokens({ secret: SVC_AUTH_SECRET })

/** Returns the user of an old token: `{ id, iat, exp }` here. Throws for an invalid token, which gets a 401. */
function oldUser(token) {
  const { id, exp, purpose } = app.jwt.verify(token)
  // @fastify/jwt accepts a token without `exp` for ever.
  if (exp === undefined || purpose !== undefined) return null
  // Replace this with your query. The name comes from the user store, which also knows who has left.
  const found = [...users].find(([, user]) => user.id === id)
  return found ? { username: found[0], displayName: found[1].displayName } : null
}

await app.register(screenAuth, {
  tokens: {
    issue: fresh.issue,
    verify: token => fresh.verify(token) ?? oldUser(token)
  },
  checkCredentials: ({ username, password }) => {
    const user = users.get(username)
    return user?.password === password ? { username, displayName: user.displayName } : null
  },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

app.get('/screen/profile', async request => ({ layout: 'Card', title: request.screenUser.username }))

await app.listen({ port: 3000 })
