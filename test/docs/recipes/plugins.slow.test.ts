// The login together with other plugins: plugins-in-order.js and autoload.
import t from 'tap'
import { until } from '../../helpers.ts'
import { jsonOf, logIn, request, startRecipe, statusOf, tokenOf } from '../program.ts'

const ORIGIN = 'https://app.example.com'

const url = await startRecipe(t, 'plugins-in-order.js')
const allowedOrigin = ({ headers }: Response) => headers.get('access-control-allow-origin')

t.test('helmet: a 401 has the headers of helmet', async t => {
  for (const path of ['/screen/profile', '/unknown', '/auth/login', '/documentation']) {
    const { headers } = await request(url + path)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.match(headers.get('content-security-policy'), "default-src 'self'")
  }
})

t.test('cors: a preflight request gets the CORS headers without a token', async t => {
  const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' }
  const headers = { origin: ORIGIN, ...asked }
  const response = await request(`${url}/screen/profile`, null, { method: 'OPTIONS', headers })
  t.equal(response.status, 204)
  t.equal(allowedOrigin(response), ORIGIN)
  t.equal(response.headers.get('access-control-allow-headers'), 'authorization')
})

t.test('cors: the allowed origin can read a 401, and another origin cannot', async t => {
  const from = (origin: string) => request(`${url}/screen/profile`, null, { headers: { origin } })
  const refused = await from(ORIGIN)
  t.equal(refused.status, 401)
  t.equal(allowedOrigin(refused), ORIGIN)
  t.equal(refused.headers.get('access-control-expose-headers'), 'Retry-After')
  t.equal(allowedOrigin(await from('https://evil.example')), null)
})

t.test('swagger: the document has the routes of the plugin and of the host', async t => {
  const { paths } = await jsonOf(`${url}/documentation/json`)
  t.strictSame(Object.keys(paths).sort(), ['/auth/login', '/menu/main', '/screen/profile'])
})

t.test('swagger-ui: its pages are public, and all other routes need a token', async t => {
  const page = await request(`${url}/documentation`)
  t.equal(page.status, 200)
  const parts = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part as string)
  t.ok(parts.length > 5)
  for (const part of parts) t.equal(await statusOf(new URL(part, page.url).href), 200, part)
  for (const path of ['/screen/profile', '/menu/main', '/documentation-of-others', '/healthz/other'])
    t.equal(await statusOf(url + path), 401, path)
  t.equal(await statusOf(`${url}/screen/profile`, await tokenOf(url)), 200)
})

t.test('under-pressure: the health check needs no token', async t => {
  // A machine that stalls for a second is under pressure, too.
  await until(async () => (await statusOf(`${url}/healthz`)) === 200)
  t.strictSame(await jsonOf(`${url}/healthz`), { status: 'ok' })
})

t.test('under-pressure: every response under pressure is a 503, so that clients keep their token', async t => {
  const url = await startRecipe(t, 'plugins-in-order.js', { MAX_RSS_BYTES: '1' })
  // The plugin first checks the memory after a second, so this login succeeds.
  const token = await tokenOf(url)
  await until(async () => (await statusOf(`${url}/healthz`)) === 503)
  for (const sent of [null, token, 'garbage']) {
    for (const path of ['/healthz', '/menu/main', '/unknown']) {
      const { status, headers } = await request(url + path, sent)
      t.equal(status, 503)
      t.equal(headers.get('retry-after'), '10')
    }
  }
  t.match(await (await logIn(url)).json(), { success: false, token: null, error: String, screen: null })
})

t.test('rate-limit: requests without a token count, and a login above the limit gets an AuthResponse', async t => {
  const url = await startRecipe(t, 'plugins-in-order.js')
  for (let count = 0; count < 100; count++)
    t.equal(await statusOf(`${url}${count % 2 === 0 ? '/menu/main' : '/unknown'}`), 401)
  const login = await logIn(url)
  t.equal(login.status, 429)
  t.match(login.headers.get('retry-after'), /^\d+$/)
  const error = 'The login request was refused.'
  t.strictSame(await login.json(), { success: false, token: null, error, screen: null })
})

t.test('autoload: a loaded route needs a token, and a 401 has the headers of helmet', async t => {
  const url = await startRecipe(t, 'autoload/app.js')
  const refused = await request(`${url}/screen/profile`)
  t.equal(refused.status, 401)
  t.equal(refused.headers.get('x-frame-options'), 'SAMEORIGIN')
  t.match(await jsonOf(`${url}/screen/profile`, await tokenOf(url)), { title: 'Ada Lovelace' })
})

t.test('autoload: the prefix of the loaded routes does not apply to the login routes', async t => {
  const url = await startRecipe(t, 'autoload/app.js')
  const token = await tokenOf(url)
  t.equal(await statusOf(`${url}/menu/main`, token), 200)
  for (const path of ['/screen/menu/main', '/screen/auth/login', '/profile'])
    t.equal(await statusOf(url + path, token), 404, path)
})
