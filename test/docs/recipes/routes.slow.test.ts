// Other routes, screens with Zod, cookies, and tests of routes: problem-json.js, download.js, zod-screens.js,
// cookies-to-bearer.js and testing.js.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sign } from '@fastify/cookie'
import t, { type Test } from 'tap'
import type { MenuScreen, OpenAction } from '../../../schemas/screens.ts'
import type { Json } from '../../examples/process.ts'
import { until } from '../../helpers.ts'
import { faultsOf } from '../known-screen.ts'
import {
  jsonOf,
  Program,
  post,
  preload,
  recipe,
  request,
  startCode,
  startRecipe,
  statusOf,
  tokenOf
} from '../program.ts'

/** Asserts that a response is a problem with this title and status. */
async function assertProblem(t: Test, response: Response, problem: { title: unknown; status: number }) {
  t.equal(response.status, problem.status)
  t.match(response.headers.get('content-type'), /^application\/problem\+json/)
  t.match(await response.json(), problem)
}

t.test('problem-json', async t => {
  const url = await startRecipe(t, 'problem-json.js')
  const orders = `${url}/api/orders`
  const token = await tokenOf(url)
  const send = (url: string, type: string, body: string) =>
    request(url, token, { method: 'POST', headers: { 'content-type': type }, body })

  t.test('a valid order is created', async t => {
    const created = await post(orders, { item: 'tea' }, token)
    t.equal(created.status, 201)
    const { id }: Json = await created.json()
    t.strictSame(await jsonOf(`${orders}/${id}`, token), { id, item: 'tea' })
  })

  t.test('errors of the API are problem documents', async t => {
    for (const [status, response] of [
      [400, await post(orders, {}, token)],
      [400, await send(orders, 'application/json', '{"item":')],
      [404, await request(`${url}/api/unknown`, token)],
      [404, await request(`${url}/api`, token)],
      [404, await request(`${orders}/unknown`, token)],
      [413, await post(orders, { item: 'x'.repeat(2 ** 20) }, token)],
      [415, await send(orders, 'text/csv', 'tea')]
    ] as const)
      await assertProblem(t, response, { title: String, status })
  })

  t.test('a 401 of the guard below /api is a problem document with the challenge', async t => {
    for (const response of [await post(orders, {}), await request(`${url}/api/unknown`), await request(`${url}/api`)]) {
      t.equal(response.headers.get('www-authenticate'), 'Bearer realm="screen"')
      await assertProblem(t, response, { title: 'Unauthorized', status: 401 })
    }
  })

  t.test('the login and the screens still follow the contract', async t => {
    for (const path of ['/menu/main', '/unknown', '/apiary']) {
      const refused = await request(url + path)
      t.equal(refused.status, 401)
      t.equal(await refused.text(), '')
    }
    const failure = { success: false, token: null, error: String, screen: null }
    for (const [path, body, status, content] of [
      ['/auth/login', '{', 400, failure],
      ['/screen/unknown', '{}', 404, {}],
      ['/screen/unknown', '{', 400, {}]
    ] as const) {
      const response = await send(url + path, 'application/json', body)
      t.equal(response.status, status)
      t.match(response.headers.get('content-type'), /^application\/json/)
      t.match(await response.json(), content)
    }
  })
})

t.test('problem-json: an internal error is a problem document without details', async t => {
  const NODE_OPTIONS = preload(`
    const { get } = Map.prototype
    Map.prototype.get = function (key) {
      if (key === '42') throw new Error('the secret database is down')
      return get.call(this, key)
    }
  `)
  const url = await startRecipe(t, 'problem-json.js', { NODE_OPTIONS })
  const response = await request(`${url}/api/orders/42`, await tokenOf(url))
  t.equal(response.status, 500)
  t.match(response.headers.get('content-type'), /^application\/problem\+json/)
  t.strictSame(await response.json(), { title: 'Internal Server Error', status: 500 })
})

