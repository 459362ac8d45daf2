// `npm start` in one real process after the other: what it makes of its settings, what outlives a restart, a new secret in
// running servers, and how it ends.

import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO, freshDatabase, post, type Server, save, startServer } from '../process.ts'

/** The status of a guarded request. */
const menu = async ({ url }: Server, token: string) =>
  (await fetch(`${url}/menu/main`, { headers: bearer(token) })).status

t.test('what is configured holds: the name, the secret, how long a token lives', async t => {
  const env = { SVC_APP_NAME: 'Probe', SVC_AUTH_SECRET: SECRET, SVC_TOKEN_LIFETIME: '77' }
  const server = await startServer(t, { ...env, HOST: 'localhost' })
  await server.says(/Log in/)
  t.notMatch(server.output.stdout, /secret is random/)
  t.match(await (await fetch(`${server.url}/auth/login`)).json(), { title: 'Probe' })
  const { token } = await post(server, '/auth/login', DEMO)
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 77)
})

t.test('where others can log in, no demo user is made, and the server says how to add a user', async t => {
  const server = await startServer(t, { HOST: '0.0.0.0' })
  await server.says(/there is no user; add one: npm run users/)
  t.equal((await post(server, '/auth/login', DEMO)).success, false)
})

t.test('where others can log in, the server warns of a demo user that is there already', async t => {
  const database = freshDatabase(t)
  await (await startServer(t, database)).stop()
  const { output, says, stop } = await startServer(t, { ...database, HOST: '0.0.0.0' })
  await says(/everybody knows the password of demo/)
  await stop()
  t.notMatch(output.stdout, /Log in as/)
})

t.test('with a random secret no token outlives a restart', async t => {
  const database = freshDatabase(t)
  const before = await startServer(t, database)
  const { token } = await post(before, '/auth/login', DEMO)
  t.equal(await menu(before, token), 200)
  await before.stop()
  t.equal(await menu(await startServer(t, database), token), 401)
})

t.test('a changed password outlives a restart, and the login is then not shown', async t => {
  const database = freshDatabase(t)
  const before = await startServer(t, database)
  const { token } = await post(before, '/auth/login', DEMO)
  const password = 'new-password'
  const changes = { current_password: DEMO.password, new_password: password, repeat_password: password }
  await save(before, '/screen/password', changes, bearer(token))
  await before.stop()
  const after = await startServer(t, database)
  t.equal((await post(after, '/auth/login', { ...DEMO, password })).success, true)
  await after.stop()
  t.notMatch(after.output.stdout, /Log in as/)
})

t.test('a secret is replaced in two running servers, and no token is refused meanwhile', async t => {
  const [OLD, NEW] = ['old-secret-of-at-least-32-bytes!!', 'new-secret-of-at-least-32-bytes!!']
  const database = freshDatabase(t)
  const tokens: string[] = []
  const statuses: number[] = []
  const fleet: Server[] = []

  const logInEverywhere = async () => {
    for (const server of fleet) tokens.push((await post(server, '/auth/login', DEMO)).token)
  }
  const sendEverywhere = async () => {
    for (const token of tokens) for (const server of fleet) statuses.push(await menu(server, token))
  }
  const roll = async (secrets: Record<string, string>) => {
    for (const i of [0, 1]) {
      const before = fleet[i]
      fleet[i] = await startServer(t, { ...database, ...secrets })
      await logInEverywhere()
      await sendEverywhere()
      await before?.stop()
    }
  }

  // The runbook of the documentation.
  await roll({ SVC_AUTH_SECRET: OLD })
  await roll({ SVC_AUTH_SECRET: OLD, SVC_AUTH_SECRET_PREVIOUS: NEW })
  await roll({ SVC_AUTH_SECRET: NEW, SVC_AUTH_SECRET_PREVIOUS: OLD })
  t.strictSame(new Set(statuses), new Set([200]))
  t.ok(statuses.length > 50)

  // The tokens of the old secret have expired by now, so to speak.
  tokens.splice(0)
  await logInEverywhere()
  const old = await startServer(t, { ...database, SVC_AUTH_SECRET: OLD })
  await roll({ SVC_AUTH_SECRET: NEW })
  t.strictSame(new Set(statuses), new Set([200]))

  fleet.splice(0, 2, old)
  await sendEverywhere()
  t.ok(statuses.includes(401), 'a server that has only the old secret would have refused them')
})

t.test('SIGINT closes the server cleanly, also when a connection without a request is open', async t => {
  const server = await startServer(t, {})
  const { port, hostname } = new URL(server.url)
  const silent = connect(Number(port), hostname)
  silent.on('error', () => {})
  await once(silent, 'connect')
  t.strictSame(await server.stop('SIGINT'), { code: 0 })
  t.match(server.output.stdout, /SIGINT received, closing/)
  t.notMatch(server.output.stdout, /timeout/)
})
