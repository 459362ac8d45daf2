// The reference server as a real process on a real port, against a real database.

import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createClient } from '@libsql/client'
import t from 'tap'
import { checkServer } from '../../conformance/index.ts'
import { bearer, SECRET } from '../helpers.ts'
import { end, freshDatabase, type Json, post, type Server, start, startServer } from './process.ts'

const DEMO = { username: 'demo', password: 'demo-password' }

async function getJson(server: Server, path: string, token = ''): Promise<Json> {
  return (await get(server, path, token)).json()
}

const get = (server: Server, path: string, token = '') =>
  fetch(server.url + path, token === '' ? {} : { headers: bearer(token) })

const logIn = (server: Server, fields: object = DEMO) => post(server, '/auth/login', fields)

t.test('the conformance kit has nothing but OK to say', async t => {
  const server = await startServer(t, { SVC_AUTH_SECRET: SECRET })
  const screens = ['/screen/profile', '/screen/users', '/screen/password']
  const report = await checkServer(server.url, { ...DEMO, secret: SECRET, protected: screens })
  t.strictSame(
    report.results.filter(({ status }) => status !== 'ok'),
    []
  )

  const open = await startServer(t, { SVC_AUTH: 'false' })
  const openReport = await checkServer(open.url, { noAuth: true })
  t.strictSame(
    openReport.results.filter(({ status }) => status !== 'ok'),
    []
  )
})

t.test('the whole login of the contract, with the user that an empty store is given', async t => {
  const server = await startServer(t, { SVC_APP_NAME: 'Probe & Søns <A/S>' })

  const first = await get(server, '/menu/main')
  t.equal(first.status, 401)
  t.equal(first.headers.get('www-authenticate'), 'Bearer realm="screen"')
  t.equal(await first.text(), '')

  const form = await getJson(server, '/auth/login')
  t.match(form, { layout: 'Card', title: 'Probe & Søns <A/S>', auth_action: '/auth/login' })

  const wrong = await logIn(server, { ...DEMO, password: 'wrong' })
  t.match(wrong, { status: 200, success: false, token: null, error: /\w/, screen: null })
  t.strictSame(await logIn(server, { ...DEMO, username: 'nobody' }), wrong)

  const { token, screen, error } = await logIn(server)
  t.equal(error, null)
  t.match(screen, { layout: 'Menu', user_display_name: 'Demo User', menu: { panel_title: 'Main' } })
  t.strictSame(await getJson(server, '/menu/main', token), screen)
  t.equal((await get(server, '/nowhere')).status, 401)
  t.equal((await get(server, '/nowhere', token)).status, 404)
})

t.test('every screen that the menu opens is guarded, and carries the display name', async t => {
  const server = await startServer(t, {})
  const { token, screen } = await logIn(server)
  const items = screen.menu.tabs.flatMap((tab: { items: { action: { url?: string } }[] }) => tab.items)
  const urls: string[] = items.map((item: { action: { url?: string } }) => item.action.url).filter(Boolean)
  t.strictSame(urls, ['/screen/profile', '/screen/password', '/screen/users'])
  for (const url of urls) {
    t.equal((await get(server, url)).status, 401, url)
    t.match(await getJson(server, url, token), { layout: /Card|List/, user_display_name: 'Demo User' }, url)
  }
})

t.test('SVC_TOKEN_LIFETIME is how many seconds a token lives', async t => {
  const server = await startServer(t, { SVC_TOKEN_LIFETIME: '77' })
  const { token } = await logIn(server)
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  t.equal(exp - iat, 77)
})

t.test('the profile and the list show what is in the database', async t => {
  const server = await startServer(t, {})
  const { token } = await logIn(server)
  const profile = await getJson(server, '/screen/profile', token)
  t.match(
    profile.sections[0].fields.map((field: { value: string }) => field.value),
    ['demo', 'Demo User', /^\d{4}-\d\d-\d\dT/]
  )
  const list = await getJson(server, '/screen/users', token)
  t.strictSame(list.rows, [{ username: 'demo', display_name: 'Demo User' }])
})

