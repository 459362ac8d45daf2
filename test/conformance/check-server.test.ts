// The kit in the face of servers that limit, hang, die, and of people who give it the wrong things.
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
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
    let rejections = 0
    const report = await check(t, parts => ({
      readFields(request) {
        logins++
        return parts.readFields(request)
      },
      reject: fields => (rejections++ === 0 ? parts.reject(fields) : busy(after))
    }))
    t.equal(report.conforms, true)
    t.match(skipped(report).find(({ id }) => id === 'unknown-user')?.note, said)
    t.match(report.hints.join(), /limits requests/)
    t.equal(logins, 4)
  }
})

t.test('a server that goes on limiting after the pause is not asked a third time', async t => {
  let refusals = 0
  const report = await check(t, parts => ({
    reject: fields => (refusals++ === 0 ? parts.reject(fields) : busy('0'))
  }))
  t.equal(report.conforms, true)
  t.equal(refusals, 3)
})

t.test('a server of which too much could not be checked does not conform', async t => {
  const never = await check(t, () => ({ reject: () => busy('900') }))
  t.match(never, { conforms: false, obstacle: /limits requests/, counts: { failed: 0 } })
  const guarded = await check(t, () => ({ missing: () => busy('900') }))
  t.match(guarded, { conforms: false, obstacle: /limits requests/ })
  let isDead = false
  const url = await serve(t, (request, response) => {
    isDead ||= request.url === '/auth/login' && request.method === 'POST'
    if (isDead) response.destroy()
    else response.writeHead(401).end()
  })
  const gone = await checkServer(url, {
    ...credentials,
    only: [
      'menu-without-token',
      'login-no-store',
      'login-head',
      'wrong-password',
      'sql-injection',
      'incomplete-login'
    ].filter(id => id !== 'login-head')
  })
  t.match(gone, { conforms: false, obstacle: 'it no longer responds' })
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
      message: /no login is possible: the server limits requests for 900 s more/
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
    ['http://host/', { ...credentials, protected: ['/a b'] }, /be percent-encoded/],
    ['http://host/', { ...credentials, protected: '/a' as never }, /must start with \//],
    ['http://host/', { ...credentials, timeout: 0 }, /timeout must be/],
    ['http://host/', { ...credentials, timeout: 4000 }, /at most 3600/],
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
    message: /another secret than the given one\. Give the right one/
  })
  const broken = await listen(t, 'jwt', { ...conforming('jwt'), missing: () => ({ status: 403 }) })
  const report = await checkServer(broken, { ...credentials, secret: 'another' })
  t.match(report, { conforms: false, hints: [/another secret/] })
})

t.test('hints say what could be checked besides, and what looks like a slip', async t => {
  const jwt = await listen(t, 'jwt', conforming('jwt'))
  t.match((await checkServer(jwt, credentials)).hints, [
    /with the signing secret .*, expired and forged ones/
  ])
  t.match((await check(t, () => ({}), { secret: 'x' })).hints, [/no JWTs that a secret signs/])
  const open = await listen(t, 'no-auth', conforming('no-auth'))
  t.match((await checkServer(open, credentials)).hints, [/Does the server run in the no-auth mode\?/])
  t.match((await checkServer(jwt, { noAuth: true })).hints, [/Does the server run with a login\?/])
})

t.test('hints name a wrong base URL, and another form of the credentials', async t => {
  const url = await listen(t, 'opaque', conforming('opaque'))
  const wrong = await checkServer(`${url}/elsewhere`, credentials)
  t.match(wrong.hints, [`${url}/elsewhere/auth/login responded with 401: is the base URL right?`])
  const flat = await check(t, () => ({
    readFields: ({ body }) => (body.startsWith('{"username') ? JSON.parse(body) : {})
  }))
  t.match(flat, {
    conforms: false,
    hints: [/accepted without fields: the server does not understand an AuthRequest/]
  })
})

