// Routes beside the screens, and tests of routes: problem-json.js, download.js and testing.js.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { MenuScreen, OpenAction } from '../../../schemas/screens.ts'
import type { Json } from '../../examples/process.ts'
import { until } from '../../helpers.ts'
import { jsonOf, Program, post, preload, recipe, request, startRecipe, statusOf, tokenOf } from '../program.ts'

/** Whether a response is a problem with this status, and nothing that is not for clients. */
async function isProblem(t: Test, response: Response, problem: { title: unknown; status: number }) {
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

  t.test('an order that is right is no problem', async t => {
    const created = await post(orders, { item: 'tea' }, token)
    t.equal(created.status, 201)
    const { id }: Json = await created.json()
    t.strictSame(await jsonOf(`${orders}/${id}`, token), { id, item: 'tea' })
  })

  t.test('the errors of the API are problems', async t => {
    for (const [status, response] of [
      [400, await post(orders, {}, token)],
      [400, await send(orders, 'application/json', '{"item":')],
      [404, await request(`${url}/api/unknown`, token)],
      [404, await request(`${url}/api`, token)],
      [404, await request(`${orders}/unknown`, token)],
      [413, await post(orders, { item: 'x'.repeat(2 ** 20) }, token)],
      [415, await send(orders, 'text/csv', 'tea')]
    ] as const)
      await isProblem(t, response, { title: String, status })
  })

  t.test('a 401 of the guard is a problem below /api, with its challenge', async t => {
    for (const response of [await post(orders, {}), await request(`${url}/api/unknown`), await request(`${url}/api`)]) {
      t.equal(response.headers.get('www-authenticate'), 'Bearer realm="screen"')
      await isProblem(t, response, { title: 'Unauthorized', status: 401 })
    }
  })

  t.test('the login and the screens stay as the contract says', async t => {
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

t.test('problem-json: a fault is a problem without details', async t => {
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

  /** The link to each file, as the screen shows them. */
  async function linksOf(url: string): Promise<Map<string, URL>> {
    const { menu } = (await jsonOf(`${url}/screen/files`, await tokenOf(url))) as MenuScreen
    const items = menu.tabs.flatMap(({ items }) => items)
    return new Map(items.map(({ label, action }) => [label, new URL((action as OpenAction).url, url)]))
  }

  t.test('the links are on a screen behind the login, one for each file', async t => {
    t.equal(await statusOf(`${url}/screen/files`), 401)
    t.same([...links.keys()].sort(), names)
  })

  t.test('a link serves its file without a token', async t => {
    for (const [name, link] of links) {
      const response = await request(link.href)
      t.equal(response.status, 200)
      t.equal(await response.text(), files[name])
      t.match(response.headers.get('content-disposition'), /^attachment/)
      t.equal(response.headers.get('cache-control'), 'private, no-store')
      t.equal(response.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  t.test('a link is good for its file and its time only, and what is no link is a 400', async t => {
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

  t.test('a link expires, after a minute', async t => {
    t.ok(Number(report.searchParams.get('expires')) <= Date.now() + 60_000)
    const expired = await linksOf(await start({ LINK_SECONDS: '0' }).listening())
    t.equal(await statusOf(`${expired.get('report.txt')}`), 403)
  })

  t.test('a link is good at the server that has made it', async t => {
    t.equal(await statusOf((await start().listening()) + report.pathname + report.search), 403)
  })

  t.test('no file is served by its path, and no link is logged', async t => {
    t.equal(await statusOf(`${url}/report.txt`, await tokenOf(url)), 404)
    t.equal(await statusOf(`${url}/report.txt`), 401)
    await until(() => server.output.includes('/report.txt'))
    for (const { searchParams } of links.values()) t.notMatch(server.output, searchParams.get('signature') as string)
  })
})

/** Runs the tests of a file as its reader would, and returns how many have passed and failed. */
async function runTests(t: Test, file: string) {
  const program = new Program(t, [process.execPath, '--test', '--test-reporter=tap', file])
  const status = await program.end()
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(program.output)?.[1])
  return { status, passed: count('pass'), failed: count('fail') }
}

const TESTING = fileURLToPath(new URL('../../../docs/recipes/testing.js', import.meta.url))

t.test('testing: the tests pass', async t => {
  t.strictSame(await runTests(t, TESTING), { status: 0, passed: 4, failed: 0 })
})

for (const [name, [from, to]] of Object.entries({
  'the route is public': ["profile', {", "profile', { config: { screenAuth: false },"],
  'the route is away': ["profile', {", "profil', {"],
  'the screen has another schema': [', { schema: { response: { 200: ScreenContract } } },', ','],
  'any password is right': ["password === 'correct horse'", "password !== ''"],
  'no password is right': ["password === 'correct horse'", 'false']
} as const))
  t.test(`testing: some of the tests fail when ${name}`, async t => {
    const broken = readFileSync(TESTING, 'utf8').replace(from, to)
    const { status, passed, failed } = await runTests(t, join(t.testdir({ 'broken.js': broken }), 'broken.js'))
    t.equal(status, 1)
    t.equal(passed + failed, 4)
    t.ok(passed > 0 && failed > 0)
  })
