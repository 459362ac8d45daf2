// Passwords of an OpenID provider (Keycloak, say). The client of a screen service has a form and no browser, so the server
// hands the entered password on: the Resource Owner Password grant. RFC 9700 advises against it (2.4: "MUST NOT be used"),
// because this server sees the password, and the provider cannot ask for a second factor. It is right only if the provider
// is your own, and there is no way to redirect; else let people log in at the provider. The server starts and runs while
// the provider is down: it is asked for its settings with the first login, and again until it has sent them.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { allowInsecureRequests, discovery, enableNonRepudiationChecks, genericGrantRequest } from 'openid-client'

const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = process.env
if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) {
  throw new Error('Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET')
}
const issuer = new URL(OIDC_ISSUER)

// Settings, token and keys: 9 of the 10 seconds that a login may take.
const options = {
  timeout: 3,
  // Without it the library believes an ID token without a look at its signature, because TLS says who has sent it.
  execute: [enableNonRepudiationChecks]
}
if (issuer.hostname === '127.0.0.1') options.execute.push(allowInsecureRequests)

let settings

/** The settings of the provider: logins at the same time ask once, and a failure is not kept. */
function provider() {
  settings ??= discovery(issuer, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, undefined, options).catch(error => {
    settings = undefined
    throw error
  })
  return settings
}

async function claimsOf(username, password) {
  try {
    const parameters = { username, password, scope: 'openid profile' }
    // Only the ID token is of use: the others are forgotten.
    const tokens = await genericGrantRequest(await provider(), 'password', parameters)
    return tokens.claims()
  } catch (cause) {
    // Wrong, unknown, disabled or locked.
    if (cause.error === 'invalid_grant') return null
    // Down, slow, or what it sent is not to be believed. The person is told to try again later, and no failure is counted.
    throw Object.assign(new Error('the provider failed', { cause }), { statusCode: 503 })
  }
}

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  checkCredentials: async ({ username, password }) => {
    const claims = await claimsOf(username, password)
    if (claims === null) return null
    // As the provider spells the name. It must be unique there for ever, as it is in Keycloak: if people can choose theirs,
    // take `sub` (the logins work, and `reauthenticate` does not, because the provider knows no such name).
    const { preferred_username, name = preferred_username } = claims
    return { username: preferred_username, displayName: name }
  },
  // A login waits for the network, and does not hash.
  checks: { concurrency: 50 },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