t.test('a case that was asked for by name and cannot be checked is no success', async t => {
  const jwt = await listen(t, 'jwt', conforming('jwt'))
  const lacks: [string, CheckServerOptions, RegExp][] = [
    ['jwt-expired', {}, /nothing could be checked: it needs the signing key: --secret/],
    ['protected-with-token', {}, /nothing could be checked: it needs a further route: --protected/],
    ['open-menu', {}, /nothing could be checked: the case is for the other mode/]
  ]
  for (const [id, options, message] of lacks) {
    await t.rejects(checkServer(jwt, { ...credentials, ...options, only: [id] }), {
      name: 'CannotRunError',
      message
    })
  }
  const some = await check(t, () => ({}), {
    secret: 'x',
    only: ['jwt-alg-none', 'jwt-expired', 'form-layout']
  })
  t.match(skipped(some), [{ id: 'jwt-alg-none', note: 'the token is no JWT' }, { id: 'jwt-expired' }])
  const other = await checkServer(jwt, {
    ...credentials,
    secret: 'x',
    only: ['jwt-expired', 'menu-without-token']
  }).catch(({ message }) => message)
  t.match(other, /another secret/)
})

t.test('what has nothing to check is skipped, not passed', async t => {
  const noForm = await check(t, () => ({ form: () => json(200, ['no form']) }))
  t.strictSame(
    failed(noForm).map(({ id }) => id),
    ['form-is-json', 'form-with-valid-token']
  )
  t.equal(noForm.results.find(({ id }) => id === 'form-username-type')?.status, 'skipped')
  const noLogin = await check(t, () => ({ accept: () => json(200, []) }))
  t.match(
    noLogin.results.find(({ id }) => id === 'login-display-name'),
    { status: 'skipped', note: 'there was nothing to check' }
  )
})

t.test('half a token at the end of what is shown is masked too', async t => {
  const issued: string[] = []
  const report = await check(t, parts => ({
    issue(name) {
      const token = parts.issue(name)
      issued.push(token)
      return token
    },
    invalid: () => json(403, `${'x'.repeat(490)}${issued.join('')}`)
  }))
  const text = JSON.stringify(report)
  t.match(text, /x{490}/)
  for (const token of issued) t.notOk(text.includes(token.slice(0, 8)))
})

t.test('without a token the cases that need one are not judged, and the login fails', async t => {
  const report = await check(t, () => ({ accept: () => json(500, 'crash') }))
  t.ok(failed(report).some(({ id }) => id === 'login-answers'))
  t.match(
    skipped(report).find(({ id }) => id === 'token-admits')?.note,
    'it needs a token, and the login gave none'
  )
  t.match(skipped(report).find(({ id }) => id === 'changed-token')?.note, 'it needs a token')
})

t.test('a server that never answers is given up', async t => {
  const url = await serve(t, () => {})
  const started = performance.now()
  const report = await checkServer(url, { ...credentials, timeout: 0.1 })
  t.ok(performance.now() - started < 5000)
  t.equal(report.conforms, false)
  t.match(failed(report)[0]?.failures, [{ came: 'no response within 0.1 s', expected: ['a response'] }])
  t.match(skipped(report).at(-1)?.note, 'the server no longer responds')
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

t.test('what HTTP cannot carry is left out', async t => {
  const report = await check(t, () => ({ issue: () => '漢字' }))
  t.ok(failed(report).some(({ id }) => id === 'login-token-fits-header'))
  t.notOk(report.results.some(({ id }) => id === 'token-admits'))
  t.ok(report.results.some(({ id, status }) => id === 'wrong-password' && status === 'ok'))
  const password = 'пароль\n{{token}}'
  const checks: Parts['checks'] = (username, given) => username === USERNAME && given === password
  t.equal((await check(t, () => ({ checks }), { password })).conforms, true)
})

t.test('a token with braces in it is a token', async t => {
  const issued = new Set<string>()
  const report = await check(t, parts => ({
    issue(name) {
      const token = `{{${parts.issue(name)}}}`
      issued.add(token)
      return token
    },
    isValid: token => issued.has(token)
  }))
  t.strictSame(skipped(report), [])
  t.equal(report.conforms, true)
})

t.test('answers may be compressed, although nobody asked for it', async t => {
  const bare = conforming('opaque')
  const inner = await listen(t, 'opaque', bare)
  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync]
  ] as const) {
    const url = await serve(t, async (request, response) => {
      const answer = await fetch(inner + request.url, { headers: { accept: 'application/json' } })
      const headers = { 'content-type': 'application/json', 'content-encoding': coding }
      response.writeHead(answer.status, headers).end(compress(await answer.text()))
    })
    const { results } = await checkServer(url, { ...credentials, only: ['form-layout'] })
    t.match(results, [{ status: 'ok' }], coding)
  }
})

