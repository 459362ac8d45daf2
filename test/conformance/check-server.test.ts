// The kit in the face of servers that limit, hang, die, and of people who give it the wrong things.
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import t, { type Test } from 'tap'
import { type CheckServerOptions, checkServer, type Report } from '../../conformance/index.ts'
import { conforming, json, listen, PASSWORD, type Parts, SECRET, USERNAME } from './bare-server.ts'

const credentials = { username: USERNAME, password: PASSWORD }

/** Checks an opaque-token server of which some parts are otherwise. */
async function check(
  t: Test,
  change: (parts: Parts) => Partial<Parts>,
  options: CheckServerOptions = {}
): Promise<Report> {
  const parts = conforming('opaque')
  return checkServer(await listen(t, 'opaque', { ...parts, ...change(parts) }), {
    ...credentials,
    ...options
  })
}

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const skipped = ({ results }: Report) => results.filter(({ status }) => status === 'skipped')
const failed = ({ results }: Report) => results.filter(({ status }) => status === 'failed')
const busy = (after?: string) => ({
  status: 429,
  ...(after !== undefined && { headers: { 'retry-after': after } })
})

t.test('a report says what was judged, how it ended, and what the server does where it is free', async t => {
  const told: [string, number][] = []
  const report = await check(t, () => ({}), { onResult: ({ id }, total) => told.push([id, total]) })
  t.match(report, { side: 'server', target: /^http:/, version: /^\d/, conforms: true, hints: [] })
  t.type(report.duration, 'number')
  t.equal(report.counts.ok + report.counts.warning, report.results.length)
  t.strictSame(
    told.map(([id]) => id),
    report.results.map(({ id }) => id)
  )
  t.match(
    report.results.find(({ id }) => id === 'rejection-status'),
    { level: 'OBSERVED', status: 'ok', note: '422' }
  )
  t.match(
    report.results.find(({ id }) => id === 'menu-is-login-screen'),
    { note: 'yes' }
  )
  t.match(
    report.results.find(({ id }) => id === 'challenge'),
    { level: 'SHOULD', status: 'warning' }
  )
})

t.test('a failure says what was sent, what was expected and what came', async t => {
  const report = await check(t, () => ({ missing: () => json(403, { who: 'are you' }) }))
  const [failure] = report.results.find(({ id }) => id === 'menu-without-token')?.failures ?? []
  t.match(failure, {
    sent: /^curl -i --path-as-is 'http:\/\/127\.0\.0\.1:\d+\/menu\/main'$/,
    expected: ['status must be 401'],
    came: /^status 403\ncontent-type: application\/json\n\n\{"who":"are you"\}$/
  })
})

