import t from 'tap'
import { bearer } from '../../helpers.ts'
import { failingFor, startRecipe, tokenOf } from '../program.ts'

const PROBLEM = /^application\/problem\+json/
const json = { 'content-type': 'application/json' }

/** Posts an order, by default a right one. */
const order = (url: string, headers: Record<string, string>, body = '{"item":"tea"}') =>
  fetch(`${url}/api/orders`, { method: 'POST', headers: { ...json, ...headers }, body })

t.test('errors of the API are problems, whoever finds them', async t => {
  const url = await startRecipe(t, 'problem-json.js')
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  const created = await order(url, headers)
  t.equal(created.status, 201)
  const { id } = (await created.json()) as { id: string }
  t.strictSame(await (await fetch(`${url}/api/orders/${id}`, { headers })).json(), { id, item: 'tea' })

  const responses = {
    400: [await order(url, headers, '{}'), await order(url, headers, '{"item":')],
    404: [
      await fetch(`${url}/api/unknown`, { headers }),
      await fetch(`${url}/api`, { headers }),
      await fetch(`${url}/api/orders/unknown`, { headers })
    ],
    415: [await order(url, { ...headers, 'content-type': 'text/csv' })],
    413: [await order(url, headers, JSON.stringify({ item: 'x'.repeat(2 ** 20) }))]
  }
  for (const [status, found] of Object.entries(responses)) {
    for (const response of found) {
      t.equal(response.status, Number(status))
      t.match(response.headers.get('content-type'), PROBLEM)
      t.match(await response.json(), { title: String, status: Number(status) })
    }
  }
})

t.test('a fault is a problem without details', async t => {
  const url = await startRecipe(t, 'problem-json.js', failingFor('42'))
  const headers = bearer(await tokenOf(url, 'ada', 'correct horse'))
  const response = await fetch(`${url}/api/orders/42`, { headers })
  t.equal(response.status, 500)
  t.match(response.headers.get('content-type'), PROBLEM)
  t.strictSame(await response.json(), { title: 'Internal Server Error', status: 500 })
})

t.test('a 401 of the guard is a problem below /api, with its challenge', async t => {
  const url = await startRecipe(t, 'problem-json.js')
  for (const response of [
    await order(url, {}),
    await fetch(`${url}/api/unknown`),
    await fetch(`${url}/api`)
  ]) {
    t.equal(response.status, 401)
    t.equal(response.headers.get('www-authenticate'), 'Bearer realm="screen"')
    t.match(response.headers.get('content-type'), PROBLEM)
    t.strictSame(await response.json(), { title: 'Unauthorized', status: 401 })
  }
})

t.test('the login and the screens stay as the contract says', async t => {
  const url = await startRecipe(t, 'problem-json.js')
  for (const path of ['/menu/main', '/unknown', '/apiary']) {
    const refused = await fetch(url + path)
    t.equal(refused.status, 401)
    t.equal(await refused.text(), '')
  }
  const malformed = await fetch(`${url}/auth/login`, { method: 'POST', headers: json, body: '{' })
  t.equal(malformed.status, 400)
  t.match(malformed.headers.get('content-type'), /^application\/json/)
  t.match(await malformed.json(), { success: false, token: null, error: String, screen: null })

  const headers = { ...json, ...bearer(await tokenOf(url, 'ada', 'correct horse')) }
  for (const [body, status] of [
    ['{}', 404],
    ['{', 400]
  ] as const) {
    const other = await fetch(`${url}/screen/unknown`, { method: 'POST', headers, body })
    t.equal(other.status, status)
    t.match(other.headers.get('content-type'), /^application\/json/)
  }
})
