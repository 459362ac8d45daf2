// The spans of logins: tracing.js.
import t, { type Test } from 'tap'
import { logIn, preload, recipe, request, statusOf } from '../program.ts'

/** Matches a span in the output of the exporter; `parent` is the id of another span. */
const SPAN =
  /traceId: '(?<trace>\w+)',\s+parentSpanContext: (?:undefined|{.*?spanId: '(?<parent>\w+)'.*?}),.*?name: '(?<name>.*?)',\s+id: '(?<id>\w+)'.*?attributes: (?<attributes>{.*?}),\s+status: {(?<status>.*?)}/gs

/** Runs the recipe while a test sends requests. Returns its spans and its output. */
async function trace(t: Test, work: (url: string) => Promise<unknown>, env = {}) {
  const server = recipe(t, 'tracing.js', env)
  await work(await server.listening())
  t.equal(await server.stop(), 0)
  const spans = [...server.output.matchAll(SPAN)].map(({ groups }) => ({ ...groups }) as Record<string, string>)
  return { spans, output: server.output }
}

t.test('tracing: each of several parallel logins has its own trace', async t => {
  const { spans } = await trace(t, url =>
    Promise.all(Array.from({ length: 20 }, (_, index) => logIn(url, index % 2 ? { username: `unknown ${index}` } : {})))
  )
  const logins = spans.filter(({ parent }) => parent === undefined)
  t.equal(new Set(spans.map(({ trace }) => trace)).size, 20)
  t.equal(spans.length, 40)
  for (const outcome of ['accepted', 'rejected'])
    t.equal(logins.filter(({ attributes }) => attributes?.includes(`'login.outcome': '${outcome}'`)).length, 10)
  for (const { trace, id, name, attributes } of logins) {
    t.equal(name, 'POST /auth/login')
    const found = `'user.found': ${attributes?.includes("'accepted'")}`
    t.match(
      spans.filter(({ parent }) => parent === id),
      [{ name: 'find user', trace, attributes: found }]
    )
  }
})

t.test('tracing: a refused request has a span, and no span contains a URL or a password', async t => {
  const { spans, output } = await trace(t, async url => {
    await statusOf(`${url}/menu/main`)
    await statusOf(`${url}/invented?secret=1`, null)
    await logIn(url, { password: 'hidden password' })
    await request(`${url}/auth/login`, null, { method: 'POST', body: 'no JSON' })
  })
  t.match(spans, [
    { name: 'GET /menu/main', attributes: "'http.response.status_code': 401" },
    { name: 'GET unknown' },
    { name: 'find user' },
    { name: 'POST /auth/login' },
    { name: 'POST /auth/login', attributes: "'login.outcome': 'malformed'" }
  ])
  t.notMatch(JSON.stringify(spans), /invented|secret/)
  t.notMatch(output, 'hidden password')
})

t.test('tracing: a span contains the type of an error of the user store, but not its message', async t => {
  const NODE_OPTIONS = preload(`const { get } = Map.prototype
    Map.prototype.get = function (key) {
      if (key === 'broken') throw new TypeError('no query for ' + key)
      return get.call(this, key)
    }`)
  const { spans } = await trace(t, url => logIn(url, { username: 'broken' }), { NODE_OPTIONS })
  t.match(spans, [
    { name: 'find user', status: 'code: 2', attributes: "'error.type': 'TypeError'" },
    { name: 'POST /auth/login', status: 'code: 2', attributes: "'login.outcome': 'failed'" }
  ])
  t.notMatch(JSON.stringify(spans), 'no query')
})