t.test('answers that break off, switch protocols, or cannot be read are no answers', async t => {
  const cases: [RequestListener, RegExp][] = [
    [(_, response) => void response.writeHead(200).write('{'), /no response within 0.2 s/],
    [
      (request, response) => {
        response.writeHead(200, { 'content-length': 9 }).write('{')
        setTimeout(() => request.socket.destroy(), 20)
      },
      /aborted/
    ],
    [
      request =>
        void request.socket.end(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'
        ),
      /switched protocols/
    ],
    [(_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'), /header/]
  ]
  for (const [listener, came] of cases) {
    const report = await checkServer(await serve(t, listener), {
      ...credentials,
      timeout: 0.2,
      only: ['menu-without-token']
    })
    t.match(failed(report)[0]?.failures, [{ came }])
  }
})

t.test('what was to be observed and was not answered says why', async t => {
  const url = await serve(t, (_, response) => void response.destroy())
  const { results } = await checkServer(url, { ...credentials, only: ['form-head'] })
  t.match(results, [{ id: 'form-head', status: 'ok', note: 'socket hang up' }])
})

t.test('a base URL that cannot be decoded is taken as it is', async t => {
  const url = await listen(t, 'no-auth', conforming('no-auth', '/%zz'))
  t.equal((await checkServer(url, { noAuth: true })).conforms, true)
})

t.test('strange but lawful answers do not end the run', async t => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const report = await check(t, parts => ({
    accept: (token, screen) => parts.accept(token, { ...(screen as object), toString: 1 }),
    menu: isLogin => ({ ...(parts.menu(isLogin) as object), toString: 1 }),
    form(request) {
      const { body, ...answer } = parts.form(request)
      return { ...answer, body: JSON.stringify(body).replace('"Willkommen"', deep) }
    }
  }))
  t.match(
    failed(report).map(({ id }) => id),
    ['form-title']
  )
  t.match(report.results.find(({ id }) => id === 'form-app-name')?.note, /\[Array\]/)
  t.match(report.results.find(({ id }) => id === 'menu-is-login-screen')?.note, 'no')
  await t.resolves(check(t, () => ({ issue: () => 'half \uD800' })))
})

t.test('control characters from the server do not reach a terminal', async t => {
  const report = await check(t, () => ({ missing: () => ({ status: 403, body: '\u001b[2J\u0007' }) }))
  t.match(failed(report)[0]?.failures, [{ came: '\\x1b[2J\\x07' }])
})

t.test('cookies that the login sets, and tokens given where none should be, are secrets', async t => {
  const report = await check(t, parts => ({
    accept: (token, screen) => ({
      ...parts.accept(token, screen),
      headers: { 'set-cookie': 'sid=0123456789abcdef' }
    }),
    missing: ({ headers }) => (headers.cookie ? { status: 200, body: headers.cookie } : { status: 401 }),
    reject: () => json(200, { success: true, token: 'given-in-error' })
  }))
  t.notMatch(JSON.stringify(report), /0123456789abcdef|given-in-error/)
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
