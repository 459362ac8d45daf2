import t from 'tap'
import { bearer } from '../../helpers.ts'
import { startRecipe, tokenOf } from '../program.ts'

const ORIGIN = 'https://app.example.com'

t.test('helmet: a 401 has its headers', async t => {
  const url = await startRecipe(t, 'plugins-in-order.js')
  for (const path of ['/screen/profile', '/unknown', '/auth/login', '/documentation']) {
    const { headers } = await fetch(url + path)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.match(headers.get('content-security-policy'), "default-src 'self'")
  }
})

t.test('cors: a preflight gets what the browser needs, without a token', async t => {
  const url = await startRecipe(t, 'plugins-in-order.js')
  const preflight = (origin: string) =>
    fetch(`${url}/screen/profile`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization'
      }
    })
  const { status, headers } = await preflight(ORIGIN)
  t.equal(status, 204)
  t.equal(headers.get('access-control-allow-origin'), ORIGIN)
  t.equal(headers.get('access-control-allow-headers'), 'authorization')
  t.equal((await preflight('https://evil.example')).headers.get('access-control-allow-origin'), null)
})

t.test('cors: the client may see a 401, and another origin may not', async t => {
  const url = await startRecipe(t, 'plugins-in-order.js')
  const refused = await fetch(`${url}/screen/profile`, { headers: { origin: ORIGIN } })
  t.equal(refused.status, 401)
  t.equal(refused.headers.get('access-control-allow-origin'), ORIGIN)
  t.equal(refused.headers.get('access-control-expose-headers'), 'Retry-After')
  const other = await fetch(`${url}/screen/profile`, { headers: { origin: 'https://evil.example' } })
  t.equal(other.headers.get('access-control-allow-origin'), null)
})

t.test('swagger: the document has the three routes and those of the host', async t => {
  const url = await startRecipe(t, 'plugins-in-order.js')
  const document = (await (await fetch(`${url}/documentation/json`)).json()) as { paths: object }
  t.strictSame(Object.keys(document.paths).sort(), ['/auth/login', '/menu/main', '/screen/profile'])
})

t.test('swagger-ui: its pages are public, and nothing else is', async t => {
  const url = await startRecipe(t, 'plugins-in-order.js')
  const page = await fetch(`${url}/documentation`)
  t.equal(page.status, 200)
  const parts = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part as string)
  t.ok(parts.length > 5)
  for (const part of parts) t.equal((await fetch(new URL(part, page.url))).status, 200, part)

  for (const path of ['/screen/profile', '/menu/main', '/documentation-of-others']) {
    t.equal((await fetch(url + path)).status, 401)
  }
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  t.equal((await fetch(`${url}/screen/profile`, { headers })).status, 200)
})