t.test('download', async t => {
  const names = ['100 % #1 ä&b=c.html', 'picture.png', 'report.txt']
  const files = Object.fromEntries(names.map(name => [name, `this is ${name}`]))
  const directory = t.testdir({
    'secret.txt': 'no client may have this',
    files: { ...files, folder: { 'deep.txt': 'deep' } }
  })
  const start = (env = {}) => recipe(t, 'download.js', { FILES_DIR: join(directory, 'files'), ...env })
  const server = start()
  const url = await server.listening()
  const links = await linksOf(url)
  const report = links.get('report.txt') as URL

  /** Returns the links of the screen by file name. */
  async function linksOf(url: string): Promise<Map<string, URL>> {
    const { menu } = (await jsonOf(`${url}/screen/files`, await tokenOf(url))) as MenuScreen
    const items = menu.tabs.flatMap(({ items }) => items)
    return new Map(items.map(({ label, action }) => [label, new URL((action as OpenAction).url, url)]))
  }

  t.test('a screen behind the login has a link to each file', async t => {
    t.equal(await statusOf(`${url}/screen/files`), 401)
    t.same([...links.keys()].sort(), names)
  })

  t.test('a link returns its file without a token', async t => {
    for (const [name, link] of links) {
      const response = await request(link.href)
      t.equal(response.status, 200)
      t.equal(await response.text(), files[name])
      t.match(response.headers.get('content-disposition'), /^attachment/)
      t.equal(response.headers.get('cache-control'), 'private, no-store')
      t.equal(response.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  t.test('a link is valid only for its file and expiry time, and a malformed link returns 400', async t => {
    const expires = String(Number(report.searchParams.get('expires')) + 1)
    const signature = links.get('picture.png')?.searchParams.get('signature') as string
    for (const [status, changes] of [
      [403, { file: 'picture.png' }],
      [403, { expires }],
      [403, { signature }],
      [403, { signature: 'A'.repeat(43) }],
      [403, { file: '../secret.txt' }],
      [403, { file: 'folder/deep.txt' }],
      [403, { file: join(directory, 'secret.txt') }],
      [400, { signature: '' }],
      [400, { signature: 'short' }],
      [400, { expires: 'never' }]
    ] as const) {
      const link = new URL(report)
      for (const [key, value] of Object.entries(changes)) link.searchParams.set(key, value)
      t.equal(await statusOf(link.href), status, JSON.stringify(changes))
    }
    t.equal(await statusOf(`${url}/download`), 400)
    t.equal(await statusOf(`${report}&file=picture.png`), 400, 'two files')
  })

  t.test('a link expires after a minute', async t => {
    t.ok(Number(report.searchParams.get('expires')) <= Date.now() + 60_000)
    const expired = await linksOf(await start({ LINK_SECONDS: '0' }).listening())
    t.equal(await statusOf(`${expired.get('report.txt')}`), 403)
  })

  t.test('a link is valid only at the server that created it', async t => {
    t.equal(await statusOf((await start().listening()) + report.pathname + report.search), 403)
  })

  t.test('a file is not available at its path, and no link is logged', async t => {
    t.equal(await statusOf(`${url}/report.txt`, await tokenOf(url)), 404)
    t.equal(await statusOf(`${url}/report.txt`), 401)
    await until(() => server.output.includes('/report.txt'))
    for (const { searchParams } of links.values()) t.notMatch(server.output, searchParams.get('signature') as string)
  })
})

t.test('zod-screens', async t => {
  const url = await startRecipe(t, 'zod-screens.js')
  const profile = `${url}/screen/profile`
  const token = await tokenOf(url)
  const save = (changes: unknown) => post(profile, { screen_id: null, record_id: null, changes, lines: [] }, token)

  t.test('the login, the menu and the guard still follow the contract', async t => {
    const refused = await post(`${url}/auth/login`, { fields: { username: ['ada'] } })
    t.equal(refused.status, 400)
    t.match(await refused.json(), { success: false, token: null, error: String, screen: null })
    t.match(await jsonOf(`${url}/auth/login`), { layout: 'Card', auth_action: '/auth/login' })
    t.match(await jsonOf(`${url}/menu/main`, token), { layout: 'Menu', user_display_name: 'Ada Lovelace' })
    t.equal(await statusOf(profile), 401)
  })

  t.test('a screen has the name of the user, and known clients can draw it', async t => {
    const screen = await jsonOf(profile, token)
    t.match(screen, { title: 'Profile', user_display_name: 'Ada Lovelace', actions: { save: '/screen/profile' } })
    t.equal(faultsOf(screen), '')
  })

  t.test('valid changes are saved, and an invalid value shows the Card again with an error', async t => {
    for (const [changes, status, email] of [
      [{ email: 'ada' }, 'Error: This is no email address.', 'ada@example.com'],
      [{ phone: 'x', email: 'new@example.com' }, 'Error: A phone number has digits only.', 'ada@example.com'],
      [{ email: 'new@example.com', unknown: 'x' }, 'Saved.', 'new@example.com'],
      [{}, 'Saved.', 'new@example.com']
    ] as const) {
      const screen = (await (await save(changes)).json()) as Json
      t.match(screen, { status, user_display_name: 'Ada Lovelace', sections: [{ fields: [{ value: email }, {}] }] })
      t.equal(faultsOf(screen), '')
    }
  })

  t.test('a body that no client sends returns 400', async t => {
    for (const changes of [undefined, null, [], 'x', { email: null }, { email: ['x'] }, { other: 5 }])
      t.equal((await save(changes)).status, 400, JSON.stringify(changes))
    for (const body of [null, [], 'x']) t.equal((await post(profile, body, token)).status, 400)
  })
})

t.test('zod-screens: an invalid screen is not sent', async t => {
  const code = readFileSync(new URL('../../../docs/recipes/zod-screens.js', import.meta.url), 'utf8')
  const url = await startCode(t, code.replace("layout: 'Card', title: 'Profile',", "layout: 'Card',")).listening()
  t.equal(await statusOf(`${url}/screen/profile`, await tokenOf(url)), 500)
})

t.test('cookies-to-bearer', async t => {
  const COOKIE_SECRET = 'the secret that signs the cookies'
  const ORIGIN = 'https://screens.example.com'
  const start = (env = {}) => startRecipe(t, 'cookies-to-bearer.js', { COOKIE_SECRET, ORIGIN, ...env })
  const url = await start()
  const withCookie = (value: string) => ({ cookie: `session=${encodeURIComponent(value)}` })
  const signedIn = withCookie(sign('d2f1c6a0', COOKIE_SECRET))
  const exchange = (headers: Record<string, string>, at = url) =>
    request(`${at}/session/token`, null, { method: 'POST', headers: { origin: ORIGIN, ...headers } })
  const statusWith = async (path: string, headers: Record<string, string>) =>
    (await request(url + path, null, { headers })).status

  t.test('a cookie opens old pages and nothing else', async t => {
    t.equal(await statusWith('/old/orders', signedIn), 200)
    for (const path of ['/screen/orders', '/menu/main', '/old/unknown', '/unknown'])
      t.equal(await statusWith(path, signedIn), 401, path)
  })

  t.test('a cookie without a valid signature and session opens nothing', async t => {
    for (const value of ['', 'd2f1c6a0', 'd2f1c6a0.', sign('d2f1c6a0', 'another'), sign('unknown', COOKIE_SECRET), '%'])
      for (const response of [
        await request(`${url}/old/orders`, null, { headers: withCookie(value) }),
        await exchange(withCookie(value))
      ])
        t.equal(response.status, 401, value)
  })

  t.test('a token opens no old page', async t => {
    t.equal(await statusOf(`${url}/old/orders`, await tokenOf(url)), 401)
  })

  t.test('a request from another site gets no token and does not end the session', async t => {
    for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`, 'http://screens.example.com', ''])
      t.equal((await exchange({ ...signedIn, origin })).status, 403, origin)
    t.equal(await statusWith('/session/token', { ...signedIn, origin: ORIGIN }), 401, 'a GET request gets no token')
    t.equal(await statusWith('/old/orders', signedIn), 200)
  })

  t.test('a session is exchanged for a token once, and the cookie is cleared', async t => {
    const responses = await Promise.all([1, 2, 3].map(() => exchange(signedIn)))
    const [accepted, ...others] = responses.sort((one, other) => one.status - other.status) as [Response, ...Response[]]
    t.equal(accepted.status, 200)
    t.equal(accepted.headers.get('cache-control'), 'no-store')
    t.match(accepted.headers.get('set-cookie'), /^session=; .*Path=\/.*Expires=Thu, 01 Jan 1970/)
    const { token, ...rest }: Json = await accepted.json()
    t.match(rest, { success: true, error: null, screen: { layout: 'Menu', user_display_name: 'Ada Lovelace' } })
    t.equal((await jsonOf(`${url}/screen/orders`, token)).title, 'Orders of ada')
    for (const other of others) {
      t.equal(other.status, 401)
      t.match(await other.json(), { success: false, token: null, error: 'Please log in.', screen: null })
    }
    t.equal(await statusWith('/old/orders', signedIn), 401)
  })

  t.test('the server does not start without COOKIE_SECRET', async t => {
    await t.rejects(start({ COOKIE_SECRET: '' }), /Set COOKIE_SECRET/)
  })
})

/** Runs the tests of a file as a reader would. Returns the numbers of passed and failed tests. */
async function runTests(t: Test, file: string) {
  const program = new Program(t, [process.execPath, '--test', '--test-reporter=tap', file])
  const status = await program.end()
  const count = (result: string) => Number(new RegExp(`^# ${result} (\\d+)$`, 'm').exec(program.output)?.[1])
  return { status, passed: count('pass'), failed: count('fail') }
}

const TESTING = fileURLToPath(new URL('../../../docs/recipes/testing.js', import.meta.url))

t.test('testing: the tests of the recipe pass', async t => {
  t.strictSame(await runTests(t, TESTING), { status: 0, passed: 4, failed: 0 })
})

for (const [name, [from, to]] of Object.entries({
  'the route is public': ["profile', {", "profile', { config: { screenAuth: false },"],
  'the route is missing': ["profile', {", "profil', {"],
  'the screen has another schema': [', { schema: { response: { 200: ScreenContract } } },', ','],
  'any password is accepted': ["password === 'correct horse'", "password !== ''"],
  'no password is accepted': ["password === 'correct horse'", 'false']
} as const))
  t.test(`testing: some tests of the recipe fail if ${name}`, async t => {
    const broken = readFileSync(TESTING, 'utf8').replace(from, to)
    const { status, passed, failed } = await runTests(t, join(t.testdir({ 'broken.js': broken }), 'broken.js'))
    t.equal(status, 1)
    t.equal(passed + failed, 4)
    t.ok(passed > 0 && failed > 0)
  })
