// Servers that limit requests, stop responding, or send unusual responses.
import t from 'tap'
import type { CheckServerOptions } from '../../index.ts'
import { serverCases } from '../../server/cases/index.ts'
import { check, failed, skipped } from './check.ts'
import { beforeGuard, body, type Change, conforming, type Parts, response, sign, USERNAME } from './minimal-server.ts'

const busy = (after?: string) => ({ status: 429, ...(after !== undefined && { headers: { 'retry-after': after } }) })

/** Cases with an accepted login and several rejected logins, all on one route. */
const LOGINS = ['token-admits', 'wrong-password', 'unknown-user', 'padded-password', 'guessed-password']

t.test('the kit makes a pause that the server demands, and sends the login again', async t => {
  const headers = { 'retry-after': '0' }
  for (const first of [() => busy('0'), (parts: Parts) => ({ ...parts.reject({}), headers })]) {
    let logins = 0
    const pauses: number[] = []
    const change = (parts: Parts): Partial<Parts> => ({
      accept: (...given) => (logins++ === 0 ? first(parts) : parts.accept(...given))
    })
    const report = await check(t, change, { only: LOGINS, onPause: seconds => pauses.push(seconds) })
    t.equal(report.conforms, true)
    t.strictSame(skipped(report), [])
    t.strictSame(pauses, [0])
  }
})

t.test('if a pause is too long or does not help, the route gets no further request', async t => {
  for (const [after, said, requests] of [
    [new Date(Date.now() + 95_000_000).toUTCString(), /for 9[45]\d{3} s more/, 4],
    [undefined, 'and does not say for how long', 4],
    // One more login: the route still limits requests after the pause.
    ['0', 'for 0 s more', 5]
  ] as const) {
    let logins = 0
    let rejections = 0
    const change = (parts: Parts): Partial<Parts> => ({
      readFields(request) {
        logins++
        return parts.readFields(request)
      },
      reject: fields => (rejections++ === 0 ? parts.reject(fields) : busy(after))
    })
    const report = await check(t, change, { only: LOGINS })
    t.equal(report.conforms, true)
    t.match(skipped(report).find(({ id }) => id === 'unknown-user')?.note, said)
    t.match(report.hints.join(), /limits requests/)
    t.equal(logins, requests)
  }
})

t.test('a server does not conform if too many cases cannot be checked', async t => {
  const never = await check(t, { reject: () => busy('900') }, { only: LOGINS })
  t.match(never, { conforms: false, obstacle: /limits requests/, counts: { failed: 0 } })
  const only = ['menu-without-token', 'connection-after-token', 'form-is-public']
  const guarded = await check(t, { missing: () => busy('900') }, { only })
  t.match(guarded, { conforms: false, obstacle: /limits requests/ })
  t.equal(skipped(guarded).length, 2)
})

t.test('a server that no longer responds gets only a few further requests, and does not conform', async t => {
  let requests = 0
  const raw: Parts['raw'] = (_, __, response) =>
    requests++ === 0 ? response.writeHead(404).end().writableEnded : response.destroy().destroyed
  const report = await check(t, { raw })
  t.ok(requests < 10)
  t.match(report, { conforms: false, obstacle: 'it no longer responds' })
  t.match(skipped(report).at(-1)?.note, 'the server no longer responds')
})

t.test('after the time limit of the run, the other cases are skipped, and the report gives no verdict', async t => {
  const { now } = performance
  t.teardown(() => Object.assign(performance, { now }))
  const onResult = () => Object.assign(performance, { now: () => now.call(performance) + 1e9 })
  const report = await check(t, {}, { limit: 600, only: ['menu-without-token', 'form-is-public'], onResult })
  t.match(report, { conforms: false, obstacle: 'the run reached its limit of 600 s before all cases were judged' })
  t.match(skipped(report), [{ id: 'form-is-public', note: 'the run reached its time limit' }])
})

t.test('the kit judges all cases of a server that closes the connection of some requests', async t => {
  const raw: Parts['raw'] = ({ headers }, _, response) =>
    /^(?!Bearer )/.test(headers.authorization ?? 'Bearer ') && response.destroy().destroyed
  const report = await check(t, { raw })
  t.match(report, { conforms: false, obstacle: undefined })
  t.match(
    failed(report).map(({ id }) => id),
    ['form-with-stale-token', 'form-with-valid-token', 'token-with-other-scheme', 'token-as-last-word', 'empty-token']
  )
  t.strictSame(skipped(report), [])
})

t.test('a server that hangs on a connection fails the case', async t => {
  const raw: Parts['raw'] = ({ path, headers }) => path === '/menu/main' && !headers.authorization
  const report = await check(t, { raw }, { only: ['connection-after-token', 'token-admits'], timeout: 1 })
  t.match(failed(report), [{ id: 'connection-after-token', failures: [{ came: 'no response within 1 s' }] }])
})

