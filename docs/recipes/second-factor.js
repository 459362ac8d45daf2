// A second factor in two steps: the password logs in, then a Card asks for a code of an authenticator app (TOTP). Every
// other screen is this Card until the code is right. Pitfalls: a code must work only once, and never as a password;
// `verifyToken` does not check the code. Somebody with the password can guess codes from many addresses, so this recipe
// also counts the wrong codes of each account.
import Fastify from 'fastify'
import screenAuth, { bearerToken, opaqueTokens } from 'fastify-screen-auth'
import { ScreenContract } from 'fastify-screen-auth/schemas'
import { LRUCache } from 'lru-cache'
import { TOTP } from 'otpauth'

// Give each person their own key, `new Secret().base32`, and show `totp.toString()` as a QR code once.
const totp = new TOTP({ issuer: 'Demo Company', label: 'ada', secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U' })
const ada = { username: 'ada', displayName: 'Ada Lovelace', password: 'correct horse', totp, lastCounter: 0 }
const users = new Map([[ada.username, ada]])
const findUser = async username => users.get(username) // Replace this with your query.
// The user store is down: the response is a 503, and the login does not count as a failure.
function unavailable(cause) {
  throw Object.assign(new Error('the user store is down', { cause }), { statusCode: 503 })
}

const field = { id: 'code', label: 'Code', type: 'Text', value: '', validation: { required: true, max_length: 6 } }
const sections = [{ id: 'code', label: 'The code of your authenticator app', fields: [field] }]
const CARD = { layout: 'Card', title: 'Enter the code', sections, actions: { save: '/screen/code' } }
const MENU = { layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } }

// Several servers must keep `tokens`, `passed` and `wrongCodes` in Redis.
const tokens = opaqueTokens({ lifetime: 12 * 3600 })
// Ids of sessions are never reused, so entries of ended sessions are harmless. An evicted session needs another code.
const passed = new LRUCache({ max: 100_000, ttl: 12 * 3600 * 1000 })
// The hour begins with the first wrong code.
const wrongCodes = new LRUCache({ max: 100_000, ttl: 3600 * 1000, noUpdateTTL: true })
function checkCode(user, token) {
  const count = wrongCodes.get(user.username) ?? 0
  if (count >= 10) return { error: 'Too many codes. Try again in an hour.' }
  const timestamp = Date.now()
  const delta = user.totp.validate({ token, timestamp })
  const counter = user.totp.counter({ timestamp }) + delta
  // In a database use one statement, `UPDATE … WHERE last_counter < ?`, or two sessions can use the same code.
  if (delta === null || counter <= user.lastCounter) {
    wrongCodes.set(user.username, count + 1)
    return { error: 'The code is wrong.' }
  }
  user.lastCounter = counter
  return user
}

const app = Fastify({ logger: true })
// Added before other plugins, so that it covers their routes, too. A preHandler runs after the guard.
app.addHook('preHandler', async (request, reply) => {
  if (request.screenUser === null || request.routeOptions.url === '/screen/code') return
  if (passed.has(tokens.idOf(bearerToken(request)))) return
  if (request.method !== 'GET') return reply.code(403).send()
  const screen = { ...CARD, user_display_name: request.screenUser.displayName }
  return reply.serializer(JSON.stringify).type('application/json').send(screen)
})

await app.register(screenAuth, {
  tokens,
  checkCredentials: async ({ username, password }, request) => {
    const user = await findUser(username).catch(unavailable)
    // On this route `reauthenticate` passes the code as the password. No other route may accept a code.
    if (request.routeOptions.url === '/screen/code') return user ? checkCode(user, password) : null
    return user?.password === password ? user : null
  },
  // During a login there is no token yet. GET /menu/main has passed the hook above.
  mainMenu: (_user, request) => (request.method === 'GET' ? MENU : CARD)
})

const changes = { type: 'object', properties: { code: { type: 'string' } } }
const body = { type: 'object', required: ['changes'], properties: { changes } }
app.post('/screen/code', { schema: { body, response: { 200: ScreenContract } } }, async request => {
  const { code = '' } = request.body.changes
  const refuse = text => ({ ...CARD, status: `Error: ${text}` })
  // The library throws for some other strings: the response would be a 500.
  if (!/^[0-9]{6}$/.test(code)) return refuse('Enter the six digits.')
  try {
    await app.screenAuth.reauthenticate(request, code)
  } catch (error) {
    if (error.code !== 'FST_SCREEN_AUTH_REAUTHENTICATION_FAILED') throw error
    return refuse(error.message)
  }
  passed.set(tokens.idOf(bearerToken(request)), true)
  return { ...MENU, status: 'Welcome.' }
})
await app.listen({ port: 3000 })
