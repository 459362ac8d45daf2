// `npm start` and `npm run users` as real processes: their settings, and the data that survives a restart.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { createClient } from '@libsql/client'
import t from 'tap'
import { readConfig } from '../../../examples/server/config.ts'
import { bearer, SECRET } from '../../helpers.ts'
import { DEMO, end, freshDatabase, get, menu, post, save, start, startServer } from '../process.ts'

t.test('by default the server prints its URL and the demo login, and closes cleanly', async t => {
  const { output, says, stop, url } = await startServer(t, freshDatabase(t))
  await says(/Log in as demo with the password demo-password at http/)
  t.match(output.stdout, /secret is random.*SVC_AUTH_SECRET/)
  const { token, screen } = await post({ url }, '/auth/login', DEMO)
  t.match(screen, { layout: 'Menu', user_display_name: 'Demo User' })
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 86_400)

  t.strictSame(await stop('SIGTERM'), { code: 0 })
  t.match(output.stdout, /SIGTERM received, closing/)
  t.equal(output.stderr, '')
})

t.test('the server uses the configured name, secret, token lifetime, proxy and brand', async t => {
  const env = { SVC_APP_NAME: 'Probe', SVC_AUTH_SECRET: SECRET, SVC_TOKEN_LIFETIME: '77', HOST: 'localhost' }
  const SVC_BRAND = t.testdir({ 'brand.css': ':root { --brand: #abc }', 'logo.svg': '<svg/>' })
  const server = await startServer(t, { ...env, SVC_TRUST_PROXY: '127.0.0.1,::1', SVC_DEMO_USER: 'true', SVC_BRAND })
  await server.says(/Log in/)
  t.notMatch(server.output.stdout, /secret is random/)
  t.match(await (await get(server, '/auth/login')).json(), { title: 'Probe' })
  t.match(await (await get(server, '/')).text(), /--brand: ?#abc/)
  const { token } = await post(server, '/auth/login', DEMO, { 'x-forwarded-for': '203.0.113.7' })
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 77)
  await server.says(/login accepted.*203\.0\.113\.7/)
})

t.test('SVC_AUTH=false is the no-auth mode, which needs no user, no secret and no Redis', async t => {
  const server = await startServer(t, { SVC_AUTH: 'FALSE', SVC_REDIS_URL: 'redis://127.0.0.1:1' })
  t.equal(await menu(server, ''), 200)
  t.strictSame(await server.stop('SIGINT'), { code: 0 })
  t.match(server.output.stdout, /every route .* is open/)
  t.notMatch(server.output.stdout, /Log in as|secret|Redis/)
})

t.test('a server that others can reach has no demo user, unless SVC_DEMO_USER is true', async t => {
  const memory = { SVC_DATABASE_URL: 'file::memory:' }
  for (const [env, isMade] of [
    [{}, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '127.9.9.9' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '127.example.com' }, false],
    [{ SVC_TRUST_PROXY: '127.0.0.1' }, false],
    [{ HOST: '0.0.0.0', SVC_DEMO_USER: 'True' }, true],
    [{ SVC_DEMO_USER: 'false' }, false]
  ] as [object, boolean][])
    t.equal(readConfig({ ...memory, ...env }).demoUser, isMade, JSON.stringify(env))

  const database = freshDatabase(t)
  await (await startServer(t, { ...database, HOST: '0.0.0.0' })).says(/there is no user; add one: npm run users/)
  await (await startServer(t, database)).says(/Log in as demo/)
  await (await startServer(t, { ...database, HOST: '0.0.0.0' })).says(/the password of demo is public/)
})

/** The rejected values of each variable, and the message about them. */
const WRONG: [name: string, message: string, ...values: string[]][] = [
  ['PORT', 'must be a whole number from 0 to 65535', 'abc', ' ', '65536'],
  ['HOST', 'must be an address', '', 'a\nb'],
  ['SVC_DEMO_USER', 'must be true or false', 'yes', ''],
  ['SVC_TOKEN_LIFETIME', 'must be a whole number of seconds from 1 to 34560000', '0', '1.5', '34560001'],
  ['SVC_TRUST_PROXY', 'must be the addresses', '', 'true', '10.0.0.0/33', '0.0.0.0/0', '::/129', '10.0.0.1,'],
  ['SVC_REDIS_URL', 'must be a Redis URL, for example redis://', '', 'redis', 'http://127.0.0.1:6379', 'redis://'],
  ['SVC_DATABASE_URL', 'must be a libSQL URL', ''],
  ['SVC_BRAND', 'must be a folder with .*; unset it', '', '/nowhere', import.meta.dirname]
]

t.test('an invalid setting is rejected with a message that names it', async t => {
  for (const [name, message, ...values] of WRONG) {
    const error = { name: 'SetupError', message: RegExp(`^${name} ${message}`) }
    for (const value of values) t.throws(() => readConfig({ [name]: value }), error, value)
  }
})