t.test(
  'a wrong login that is accepted is a failure, but a rejection shows nothing if the server limits logins',
  async t => {
    let wrong = 0
    const change = ({ checks }: Parts): Partial<Parts> => ({
      checks: (name, password) => {
        if (checks(name, password)) return wrong < 2
        return wrong++ === 1
      },
      reject: () => ({ status: 403 })
    })
    const { results } = await check(t, change, { only: ['wrong-password', 'guessed-password', 'password-query'] })
    t.match(results.slice(-2), [
      { id: 'guessed-password', status: 'failed' },
      { id: 'password-query', status: 'skipped', reason: 'limited' }
    ])
    const tokenless = await check(t, body('accept')({ token: undefined }), { only: ['guessed-password'] })
    t.match(tokenless.counts, { ok: 1 }, 'a login without a token is no lock')
    const reject = () => ({ ...conforming('opaque').reject({}), status: 429 })
    const limited = await check(t, { reject }, { only: ['guessed-password', 'token-admits'] })
    t.match(skipped(limited), [{ id: 'guessed-password', reason: 'limited', note: 'the server limits logins' }])
  }
)

t.test('a case is not judged, but named, if the user is locked', async t => {
  let row = 0
  const { conforms, notJudged } = await check(t, parts => ({
    checks(...credentials) {
      row = parts.checks(...credentials) && row < 2 ? 0 : row + 1
      return row === 0
    }
  }))
  t.equal(conforms, true)
  t.match(notJudged.find(({ what }) => what === 'guessed-password')?.why, /limits requests: it rejected a login/)
})

t.test('a server that reads the credentials without the map of fields is judged', async t => {
  const readFields: Parts['readFields'] = ({ body }) => (body.startsWith('{"username') ? JSON.parse(body) : {})
  const { results } = await check(t, { readFields }, { only: ['login-success', 'every-login-admits'] })
  t.match(results, [{ status: 'failed' }, { status: 'skipped', note: /it needs a token/ }])
})

t.test('the check rejects if no login is possible now', async t => {
  const message = /no login is possible: the server limits requests for 900 s more/
  await t.rejects(check(t, { accept: () => busy('900') }), { name: 'CannotRunError', message })
})

t.test('requests that HTTP cannot carry are omitted', async t => {
  const only = ['login-token-fits-header', 'token-admits', 'known-etag', 'connection-after-token', 'wrong-password']
  const report = await check(t, { issue: () => '漢字' }, { only })
  t.match(failed(report), [{ id: 'login-token-fits-header' }])
  t.match(skipped(report), [{ id: 'token-admits' }, { id: 'connection-after-token' }, { id: 'known-etag' }])
})

t.test('a token that expires soon is replaced by the token of a new login', async t => {
  const issued: string[] = []
  const change: Partial<Parts> = {
    issue() {
      issued.push(sign({ sub: USERNAME, iat: 1, exp: 1, login: issued.length }))
      return issued.at(-1) as string
    },
    isValid: token => token === issued.at(-1)
  }
  const only = ['token-admits', 'token-admits-again', 'unknown-with-token', 'changed-token']
  t.strictSame(failed(await check(t, change, { only })), [])
  t.ok(issued.length > 3)
})

t.test('a request is shown as a curl command, also with chunks, with bytes, or in absolute form', async t => {
  const change = (parts: Parts): Partial<Parts> => ({
    ...response('accept')(one => ({ ...one, status: 500 }))(parts),
    missing: ({ method, path }) => ({ status: method === 'POST' || /^http:|^.menu.main$/.test(path) ? 200 : 401 })
  })
  const only = ['login-chunked', 'broken-body', 'menu-odd-spellings', 'connection-after-token']
  const { results } = await check(t, change, { only })
  const sent = results.flatMap(({ failures = [] }) => failures.map(one => one.sent)).join('\n')
  t.match(sent, "-H 'Transfer-Encoding: chunked' --data-raw")
  t.match(sent, /--data-binary @<\(echo eyJ.*\| base64 -d\)/)
  t.match(sent, /--request-target 'http:/)
  t.match(sent, /<token>' --next -i --path-as-is/)
})

/** For each OBSERVED case, a server, and the note that the report must show. */
const OBSERVED: Record<string, [Change, note: string, CheckServerOptions?]> = {
  'form-app-name': [body('form')({ title: undefined }), 'missing'],
  'form-head': [
    { raw: ({ method }, _, response) => method === 'HEAD' && response.destroy().destroyed },
    'socket hang up'
  ],
  'login-token-format': [{ issue: username => sign({ sub: username }) }, `["HS256",{"sub":"${USERNAME}"}]`],
  'body-of-401': [{}, '17 characters of application/json'],
  'health-routes': [beforeGuard(({ path }) => path === '/ready' && { status: 200 }), '/ready'],
  'cors-preflight': [beforeGuard(({ method }) => method === 'OPTIONS' && { status: 204 }), '204'],
  'rejection-status': [{}, '422'],
  'login-after-mistakes': [{ checks: () => false }, 'no'],
  'open-login-status': [{}, '422 (POST /auth/login)', { noAuth: true, username: undefined, password: undefined }]
}

for (const { id } of serverCases.filter(({ level }) => level === 'OBSERVED'))
  t.test(`the report shows what the contract leaves open: ${id}`, async t => {
    const [change, note, options] = OBSERVED[id] ?? []
    if (change === undefined) return t.fail(`add a server that shows ${id} to test/server/responses.test.ts`)
    const { results } = await check(t, change, { ...options, only: [id] })
    t.match(results.find(one => one.id === id)?.note, note)
  })
