// Logins that an OpenID provider checks: oidc.js.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import t, { type Test } from 'tap'
import { jsonOf, logIn, recipe, tokenOf } from '../program.ts'

const CLIENT = { OIDC_CLIENT_ID: 'shop', OIDC_CLIENT_SECRET: 'secret of the client' }

const keys = await generateKeyPair('RS256')
const { privateKey: otherKey } = await generateKeyPair('RS256')

/** Starts a provider with one user. A test can change its responses. */
async function startProvider(t: Test, port = 0) {
  const provider = {
    port,
    server: null as unknown as Server,
    key: keys.privateKey,
    claims: {} as JWTPayload,
    status: 200,
    /** The number of requests for its settings. */
    discoveries: 0
  }
  const respond = async (url: string, fields: URLSearchParams): Promise<[number, unknown]> => {
    const issuer = `http://127.0.0.1:${provider.port}`
    if (url === '/.well-known/openid-configuration') {
      provider.discoveries++
      return [200, { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` }]
    }
    if (url === '/jwks') return [200, { keys: [{ ...(await exportJWK(keys.publicKey)), alg: 'RS256' }] }]
    if (fields.get('username')?.toLowerCase() !== 'ada' || fields.get('password') !== 'correct horse')
      return [400, { error: 'invalid_grant' }]
    const claims = { sub: '7', preferred_username: 'ada', name: 'Ada Lovelace', iss: issuer, aud: 'shop' }
    const id_token = await new SignJWT({ ...claims, ...provider.claims })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuedAt()
      .setExpirationTime('1 minute')
      .sign(provider.key)
    return [provider.status, { access_token: 'access-token', token_type: 'Bearer', id_token }]
  }
  provider.server = createServer(async (request, response) => {
    const [status, body] = await respond(`${request.url}`, new URLSearchParams(await text(request)))
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(port, '127.0.0.1')
  await once(provider.server, 'listening')
  t.teardown(() => provider.server.close().closeAllConnections())
  provider.port = (provider.server.address() as AddressInfo).port
  return provider
}

async function startBoth(t: Test, isDown = false) {
  const provider = await startProvider(t)
  if (isDown) provider.server.close()
  const server = recipe(t, 'oidc.js', { OIDC_ISSUER: `http://127.0.0.1:${provider.port}`, ...CLIENT })
  return { provider, server, url: await server.listening() }
}

t.test('oidc: the session has the username of the provider, whose settings are read once', async t => {
  const { url, provider } = await startBoth(t)
  const tokens = await Promise.all(['ADA', 'ada', 'Ada'].map(username => tokenOf(url, { username })))
  for (const token of tokens) {
    t.match(JSON.parse(atob(`${token.split('.')[1]}`)), { sub: 'ada' })
    t.match(await jsonOf(`${url}/menu/main`, token), { user_display_name: 'Ada Lovelace' })
  }
  t.equal(provider.discoveries, 1)
})

t.test('oidc: a wrong login is rejected, and the log contains no password and no client secret', async t => {
  const { url, server } = await startBoth(t)
  const error = 'Wrong username or password.'
  for (const fields of [{ password: 'hidden password' }, { username: 'a&password=x' }])
    t.strictSame(await (await logIn(url, fields)).json(), { success: false, token: null, error, screen: null })
  t.notMatch(server.output, /hidden password|secret of the client/)
})

/** Asserts that a login returns 503 and that the log contains no secret. */
async function assertUnavailable(t: Test, { url, server }: Awaited<ReturnType<typeof startBoth>>) {
  const response = await logIn(url)
  t.match([response.status, response.headers.get('retry-after')], [503, /^\d+$/])
  t.notMatch(server.output, /correct horse|secret of the client|access-token/)
}

t.test('oidc: a login returns 503 if the ID token is invalid or the provider fails', async t => {
  const both = await startBoth(t)
  const { provider } = both
  const right = { ...provider }
  for (const fault of [{ key: otherKey }, { claims: { aud: 'other' } }, { claims: { iss: 'x' } }, { status: 502 }]) {
    Object.assign(provider, right, fault)
    await assertUnavailable(t, both)
  }
})

t.test('oidc: logins succeed once a provider that was down at the start is up', async t => {
  const both = await startBoth(t, true)
  await assertUnavailable(t, both)
  await startProvider(t, both.provider.port)
  t.type(await tokenOf(both.url), 'string')
})