t.test('no secret is in a report, even when the server repeats all that it gets', async t => {
  const password = 'it\'s "secret"+/='
  const report = await check(
    t,
    parts => ({
      checks: (username, given) => username === USERNAME && given === password,
      missing: ({ headers, body, query }) => json(403, { headers, body, query }),
      invalid: (token, { headers, body }) => json(403, { token, headers, body }),
      reject: fields => json(500, { fields, of: parts.reject(fields).body }),
      accept: (token, screen) => json(200, { ...(parts.accept(token, screen).body as object), error: token })
    }),
    { password, secret: 'the-secret-of-the-server' }
  )
  t.equal(report.conforms, false)
  const text = JSON.stringify(report)
  t.notMatch(text, /it's|secret\\"|the-secret-of/)
  t.match(text, /<password>/)
  t.match(text, /<token>/)
  t.match(text, /<token, first half>/)
})

t.test('a pause that the server asks for is made', async t => {
  let refusals = 0
  const started = performance.now()
  const report = await check(t, parts => ({
    checks: (...args) => parts.checks(...args),
    accept: (...args) => (refusals++ === 0 ? busy('1') : parts.accept(...args))
  }))
  t.equal(report.conforms, true)
  t.strictSame(skipped(report), [])
  t.ok(performance.now() - started > 1000)
})

t.test('a rejection of right credentials that asks for a pause is no word about the credentials', async t => {
  let refusals = 0
  const report = await check(t, parts => ({
    accept(token, screen) {
      const { body, status } = parts.reject({})
      return refusals++ === 0
        ? { status, headers: { 'retry-after': '0' }, body }
        : parts.accept(token, screen)
    }
  }))
  t.equal(report.conforms, true)
})

t.test('a pause too long is not made: the case is not judged, and the route left alone', async t => {
  for (const [after, said] of [
    ['900', 'for 900 s more'],
    [new Date(Date.now() + 3_600_000).toUTCString(), /for 3[56]\d\d s more/],
    [undefined, 'and does not say for how long']
  ] as const) {
    let logins = 0
    const report = await check(t, parts => ({
      readFields(request) {
        logins++
        return parts.readFields(request)
      },
      reject: () => busy(after)
    }))
    t.equal(report.conforms, true)
    t.match(skipped(report).find(({ id }) => id === 'wrong-password')?.note, said)
    t.match(report.hints.join(), /limits requests/)
    t.equal(logins, 3)
  }
})

t.test('a server that goes on limiting after the pause is not asked a third time', async t => {
  let refusals = 0
  const report = await check(t, () => ({
    reject() {
      refusals++
      return busy('0')
    }
  }))
  t.equal(report.conforms, true)
  t.equal(refusals, 2)
})

t.test('a rejection with status 429 is a rejection', async t => {
  const report = await check(t, parts => ({ reject: fields => ({ ...parts.reject(fields), ...busy('60') }) }))
  t.strictSame(skipped(report), [])
  t.equal(report.conforms, true)
})

t.test('503 with Retry-After is a pause, and without it an answer', async t => {
  let refusals = 0
  const report = await check(t, parts => ({
    form: request =>
      refusals++ === 0 ? { status: 503, headers: { 'retry-after': '0' } } : parts.form(request)
  }))
  t.equal(report.conforms, true)
  t.equal((await check(t, () => ({ form: () => ({ status: 503 }) }))).conforms, false)
})

t.test('it cannot be run when no login is to be had now', async t => {
  await t.rejects(
    check(t, () => ({ accept: () => busy('900') })),
    {
      name: 'CannotRunError',
      message: /no login to be had: the server limits requests for 900 s more/
    }
  )
})

t.test('it cannot be run when the server cannot be reached', async t => {
  for (const url of ['http://127.0.0.1:1', 'https://127.0.0.1:1', 'http://no-such-host.invalid']) {
    await t.rejects(checkServer(url, credentials), { name: 'CannotRunError', message: /cannot be reached/ })
  }
})

t.test('it cannot be run with credentials that the server rejects', async t => {
  await t.rejects(
    check(t, () => ({}), { password: 'wrong' }),
    {
      name: 'CannotRunError',
      message: /rejected the username and the password/
    }
  )
})

t.test('it cannot be run with wrong options', async t => {
  const wrong: [string, CheckServerOptions, RegExp][] = [
    ['127.0.0.1:3000', credentials, /base URL must be an http/],
    ['ftp://host/', credentials, /base URL must be an http/],
    ['http://a:b@host/', credentials, /without credentials/],
    ['http://host/?a=b', credentials, /without credentials, query/],
    ['http://host/#a', credentials, /fragment/],
    ['http://host/', {}, /--username and --password .*--no-auth/],
    ['http://host/', { username: 'x', password: '' }, /--password/],
    ['http://host/', { ...credentials, protected: ['screen'] }, /must start with \//],
    ['http://host/', { ...credentials, only: ['form-layout', 'nothing'] }, /there is no case nothing/],
    ['http://host/', { ...credentials, timeout: 0 }, /timeout must be/],
    ['http://host/', { ...credentials, timeout: Number.NaN }, /timeout must be/]
  ]
  for (const [url, options, message] of wrong) {
    await t.rejects(checkServer(url, options), { name: 'CannotRunError', message })
  }
})

t.test('only the given cases are judged, with what they need', async t => {
  const report = await check(t, () => ({}), { only: ['token-admits', 'menu-is-login-screen'] })
  t.strictSame(
    report.results.map(({ id, status }) => [id, status]),
    [
      ['token-admits', 'ok'],
      ['menu-is-login-screen', 'ok']
    ]
  )
})

t.test('further routes are judged below the base URL', async t => {
  const parts = conforming('opaque', '/base')
  const screen = (user_display_name?: string) => json(200, { layout: 'Card', user_display_name })
  const other = (request: { path: string }) =>
    request.path === '/base/named'
      ? screen('Grace')
      : request.path === '/base/nameless'
        ? screen()
        : json(404, {})
  const tokenOf = (request: Parameters<Parts['tokenOf']>[0]) =>
    request.path === '/base/open' ? 'open' : parts.tokenOf(request)
  const isValid = (token: string, request: Parameters<Parts['tokenOf']>[0]) =>
    token === 'open' || parts.isValid(token, request)
  const url = await listen(t, 'opaque', { ...parts, other, tokenOf, isValid })
  const report = await checkServer(url, { ...credentials, protected: ['/named', '/nameless', '/open'] })
  t.strictSame(
    failed(report).map(({ title }) => title.slice(title.lastIndexOf(':'))),
    [': /base/nameless', ': /base/open']
  )
  const free = await checkServer(await listen(t, 'no-auth', conforming('no-auth')), {
    noAuth: true,
    protected: ['/a']
  })
  t.ok(free.results.some(({ id }) => id === 'open-protected'))
})

t.test('the secret may be given as text, Base64 or hexadecimal', async t => {
  const url = await listen(t, 'jwt', conforming('jwt'))
  for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const) {
    const secret = Buffer.from(SECRET).toString(encoding)
    const { results } = await checkServer(url, { ...credentials, secret, only: ['jwt-expired'] })
    t.match(results, [{ id: 'jwt-expired', status: 'ok' }], encoding)
  }
})

t.test('a secret that is not the server’s cannot be used', async t => {
  const url = await listen(t, 'jwt', conforming('jwt'))
  await t.rejects(checkServer(url, { ...credentials, secret: 'another' }), {
    name: 'CannotRunError',
    message: /another secret than the given one/
  })
  const broken = await listen(t, 'jwt', { ...conforming('jwt'), missing: () => ({ status: 403 }) })
  const report = await checkServer(broken, { ...credentials, secret: 'another' })
  t.match(report, { conforms: false, hints: [/another secret/] })
})

t.test('hints say what could be judged besides, and what looks like a slip', async t => {
  const jwt = await listen(t, 'jwt', conforming('jwt'))
  t.match((await checkServer(jwt, credentials)).hints, [/with the signing secret, expired ones/])
  t.match((await check(t, () => ({}), { secret: 'x' })).hints, [/no JWTs that a secret signs/])
  const open = await listen(t, 'no-auth', conforming('no-auth'))
  t.match((await checkServer(open, credentials)).hints, [/does the server run in the no-auth mode\?/])
  t.match((await checkServer(jwt, { noAuth: true })).hints, [/does the server run with a login\?/])
})

t.test('without a token the cases that need one are not judged, and the login fails', async t => {
  const report = await check(t, () => ({ accept: () => json(500, 'crash') }))
  t.ok(failed(report).some(({ id }) => id === 'login-answers'))
  t.match(skipped(report).find(({ id }) => id === 'token-admits')?.note, 'it needs token, and there was none')
  t.match(skipped(report).find(({ id }) => id === 'changed-token')?.note, 'it needs token')
})

t.test('a server that never answers is given up', async t => {
  const url = await serve(t, () => {})
  const started = performance.now()
  const report = await checkServer(url, { ...credentials, timeout: 0.1 })
  t.ok(performance.now() - started < 5000)
  t.equal(report.conforms, false)
  t.match(failed(report)[0]?.failures, [{ came: 'no answer within 0.1 s', expected: ['an answer'] }])
  t.match(skipped(report).at(-1)?.note, 'the server does not answer any more')
})

t.test('answers that are no HTTP, or far too long, are no answers', async t => {
  const garbage = createTcpServer(socket => socket.on('error', () => {}).end('hello\r\n\r\n'))
  await new Promise<void>(resolve => garbage.listen(0, '127.0.0.1', resolve))
  t.teardown(() => garbage.close())
  const url = `http://127.0.0.1:${(garbage.address() as AddressInfo).port}`
  t.match(failed(await checkServer(url, credentials))[0]?.failures, [{ came: /Parse Error/ }])

  const long = await serve(t, (_, response) => response.end('x'.repeat(2 ** 21)))
  t.match(failed(await checkServer(long, credentials))[0]?.failures, [{ came: /longer than 1 MiB/ }])
})

t.test('a token that HTTP cannot carry does not end the run', async t => {
  const report = await check(t, parts => ({
    issue: () => '漢字',
    accept: (token, screen) => parts.accept(token, screen)
  }))
  t.ok(failed(report).some(({ id }) => id === 'login-token-fits-header'))
  t.match(report.results.find(({ id }) => id === 'token-admits')?.failures, [{ came: /cannot carry/ }])
  t.ok(report.results.some(({ id, status }) => id === 'wrong-password' && status === 'ok'))
})

t.test('cookies of the login are sent back as a client would', async t => {
  const seen: (string | undefined)[] = []
  await check(
    t,
    parts => ({
      accept: (token, screen) => ({
        ...parts.accept(token, screen),
        headers: { 'set-cookie': 'sid=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly' }
      }),
      missing(request) {
        seen.push(request.headers.cookie)
        return parts.missing(request)
      }
    }),
    { only: ['cookie-of-login'] }
  )
  t.strictSame(seen, ['sid=1'])
})