t.test('a setting that turns out to be wrong ends the server with one line and without a secret', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  for (const [env, message] of [
    [{ PORT: `${port}` }, /^PORT \d+ is in use on 127\.0\.0\.1; set PORT to a free one\n$/],
    [{ PORT: '0', HOST: '192.0.2.1' }, /^HOST 192\.0\.2\.1: cannot listen on it \(EADDRNOTAVAIL\)[^\n]+\n$/],
    [{ SVC_AUTH_SECRET: 'hunter2' }, /^SVC_AUTH_SECRET must have at least 32 bytes[^\n]+\n$/],
    [{ SVC_DATABASE_URL: 'libsql://me:12/hunter2@127.0.0.1' }, /^SVC_DATABASE_URL: cannot use the database [^\n]+\n$/],
    [{ SVC_DATABASE_URL: 'file:/no/such/users.db' }, /^SVC_DATABASE_URL: cannot use the database [^\n]+\n$/],
    [{ SVC_REDIS_URL: 'redis://me:12/hunter2@127.0.0.1' }, /^SVC_REDIS_URL: cannot use Redis [^\n]+\n$/]
  ] as [Record<string, string>, RegExp][]) {
    const ended = await end(start('main', { ...freshDatabase(t), ...env }))
    t.match(ended, { code: 1, stderr: message })
    t.notMatch(ended.stdout + ended.stderr, /hunter2|me:12|listening/)
  }
})

t.test('a new password and a contact survive a restart, and tokens of a random secret do not', async t => {
  const database = freshDatabase(t)
  const before = await startServer(t, database)
  const { token } = await post(before, '/auth/login', DEMO)
  const password = 'new-password'
  await save(before, '/screen/contact/save?id=1&version=1', { company: 'Typed Ltd' }, bearer(token))
  const changes = { current_password: DEMO.password, new_password: password, repeat_password: password }
  await save(before, '/screen/password', changes, bearer(token))
  await before.stop()
  const after = await startServer(t, database)
  t.equal(await menu(after, token), 401)
  const login = await post(after, '/auth/login', { ...DEMO, password })
  t.match(await (await get(after, '/screen/contact?id=1', login.token)).text(), '"value":"Typed Ltd"')
  await after.stop()
  t.notMatch(after.output.stdout, /Log in as/)
})

t.test('when nobody reads its log any more, the server goes on, and closes in order', async t => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const server = await startServer(t, {})
    server.closeLog()
    for (let i = 0; i < 3; i++) t.match(await post(server, '/auth/login', DEMO), { success: true })
    t.strictSame(await server.stop(signal), { code: 0 })
    t.equal(server.output.stderr, '')
  }
})

t.test('after the lock of another program, the server writes again and locks nobody out', async t => {
  const database = freshDatabase(t)
  const server = await startServer(t, database)
  const { token } = await post(server, '/auth/login', DEMO)
  const other = createClient({ url: database.SVC_DATABASE_URL })
  const lock = await other.transaction('write')
  const write = () => save(server, '/screen/contact/save?id=1&version=1', { company: 'New Ltd' }, bearer(token))
  await t.rejects(write())
  await lock.rollback()
  t.match(await write(), { layout: 'Card' })
  t.equal((await other.execute('UPDATE contacts SET id = 2 WHERE id = 2')).rowsAffected, 1)
})

t.test('npm run users adds, lists and removes users and sets their passwords beside a running server', async t => {
  const database = freshDatabase(t)
  const server = await startServer(t, database)
  const run = (args: string[], input: string | Buffer = '') => end(start('users', database, args), input)
  // The server ignores spaces around the username, but not those around the password.
  const logIn = async (password: string) =>
    (await post(server, '/auth/login', { username: ' Ada L.\t', password })).success
  const add = ['add', 'Ada L.', '--display-name', 'Ada Løvelace']
  for (const [args, input, code, printed] of [
    [add, 'short', 1, /^New password: 8 characters or more\.\n$/],
    [add, Buffer.from('a-password-\xff', 'latin1'), 1, /^The password on .* is not UTF-8\.\n$/],
    [add, '  first password 🦊\nsecond line', 0, /^Added Ada L\. \(Ada Løvelace\)\.\n$/],
    [add, '', 1, /^Ada L\. exists already; choose another NAME\n$/],
    [['add', 'b\nb'], '', 1, /^NAME must be 1 to 128 printable characters/],
    [['list'], '', 0, /^Ada L\.\tAda Løvelace\t\d{4}-\d\d-\d\dT\S+\ndemo\tDemo User\t\S+\n$/],
    [['sign-out', 'Ada L.'], '', 1, /^Only sessions in Redis can be ended: set SVC_REDIS_URL\n$/],
    [['unlock', 'Ada L.'], '', 1, /^Without SVC_REDIS_URL/],
    [['passwd', 'nobody'], '', 1, /^There is no user nobody; list the names with: .*\n$/],
    [['--help'], '', 0, /^Usage: npm run users/],
    [[], '', 1, /^Usage: npm run users/],
    [['list', 'ada'], '', 1, /^Usage: npm run users/],
    [['passwd', ...add.slice(1)], '', 1, /^Usage: npm run users/]
  ] as [string[], string | Buffer, number, RegExp][]) {
    const ended = await run(args, input)
    t.match(code === 0 ? ended.stdout : ended.stderr, printed, args.join(' '))
    t.strictSame([ended.code, ended[code === 0 ? 'stderr' : 'stdout']], [code, ''])
  }
  t.equal(await logIn('  first password 🦊'), true)
  const passwd = await run(['passwd', 'Ada L.'], 'another password')
  t.equal(passwd.stdout, 'Set the password of Ada L..\nEarlier tokens stay valid until they expire.\n')
  t.strictSame([await logIn('  first password 🦊'), await logIn('another password')], [false, true])
  t.match(await run(['remove', 'Ada L.']), { code: 0, stdout: /^Removed Ada L\./ })
  t.equal(await logIn('another password'), false)
})
