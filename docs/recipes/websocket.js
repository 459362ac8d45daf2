// The user of a WebSocket. The guard checks the upgrade request of a client that can send headers. A browser cannot, so
// it sends its token as the first message, and never in the URL, which is logged. Only messages of the client renew the
// session: an open socket alone does not.
import websocket from '@fastify/websocket'
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'

const TIME_TO_LOG_IN = 5000
const TIME_BETWEEN_CHECKS = Number(process.env.CHECK_SECONDS ?? 5) * 1000
const LIFETIME = Number(process.env.IDLE_SECONDS ?? 1800)

// In memory, for a trial: ../deployment.md has sessions that several servers share.
const tokens = opaqueTokens({ lifetime: LIFETIME, maxLifetime: 12 * 3600 })
const app = Fastify({ logger: true })
// Before all routes.
await app.register(websocket, { options: { maxPayload: 65_536 } })
await app.register(screenAuth, {
  tokens,
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

/** Returns the user of a token. If the token is invalid or the store is down, closes the socket and returns null. */
async function verify(socket, token, options) {
  try {
    const user = await app.screenAuth.verifyToken(token, options)
    // 4401 is a code of this program, after 401: the client shows the login.
    if (user === null) socket.close(4401, 'no valid token')
    return user
  } catch (error) {
    // The store is down, and the token may be valid: the client keeps it and tries again.
    app.log.error(error)
    socket.close(1013, 'try again later')
    return null
  }
}

function serve(socket, token, user) {
  // The client may have disconnected while its token was verified.
  if (socket.readyState !== socket.OPEN) return
  let isUsed = false
  const timer = setInterval(() => {
    verify(socket, token, { use: isUsed })
    isUsed = false
  }, TIME_BETWEEN_CHECKS)
  socket.once('close', () => clearInterval(timer))
  socket.on('message', data => {
    isUsed = true
    // A client that does not read must not fill the memory. A closed socket still delivers messages on the way.
    if (socket.bufferedAmount > 1_000_000) socket.terminate()
    else if (socket.readyState === socket.OPEN) socket.send(`${user.displayName} said ${data}`)
  })
  // Clients must wait for this message: earlier messages may be lost.
  socket.send(`Welcome, ${user.displayName}`)
}

app.get('/socket', { websocket: true }, (socket, request) => {
  serve(socket, bearerToken(request), request.screenUser)
})

app.get('/browser-socket', { websocket: true, config: { screenAuth: false } }, socket => {
  const timer = setTimeout(() => socket.close(4401, 'no token in time'), TIME_TO_LOG_IN)
  socket.once('close', () => clearTimeout(timer))
  socket.once('message', async data => {
    const token = data.toString()
    const user = await verify(socket, token)
    clearTimeout(timer)
    if (user !== null) serve(socket, token, user)
  })
})

await app.listen({ port: 3000 })
