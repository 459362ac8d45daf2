// The login of the example server, and the screens behind it.

import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { checkServer } from '../../../conformance/index.ts'
import { SECRET } from '../../helpers.ts'
import { DEMO } from '../process.ts'
import { startExample } from './in-process.ts'

/** Seconds that one request of the conformance kit may take: it only ends a test that hangs. */
const PATIENCE = 120

t.test('the conformance kit finds no fault', async t => {
  const { app } = await startExample(t)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const screens = ['profile', 'users', 'password', 'contacts', 'contact?id=1', 'contacts/new'].map(
    name => `/screen/${name}`
  )
  const options = { ...DEMO, secret: SECRET, protected: screens, timeout: PATIENCE }
  const report = await checkServer(url, options)
  t.strictSame(
    report.results.filter(({ status }) => status !== 'ok' && status !== 'skipped'),
    []
  )
})

t.test('the conformance kit finds no fault in the no-auth mode', async t => {
  const { app } = await startExample(t, { enabled: false })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const report = await checkServer(url, { noAuth: true, timeout: PATIENCE })
  t.strictSame(
    report.results.filter(({ status }) => status !== 'ok'),
    []
  )
})

t.test('the demo user logs in as the contract says', async t => {
  const { get, getJson, logIn } = await startExample(t, { appName: 'Probe & Søns <A/S>' })

  const first = await get('/menu/main')
  t.equal(first.statusCode, 401)
  t.equal(first.headers['www-authenticate'], 'Bearer realm="screen"')
  t.equal(first.body, '')

  const form = await getJson('/auth/login')
  t.match(form, { layout: 'Card', title: 'Probe & Søns <A/S>', auth_action: '/auth/login' })

  const wrong = await logIn({ ...DEMO, password: 'wrong' })
  t.match(wrong, { code: 200, success: false, token: null, error: /\w/, screen: null })
  t.strictSame(await logIn({ ...DEMO, username: 'nobody' }), wrong)

  const { token, screen, error } = await logIn()
  t.equal(error, null)
  t.match(screen, { layout: 'Menu', user_display_name: 'Demo User', menu: { panel_title: 'Main' } })
  t.strictSame(await getJson('/menu/main', token), screen)
  t.equal((await get('/nowhere')).statusCode, 401)
  t.equal((await get('/nowhere', token)).statusCode, 404)
})

t.test('every screen that the menu opens is guarded, and carries the display name', async t => {
  const { get, getJson, logIn } = await startExample(t)
  const { token, screen } = await logIn()
  const items = screen.menu.tabs.flatMap((tab: { items: { action: { url?: string } }[] }) => tab.items)
  const urls: string[] = items.map((item: { action: { url?: string } }) => item.action.url).filter(Boolean)
  t.strictSame(urls, [
    '/screen/contacts',
    '/screen/contacts/new',
    '/screen/profile',
    '/screen/password',
    '/screen/users'
  ])
  for (const url of urls) {
    t.equal((await get(url)).statusCode, 401, url)
    t.match(await getJson(url, token), { layout: /Card|List/, user_display_name: 'Demo User' }, url)
  }
})

t.test('the profile and the list of users show what is in the database', async t => {
  const { getJson, logIn } = await startExample(t)
  const { token } = await logIn()
  const profile = await getJson('/screen/profile', token)
  t.match(profile.sections[0].fields, [
    { value: 'demo' },
    { value: 'Demo User' },
    { type: 'Date', value: /^\d\d-\d\d-\d{4}$/ }
  ])
  const list = await getJson('/screen/users', token)
  t.match(list.lines, {
    columns: [{ label: 'Username' }, { label: 'Display name' }],
    rows: [{ index: 0, values: ['demo', 'Demo User'] }],
    row_count: 1
  })
})

t.test('a removed user has no profile, though the token is still valid', async t => {
  const { get, logIn, users } = await startExample(t)
  const { token } = await logIn()
  await users.remove('demo')
  t.equal((await get('/menu/main', token)).statusCode, 200)
  t.equal((await get('/screen/profile', token)).statusCode, 404)
})

t.test('every response says that its type is to be taken as it is', async t => {
  const { app, get, logIn } = await startExample(t)
  const { token } = await logIn()
  for (const path of ['/', '/web/app.js', '/menu/main', '/auth/login', '/screen/users', '/none', '/%zz'])
    for (const given of [undefined, token])
      t.equal((await get(path, given)).headers['x-content-type-options'], 'nosniff', path)
  for (const payload of ['{"fields":{"username":"x","password":"y"}}', '{', 'x'.repeat(20_000)]) {
    const headers = { 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url: '/auth/login', headers, payload })
    t.equal(response.headers['x-content-type-options'], 'nosniff')
  }
})

t.test('in the no-auth mode every screen is open, and there is no account', async t => {
  const { get, getJson } = await startExample(t, { enabled: false })
  const menu = await getJson('/menu/main')
  t.match(menu, { layout: 'Menu', menu: { tabs: [{ label: 'Contacts' }, { label: 'Directory' }] } })
  t.notOk('user_display_name' in menu)
  t.equal(menu.menu.tabs.length, 2, 'without a login there is no account')
  t.equal((await get('/screen/users')).statusCode, 200)
  for (const path of ['/auth/login', '/screen/profile', '/screen/password'])
    t.equal((await get(path)).statusCode, 404, path)
})

t.test('a request has 15 seconds to arrive: Node takes the longer of two settings', async t => {
  const { app } = await startExample(t)
  await app.ready()
  const { requestTimeout, headersTimeout } = app.server
  t.equal(Math.max(requestTimeout, headersTimeout), 15_000)
})

t.test('a request that comes while the server closes gets its response, and ends the connection', async t => {
  const { app } = await startExample(t)
  const closing = new Promise<void>(resolve => {
    app.addHook('preClose', async () => resolve())
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''
  socket.on('data', data => {
    received += data
  })
  const body = JSON.stringify({ fields: DEMO })
  const head = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  socket.write(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`)
  while (!received.includes('100 Continue')) await once(socket, 'data')

  const closed = app.close()
  await closing
  socket.write(`${body}GET /menu/main HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket, 'close')
  const [, login, menu] = received.split(/(?=HTTP\/1.1 )/)
  t.match(login, /^HTTP\/1.1 200 .*"success":true/s)
  t.match(menu, /^HTTP\/1.1 401 .*connection: close/is)
  await t.resolves(closed)
})
