// Passwords of an OpenID provider such as Keycloak. The client of a screen service has a form and no browser, so the
// server sends the entered password to the provider (Resource Owner Password grant). RFC 9700 forbids this grant (2.4:
// "MUST NOT be used"), because this server sees the password, and the provider cannot ask for a second factor. Use it
// only if the provider is your own and clients cannot redirect; otherwise let people log in there. The server also
// starts while the provider is down.
import Fastify from 'fastify'
import screenAuth from 'fastify-screen-auth'
import { allowInsecureRequests, discovery, enableNonRepudiationChecks, genericGrantRequest } from 'openid-client'

const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = process.env
if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) {
  throw new Error('Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET')
}
const issuer = new URL(OIDC_ISSUER)

// Three requests (settings, token, keys): at most 9 of the 10 seconds that a login may take.
const options = {
  timeout: 3,
  // Verifies the signature of the ID token. By default the library relies on TLS alone.
  execute: [enableNonRepudiationChecks]
}
if (issuer.hostname === '127.0.0.1') options.execute.push(allowInsecureRequests)

let settings
/** Resolves to the settings of the provider. Concurrent logins share a request, and a failure is not cached. */
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
    const tokens = await genericGrantRequest(await provider(), 'password', parameters)
    return tokens.claims()
  } catch (cause) {
    // The password is wrong, or the user is unknown, disabled or locked.
    if (cause.error === 'invalid_grant') return null
    // The provider is down or slow, or its response is invalid. No failure, unless the client has left.
    throw Object.assign(new Error('the provider failed', { cause }), { statusCode: 503 })
  }
}

const app = Fastify({ logger: true })

await app.register(screenAuth, {
  checkCredentials: async ({ username, password }) => {
    const claims = await claimsOf(username, password)
    if (claims === null) return null
    // The spelling of the provider, where a name must be unique for ever (in Keycloak names are unique). If people can
    // choose their names, use `sub`: logins work, but not `reauthenticate`, because the provider knows no such name.
    const { preferred_username, name = preferred_username } = claims
    return { username: preferred_username, displayName: name }
  },
  // A login waits for the network and does not hash. With two servers or more, raise `throttle.address`, too.
  checks: { concurrency: 50 },
  mainMenu: () => ({ layout: 'Menu', title: 'Main Menu', menu: { panel_title: 'Main', tabs: [] } })
})

await app.listen({ port: 3000 })
