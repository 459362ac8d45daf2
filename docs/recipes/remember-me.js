// "Stay logged in" on the login form: a session lasts twelve hours, or thirty days if the person chooses this option.
// Useful for clients that keep their token when they are closed.
import Fastify from 'fastify'
import screenAuth, { opaqueTokens } from 'fastify-screen-auth'

const HOUR = 3600
const LONG = { lifetime: 30 * 24 * HOUR }

// In memory: a restart ends every session. To keep sessions, see ../deployment.md and sqlite-store.js.
const tokens = opaqueTokens({ lifetime: Number(process.env.SESSION_SECONDS ?? 12 * HOUR) })
const app = Fastify({ logger: true })

await app.register(screenAuth, {
  tokens: {
    // Fields are strings: a client that posts `true` without quotes gets a 400. A test may pass no request.
    issue: (user, request) => tokens.issue(user, request, request?.body?.fields?.remember === 'true' ? LONG : {}),
    verify: tokens.verify
  },
  loginForm: form => {
    // A client that does not know the type shows a text field, in which the person can type "true".
    form.sections[0].fields.push({ id: 'remember', label: 'Stay logged in', type: 'Boolean', value: 'false' })
    return form
  },
  checkCredentials: ({ username, password }) =>
    username === 'ada' && password === 'correct horse' ? { username: 'ada', displayName: 'Ada Lovelace' } : null,
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