t.test('people change their own password with a Card', async t => {
  const server = await startServer(t, {})
  const { token } = await logIn(server)
  const card = await getJson(server, '/screen/password', token)
  const change = (current_password: string, new_password: string, repeat_password = new_password) =>
    post(server, card.save_action, { current_password, new_password, repeat_password }, bearer(token))

  const refused: [Promise<object>, RegExp][] = [
    [change('wrong', 'new-password'), /current password is wrong/],
    [change(DEMO.password, 'new-password', 'other-password'), /not the same/],
    [change(DEMO.password, 'short'), /at least 8/],
    [change(DEMO.password, 'x'.repeat(1025)), /at most 1024/],
    [change(DEMO.password, 'password\ud800'), /cannot be used/],
    [change(DEMO.password, 'password\0'), /cannot be used/]
  ]
  for (const [answer, message] of refused) t.match(await answer, { status: 200, success: false, message })
  t.match(await post(server, '/screen/password', { new_password: ['x'] }, bearer(token)), { status: 400 })
  t.equal((await logIn(server)).success, true, 'nothing has changed so far')

  t.match(await change(DEMO.password, 'new-password'), { status: 200, success: true })
  t.equal((await logIn(server)).success, false)
  t.equal((await logIn(server, { ...DEMO, password: 'new-password' })).success, true)
})

t.test(
  'it says in a few lines where it listens, which login to try, and that the secret is random',
  async t => {
    const { output, url } = await startServer(t, {})
    await t.resolveMatch(
      waitFor(() => output.stdout.includes('Log in')),
      true
    )
    t.match(output.stdout, url)
    t.match(output.stdout, /secret is random.*SVC_AUTH_SECRET/)
    t.match(output.stdout, `Log in as demo with the password demo-password at ${url}/`)
    t.ok(output.stdout.split('\n').length <= 6)
    t.equal(output.stderr, '')
  }
)

t.test('guesses at the password screen with a stolen token are limited as those of a login', async t => {
  const server = await startServer(t, {})
  const { token } = await logIn(server)
  const change = (current_password: string) =>
    post(
      server,
      '/screen/password',
      { current_password, new_password: 'new-password', repeat_password: 'new-password' },
      bearer(token)
    )
  for (let i = 0; i < 10; i++) t.match(await change(`guess-${i}`), { message: /current password is wrong/ })
  t.match(await change(DEMO.password), {
    success: false,
    message: 'Too many tries. Try again in 15 minutes.'
  })
  t.match(await logIn(server), { success: false, error: 'Too many tries. Try again in 15 minutes.' })
})

