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

const users = [{ id: 7, username: 'ada', password: 'correct horse', displayName: 'Ada Lovelace' }]
// Replace this with your query. The name comes from the user store, which also knows who has left.
const findUser = async (column, value) => users.find(user => user[column] === value) ?? null
// The user store is down: the response is a 503, and the login does not count as a failure.
function unavailable(cause) {
  throw Object.assign(new Error('the user store is down', { cause }), { statusCode: 503 })
}

const app = Fastify({ logger: true })
await app.register(jwt, { secret: OLD_JWT_SECRET })

const fresh = jwtTokens({ secret: SVC_AUTH_SECRET })

/** Returns the user of an old token: `{ id, iat, exp }` here. Throws for an invalid token, which gets a 401. */
function oldUser(token) {
  const { id, exp, purpose } = app.jwt.verify(token)
  // @fastify/jwt accepts a token without `exp` for ever.
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
