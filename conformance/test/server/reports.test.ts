// What a report says about a server, which cases it is about, and that it holds no secret.
import t from 'tap'
import { serverCases } from '../../cases.ts'
import { type CheckServerOptions, checkServer } from '../../index.ts'
import { check, credentials, failed, serve, skipped } from './check.ts'
import { conforming, json, listen, PASSWORD, type Parts, USERNAME } from './minimal-server.ts'

t.test('a report has each case with its result, and observes what the contract leaves open', async t => {
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

t.test('a failure has the request, what was expected and the response', async t => {
  const report = await check(t, () => ({ missing: () => json(403, { who: 'are you' }) }), {
    only: ['menu-without-token']
  })
  const [failure] = report.results.find(({ id }) => id === 'menu-without-token')?.failures ?? []
  t.match(failure, {
    sent: /^curl -i --path-as-is 'http:\/\/127\.0\.0\.1:\d+\/menu\/main'$/,
    expected: ['status must be 401'],
    came: /^status 403\ncontent-type: application\/json\n\n\{"who":"are you"\}$/
  })
})

t.test('only the given cases are run, with the requests that they need', async t => {
  const report = await check(t, () => ({}), { only: ['token-admits', 'menu-is-login-screen'] })
  t.strictSame(
    report.results.map(({ id, status }) => [id, status]),
    [
      ['token-admits', 'ok'],
      ['menu-is-login-screen', 'ok']
    ]
  )
})

/** The cases about a route that is given with `protected`. */
const PROTECTED = serverCases.cases.filter(({ needs }) => needs?.includes('protected')).map(({ id }) => id)

t.test('further routes are checked below the base URL', async t => {
  const parts = conforming('opaque', '/base')
  const screen = (user_display_name?: string) => json(200, { layout: 'Card', user_display_name })
  const other = (request: { path: string }) =>
    request.path === '/base/named'
      ? screen('Grace Hopper')
      : request.path === '/base/nameless'
        ? screen()
        : json(404, {})
  const tokenOf = (request: Parameters<Parts['tokenOf']>[0]) =>
    request.path === '/base/open' ? 'open' : parts.tokenOf(request)
  const isValid = (token: string, request: Parameters<Parts['tokenOf']>[0]) =>
    token === 'open' || parts.isValid(token, request)
  const url = await listen(t, 'opaque', { ...parts, other, tokenOf, isValid })
  const report = await checkServer(url, {
    ...credentials,
    protected: ['/named', '/nameless', '/open'],
    only: PROTECTED
  })
  t.strictSame(
    [...new Set(failed(report).map(({ title }) => title.slice(title.lastIndexOf(':'))))],
    [': /base/nameless', ': /base/open']
  )
  const free = await checkServer(await listen(t, 'no-auth', conforming('no-auth')), {
    noAuth: true,
    protected: ['/a'],
    only: ['open-menu', 'open-protected']
  })
  t.ok(free.results.some(({ id }) => id === 'open-protected'))
})

t.test('a case that is given by name and cannot be checked is no success', async t => {
  const jwt = await listen(t, 'jwt', conforming('jwt'))
  const lacks: [string, CheckServerOptions, RegExp][] = [
    [
      'jwt-expired',
      {},
      /nothing could be checked: it needs the key that signs the tokens: --secret or --key/
    ],
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
  t.match(other, /another key/)
})

t.test('a case without a response to check is skipped, not passed', async t => {
  const noForm = await check(t, () => ({ form: () => json(200, ['no form']) }))
  t.strictSame(
    failed(noForm).map(({ id }) => id),
    ['form-is-json', 'form-with-valid-token']
  )
  t.equal(noForm.results.find(({ id }) => id === 'form-username-type')?.status, 'skipped')
  const noLogin = await check(t, () => ({ accept: () => json(200, []) }), {
    only: ['login-answers', 'login-display-name']
  })
  t.match(
    noLogin.results.find(({ id }) => id === 'login-display-name'),
    { status: 'skipped', note: 'there was nothing to check' }
  )
})

t.test('without a token the cases that need one are skipped, and the login fails', async t => {
  const report = await check(t, () => ({ accept: () => json(500, 'crash') }), {
    only: ['login-answers', 'token-admits', 'changed-token']
  })
  t.ok(failed(report).some(({ id }) => id === 'login-answers'))
  t.match(
    skipped(report).find(({ id }) => id === 'token-admits')?.note,
    'it needs a token, and the login gave none'
  )
  t.match(skipped(report).find(({ id }) => id === 'changed-token')?.note, 'it needs a token')
})

t.test('an observation without a response says why there is none', async t => {
  const url = await serve(t, (_, response) => void response.destroy())
  const { results } = await checkServer(url, { ...credentials, only: ['form-head'] })
  t.match(results, [{ id: 'form-head', status: 'ok', note: 'socket hang up' }])
})

t.test('no secret is in a report, even when the server repeats every request', async t => {
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

t.test('what is shorter than eight characters is not masked, so that a report can be read', async t => {
  const report = await check(
    t,
    () => ({
      checks: (username, password) => username === USERNAME && password === 'e',
      missing: () => json(403, 'some sentence'),
      invalid: () => json(403, 'another sentence')
    }),
    { password: 'e', only: ['menu-without-token', 'invalid-token', 'changed-token'] }
  )
  const shown = failed(report).flatMap(({ failures = [] }) => failures.map(({ came }) => came))
  t.ok(shown.length > 5)
  t.ok(shown.every(came => /\n\n(some|another) sentence$/.test(came)))
})

t.test('half a token at the end of a shown body is masked too', async t => {
  const issued: string[] = []
  const report = await check(
    t,
    parts => ({
      issue(name) {
        const token = parts.issue(name)
        issued.push(token)
        return token
      },
      invalid: () => json(403, `${'x'.repeat(490)}${issued.join('')}`)
    }),
    { only: ['invalid-token', 'changed-token'] }
  )
  const text = JSON.stringify(report)
  t.match(text, /x{490}/)
  for (const token of issued) t.notOk(text.includes(token.slice(0, 8)))
})

t.test('a part of a password at the end of a shown observation is masked too', async t => {
  const title = `${'x'.repeat(495)}${PASSWORD}`
  const report = await check(
    t,
    parts => ({ form: request => json(200, { ...(parts.form(request).body as object), title }) }),
    { only: ['form-app-name'] }
  )
  t.match(report.results, [{ note: /^'x{495}<pas/ }])
})

t.test('control characters from the server do not reach a terminal', async t => {
  const report = await check(t, () => ({ missing: () => ({ status: 403, body: '\u001b[2J\u0007' }) }), {
    only: ['menu-without-token']
  })
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
