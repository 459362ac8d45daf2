// Cloud Functions, of Firebase or Google Cloud. The platform reads the body before Fastify, which then waits for it: a
// login without the hook below ends after `checks.timeout`, with a 503. Your own content type parsers cannot help: the
// login has a parser of its own, which needs the bytes. Pitfall: each instance of the function is a server of its own,
// so set SVC_AUTH_SECRET, and share failed logins with a store (../deployment.md).
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import screenAuth, { optionsFromEnv } from 'fastify-screen-auth'

if (!process.env.SVC_AUTH_SECRET) throw new Error('Set SVC_AUTH_SECRET')

// The proxy of the platform appends the address of the client to X-Forwarded-For. Check it in the log of a login.
const app = Fastify({ logger: true, trustProxy: ['loopback', 'linklocal'] })

app.addHook('preParsing', async ({ raw: { rawBody } }, _reply, body) => (rawBody ? Readable.from(rawBody) : body))

await app.register(screenAuth, {
  ...optionsFromEnv(),
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})
app.post('/screen/echo', async request => ({ layout: 'Card', title: request.body.title }))
await app.ready()

// For Firebase: `onRequest(screens)` of firebase-functions/https.
export const screens = (request, response) => app.server.emit('request', request, response)
