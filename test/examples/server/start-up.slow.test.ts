// `npm start` and `npm run users` as real processes: their settings, the data that survives a restart, a new secret in
// running servers, and their end.

import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { USAGE } from '../../../examples/server/user-commands.ts'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO, end, freshDatabase, get, menu, post, save, start, startServer } from '../process.ts'

t.test('the server uses the configured name, secret and token lifetime', async t => {
  const env = { SVC_APP_NAME: 'Probe', SVC_AUTH_SECRET: SECRET, SVC_TOKEN_LIFETIME: '77' }
  const server = await startServer(t, { ...env, HOST: 'localhost' })
  await server.says(/Log in/)
  t.notMatch(server.output.stdout, /secret is random/)
  t.match(await (await fetch(`${server.url}/auth/login`)).json(), { title: 'Probe' })
  const { token } = await post(server, '/auth/login', DEMO)
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 77)
})

t.test('a server that others can reach has no demo user, and explains how to add a user', async t => {
  const server = await startServer(t, { HOST: '0.0.0.0' })
  await server.says(/there is no user; add one: npm run users/)
  t.equal((await post(server, '/auth/login', DEMO)).success, false)
})

t.test('a server that others can reach warns about an existing demo user', async t => {
  const database = freshDatabase(t)
  await (await startServer(t, database)).stop()
  const { output, says, stop } = await startServer(t, { ...database, HOST: '0.0.0.0' })
  await says(/the password of demo is public/)
  await stop()
  t.notMatch(output.stdout, /Log in as/)
})

t.test('with a random secret, no token survives a restart', async t => {
  const database = freshDatabase(t)
  const before = await startServer(t, database)
  const { token } = await post(before, '/auth/login', DEMO)
  t.equal(await menu(before, token), 200)
  await before.stop()
  t.equal(await menu(await startServer(t, database), token), 401)
})

t.test('a new password and a contact survive a restart, and the demo login is no longer printed', async t => {
  const database = freshDatabase(t)
  const before = await startServer(t, database)
  const { token } = await post(before, '/auth/login', DEMO)
  const password = 'new-password'
  await save(before, '/screen/contact/save?id=1&version=1', { company: 'Typed Ltd' }, bearer(token))
  const changes = { current_password: DEMO.password, new_password: password, repeat_password: password }
  await save(before, '/screen/password', changes, bearer(token))
  await before.stop()
  const after = await startServer(t, database)
  const login = await post(after, '/auth/login', { ...DEMO, password })
  t.equal(login.success, true)
  t.match(await (await get(after, '/screen/contact?id=1', login.token)).text(), '"value":"Typed Ltd"')
  await after.stop()
  t.notMatch(after.output.stdout, /Log in as/)
})

t.test('a secret can be replaced in running servers without rejecting a token', async t => {
  const [OLD, NEW] = ['old-secret-of-at-least-32-bytes!!', 'new-secret-of-at-least-32-bytes!!']
  const database = freshDatabase(t)
  const servers = []
  // The steps in the documentation.
  for (const secrets of [
    { SVC_AUTH_SECRET: OLD },
    { SVC_AUTH_SECRET: OLD, SVC_AUTH_SECRET_PREVIOUS: NEW },
    { SVC_AUTH_SECRET: NEW, SVC_AUTH_SECRET_PREVIOUS: OLD },
    { SVC_AUTH_SECRET: NEW }
  ])
    servers.push(await startServer(t, { ...database, ...secrets }))

  /** One row for the token of each server: its statuses at all servers. */
  const statuses = []
  for (const server of servers) {
    const { token } = await post(server, '/auth/login', DEMO)
    statuses.push(await Promise.all(servers.map(other => menu(other, token))))
  }
  // Only servers of two consecutive steps run at the same time, and the tokens of the old secret expire before the last
  // step.
  t.strictSame(statuses, [
    [200, 200, 200, 401],
    [200, 200, 200, 401],
    [401, 200, 200, 200],
    [401, 200, 200, 200]
  ])
})

t.test('SIGINT closes the server cleanly, even with an open connection that sent no request', async t => {
  const server = await startServer(t, {})
  const { port, hostname } = new URL(server.url)
  const silent = connect(Number(port), hostname)
  silent.on('error', () => {})
  await once(silent, 'connect')
  t.strictSame(await server.stop('SIGINT'), { code: 0 })
  t.match(server.output.stdout, /SIGINT received, closing/)
  t.notMatch(server.output.stdout, /timeout/)
})

t.test('npm run users exits with code 1 and the reason if a command fails', async t => {
  const database = freshDatabase(t)
  for (const [args, input, message] of [
    [[], '', /^Usage: npm run users/],
    [['add', 'ada'], '', /^New password: 8 characters or more\.\n$/],
    [['add', 'ada'], Buffer.from('a-password-\xff', 'latin1'), /^The password on .* is not UTF-8\.\n$/],
    [['remove', 'ada'], '', /^There is no user ada; list the names with: .*\n$/]
  ] as const) {
    const ended = await end(start('users', database, [...args]), input)
    t.match(ended, { code: 1, stdout: '', stderr: message }, args.join(' '))
  }
})

t.test('npm run users -- --help prints the usage and exits with code 0', async t => {
  const help = await end(start('users', {}, ['--help']))
  t.strictSame(help, { code: 0, stdout: `${USAGE}\n`, stderr: '' })
})