t.test('every response says that its type is to be taken as it is', async t => {
  const server = await startServer(t, {})
  const { token } = await logIn(server)
  for (const path of ['/', '/web/app.js', '/menu/main', '/auth/login', '/screen/users', '/none', '/%zz'])
    for (const given of [undefined, token])
      t.equal((await get(server, path, given)).headers.get('x-content-type-options'), 'nosniff', path)
  for (const body of ['{"fields":{"username":"x","password":"y"}}', '{', 'x'.repeat(20_000)]) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/auth/login`, { method: 'POST', headers, body })
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
})

t.test('its database is readable by its owner only', async t => {
  const database = freshDatabase(t)
  const folder = dirname(database.SVC_DATABASE_URL.replace('file:', ''))
  await startServer(t, database)
  const files = readdirSync(folder)
  t.ok(files.includes('users.db'))
  for (const name of files) t.equal(statSync(join(folder, name)).mode & 0o077, 0, name)
})

t.test('the demo user is not made where others can log in, unless SVC_DEMO_USER says so', async t => {
  const cases: [Record<string, string>, boolean][] = [
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '0.0.0.0', SVC_DEMO_USER: 'True' }, true],
    [{ SVC_DEMO_USER: 'false' }, false]
  ]
  for (const [env, isMade] of cases) {
    const server = await startServer(t, env)
    const name = JSON.stringify(env)
    await waitFor(() => /Log in as|there is no user/.test(server.output.stdout))
    t.equal((await logIn(server)).success, isMade, name)
    t.match(
      server.output.stdout,
      isMade ? /Log in as demo/ : /there is no user; add one: npm run users/,
      name
    )
    await server.stop()
  }
})

t.test('a demo user that is there already is warned of where others can log in', async t => {
  const database = freshDatabase(t)
  await (await startServer(t, database)).stop()
  const { output } = await startServer(t, { ...database, HOST: '0.0.0.0' })
  t.ok(await waitFor(() => output.stdout.includes('everybody knows the password of demo')))
  t.notMatch(output.stdout, /Log in as/)
})

t.test('with the same secret a token lives through a restart; with a random one it does not', async t => {
  const database = freshDatabase(t)
  for (const [secret, status] of [
    [{ SVC_AUTH_SECRET: SECRET }, 200],
    [{}, 401]
  ] as const) {
    const before = await startServer(t, { ...database, ...secret })
    const { token } = await logIn(before)
    await before.stop()
    const after = await startServer(t, { ...database, ...secret })
    t.equal((await get(after, '/menu/main', token)).status, status)
    await after.stop()
  }
})

t.test('a changed password lives through a restart, and the login is then not shown', async t => {
  const database = freshDatabase(t)
  const before = await startServer(t, database)
  const { token } = await logIn(before)
  const fields = {
    current_password: DEMO.password,
    new_password: 'new-password',
    repeat_password: 'new-password'
  }
  await post(before, '/screen/password', fields, bearer(token))
  await before.stop()
  const after = await startServer(t, database)
  t.equal((await logIn(after, { ...DEMO, password: 'new-password' })).success, true)
  await after.stop()
  t.notMatch(after.output.stdout, /Log in as/)
})

t.test('SIGTERM and SIGINT close it cleanly', async t => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = await startServer(t, {})
    // Ready to be closed when the login was announced.
    await waitFor(() => server.output.stdout.includes('Log in'))
    t.strictSame(await server.stop(signal), { code: 0 }, signal)
    t.match(server.output.stdout, new RegExp(`${signal} received, closing`))
  }
})

t.test('a connection on which nothing was asked does not keep it from closing cleanly', async t => {
  const server = await startServer(t, {})
  await waitFor(() => server.output.stdout.includes('Log in'))
  const { port, hostname } = new URL(server.url)
  const silent = connect(Number(port), hostname)
  silent.on('error', () => {})
  await once(silent, 'connect')
  t.strictSame(await server.stop(), { code: 0 })
  t.notMatch(server.output.stdout, /timeout/)
})

t.test('what is asked while it closes is answered as ever, and ends the connection', async t => {
  const server = await startServer(t, {})
  await waitFor(() => server.output.stdout.includes('Log in'))
  const { port, hostname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  let answers = ''
  socket.on('data', data => {
    answers += data
  })
  const body = JSON.stringify({ fields: DEMO })
  const head = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  socket.write(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`)
  await waitFor(() => answers.includes('100 Continue'))

  const stopped = server.stop()
  await waitFor(() => server.output.stdout.includes('closing'))
  socket.write(`${body}GET /menu/main HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket, 'close')
  const [, login, menu] = answers.split(/(?=HTTP\/1.1 )/)
  t.match(login, /^HTTP\/1.1 200 .*"success":true/s)
  t.match(menu, /^HTTP\/1.1 401 .*connection: close/is)
  t.strictSame(await stopped, { code: 0 })
})

t.test('W7: SVC_AUTH=false is the no-auth mode', async t => {
  const server = await startServer(t, { SVC_AUTH: 'FALSE' })
  const menu = await getJson(server, '/menu/main')
  t.match(menu, { layout: 'Menu', menu: { tabs: [{ label: 'Directory' }] } })
  t.notOk('user_display_name' in menu)
  t.equal(menu.menu.tabs.length, 1, 'without a login there is no account')
  t.equal((await get(server, '/screen/users')).status, 200)
  for (const path of ['/auth/login', '/screen/profile', '/screen/password'])
    t.equal((await get(server, path)).status, 404, path)
  t.match(server.output.stdout, /every route .* is open/)
  t.notMatch(server.output.stdout, /Log in as|secret/)
})

t.test(
  'W17: a wrong setting ends it with exit code 1 and one line that names the setting and the fix',
  async t => {
    // A database of somebody else, with another table of the same name.
    const foreign = freshDatabase(t)
    await createClient({ url: foreign.SVC_DATABASE_URL }).execute(
      'CREATE TABLE users (id INTEGER PRIMARY KEY)'
    )

    const wrong: [Record<string, string>, RegExp][] = [
      [{ PORT: 'abc' }, /^PORT must be a whole number from 0 to 65535/],
      [{ PORT: ' ' }, /^PORT must/],
      [{ HOST: '' }, /^HOST must be an address/],
      [{ HOST: 'a\nb' }, /^HOST must be an address/],
      [{ HOST: 'fe80::1%nope' }, /^HOST fe80::1%nope cannot be listened on/],
      [
        { SVC_DATABASE_URL: 'libsql:me:hunter2@db.example/x' },
        /^SVC_DATABASE_URL: cannot use the database (?!.*hunter2)/
      ],
      [
        { SVC_DATABASE_URL: 'libsql://me:12/hunter2@127.0.0.1' },
        /^SVC_DATABASE_URL: cannot use the database (?!.*hunter2)/
      ],
      [foreign, /^SVC_DATABASE_URL: cannot use file:.*SQLITE_ERROR/],
      [{ HOST: '192.0.2.1' }, /^HOST 192.0.2.1 is not an address of this machine; set HOST/],
      [{ SVC_DEMO_USER: 'yes' }, /^SVC_DEMO_USER must be true or false/],
      [{ SVC_TOKEN_LIFETIME: '0' }, /^SVC_TOKEN_LIFETIME must be a whole number of seconds/],
      [{ SVC_TOKEN_LIFETIME: '1.5' }, /^SVC_TOKEN_LIFETIME must/],
      [{ SVC_AUTH: 'maybe' }, /^SVC_AUTH must be true or false/],
      [{ SVC_AUTH_SECRET: '' }, /^SVC_AUTH_SECRET must have at least 32 bytes/],
      [
        { SVC_DATABASE_URL: 'libsql://me:12#hunter2@127.0.0.1' },
        /^SVC_DATABASE_URL: cannot use the database (?!.*me:12)/
      ],
      [{ SVC_AUTH_SECRET: 'hunter2' }, /^SVC_AUTH_SECRET(?!.*hunter2)/],
      [{ SVC_APP_NAME: '' }, /^SVC_APP_NAME must/],
      [{ SVC_DATABASE_URL: '' }, /^SVC_DATABASE_URL must be a libSQL URL/],
      [{ SVC_DATABASE_URL: 'nonsense' }, /^SVC_DATABASE_URL: cannot use .*set it to a libSQL URL/],
      [{ SVC_DATABASE_URL: 'mysql://localhost/x' }, /^SVC_DATABASE_URL: cannot use mysql:/],
      [
        { SVC_DATABASE_URL: `file:${t.testdir()}/no/such/folder/users.db` },
        /^SVC_DATABASE_URL: cannot use file:/
      ],
      [
        {
          SVC_DATABASE_URL: `file:${t.testdir({ 'users.db': 'no database, and more than sixteen bytes' })}/users.db`
        },
        /^SVC_DATABASE_URL: cannot use .*NOTADB/
      ],
      [
        { SVC_DATABASE_URL: 'http://me:hunter2@127.0.0.1:9/?authToken=hunter2' },
        /^SVC_DATABASE_URL: cannot use http:\/\/127.0.0.1:9 (?!.*hunter2)/
      ]
    ]
    await Promise.all(
      wrong.map(async ([env, message]) => {
        const { code, stderr } = await end(
          start('main', { SVC_DATABASE_URL: 'file::memory:', PORT: '0', ...env })
        )
        const name = JSON.stringify(env)
        t.equal(code, 1, name)
        t.match(stderr, message, name)
        t.match(stderr, /^[^\n]+\n$/, `one line: ${name}`)
      })
    )
  }
)

t.test('W17: a port in use ends it with exit code 1 and one line', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await new Promise(resolve => taken.once('listening', resolve))
  const { port } = taken.address() as AddressInfo
  const { code, stderr } = await end(start('main', { SVC_DATABASE_URL: 'file::memory:', PORT: String(port) }))
  t.equal(code, 1)
  t.equal(stderr, `PORT ${port} is in use on 127.0.0.1; set PORT to a free one\n`)
})

async function waitFor(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 100 && !condition(); i++) await new Promise(resolve => setTimeout(resolve, 50))
  return condition()
}
