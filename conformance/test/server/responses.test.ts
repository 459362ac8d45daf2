// Servers that limit requests, stop responding, or send responses that are cut off, compressed or unusual.

import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { checkServer } from '../../index.ts'
import { check, credentials, failed, serve, skipped } from './check.ts'
import { conforming, decode, isSigned, listen, type Parts, SECOND, sign, USERNAME } from './minimal-server.ts'

const busy = (after?: string) => ({
  status: 429,
  ...(after !== undefined && { headers: { 'retry-after': after } })
})

/** Cases with an accepted login and several rejected ones, all of them on one route. */
const LOGINS = ['token-admits', 'wrong-password', 'unknown-user', 'padded-password', 'sql-injection']

t.test('a pause that the server asks for is made', async t => {
  let refusals = 0
  const started = performance.now()
  const report = await check(
    t,
    parts => ({
      checks: (...args) => parts.checks(...args),
      accept: (...args) => (refusals++ === 0 ? busy('1') : parts.accept(...args))
    }),
    { only: LOGINS }
  )
  t.equal(report.conforms, true)
  t.strictSame(skipped(report), [])
  t.ok(performance.now() - started > 1000)
})

t.test('a rejection of right credentials with Retry-After does not mean that they are wrong', async t => {
  let refusals = 0
  const report = await check(
    t,
    parts => ({
      accept(token, screen) {
        const { body, status } = parts.reject({})
        return refusals++ === 0
          ? { status, headers: { 'retry-after': '0' }, body }
          : parts.accept(token, screen)
      }
    }),
    { only: LOGINS }
  )
  t.equal(report.conforms, true)
})

t.test(
  'too long a pause is not made: the case is skipped, and the route gets no further request',
  async t => {
    for (const [after, said] of [
      ['900', 'for 900 s more'],
      [new Date(Date.now() + 95_000_000).toUTCString(), /for 9[45]\d{3} s more/],
      [undefined, 'and does not say for how long']
    ] as const) {
      let logins = 0
      let rejections = 0
      const report = await check(
        t,
        parts => ({
          readFields(request) {
            logins++
            return parts.readFields(request)
          },
          reject: fields => (rejections++ === 0 ? parts.reject(fields) : busy(after))
        }),
        { only: LOGINS }
      )
      t.equal(report.conforms, true)
      t.match(skipped(report).find(({ id }) => id === 'unknown-user')?.note, said)
      t.match(report.hints.join(), /limits requests/)
      t.equal(logins, 3)
    }
  }
)

t.test('a route that still limits after the pause gets no further request', async t => {
  let refusals = 0
  const report = await check(
    t,
    parts => ({
      reject: fields => (refusals++ === 0 ? parts.reject(fields) : busy('0'))
    }),
    { only: LOGINS }
  )
  t.equal(report.conforms, true)
  t.equal(refusals, 3)
})

t.test('a server of which too many cases cannot be checked does not conform', async t => {
  const never = await check(t, () => ({ reject: () => busy('900') }), { only: LOGINS })
  t.match(never, { conforms: false, obstacle: /limits requests/, counts: { failed: 0 } })
  const guarded = await check(t, () => ({ missing: () => busy('900') }), {
    only: ['menu-without-token', 'form-is-public']
  })
  t.match(guarded, { conforms: false, obstacle: /limits requests/ })
  let isDead = false
  const url = await serve(t, (request, response) => {
    isDead ||= request.url === '/auth/login' && request.method === 'POST'
    if (isDead) response.destroy()
    else response.writeHead(401).end()
  })
  const gone = await checkServer(url, {
    ...credentials,
    only: ['menu-without-token', 'login-no-store', 'wrong-password', 'sql-injection', 'incomplete-login']
  })
  t.match(gone, { conforms: false, obstacle: 'it no longer responds' })
})

t.test('a rejection with status 429 is a rejection', async t => {
  const report = await check(
    t,
    parts => ({ reject: fields => ({ ...parts.reject(fields), ...busy('60') }) }),
    {
      only: LOGINS
    }
  )
  t.strictSame(skipped(report), [])
  t.equal(report.conforms, true)
})

t.test('503 with Retry-After is a pause, and without it a response', async t => {
  let refusals = 0
  const report = await check(
    t,
    parts => ({
      form: request =>
        refusals++ === 0 ? { status: 503, headers: { 'retry-after': '0' } } : parts.form(request)
    }),
    { only: ['form-is-public'] }
  )
  t.equal(report.conforms, true)
  t.equal(
    (await check(t, () => ({ form: () => ({ status: 503 }) }), { only: ['form-is-public'] })).conforms,
    false
  )
})

t.test('it cannot be run when no login is possible now', async t => {
  await t.rejects(
    check(t, () => ({ accept: () => busy('900') })),
    {
      name: 'CannotRunError',
      message: /no login is possible: the server limits requests for 900 s more/
    }
  )
})

t.test('a server that never responds gets only a few requests', async t => {
  let requests = 0
  const url = await serve(t, (_, response) => {
    requests++
    response.destroy()
  })
  const report = await checkServer(url, credentials)
  t.ok(requests < 10)
  t.equal(report.conforms, false)
  t.match(failed(report)[0]?.failures, [{ came: 'socket hang up', expected: ['a response'] }])
  t.match(skipped(report).at(-1)?.note, 'the server no longer responds')
})

t.test('a response that comes too late is none', async t => {
  const url = await serve(t, () => {})
  // Without a connection within this time, the server would count as unreachable.
  const report = await checkServer(url, { ...credentials, timeout: 2, only: ['menu-without-token'] })
  t.match(failed(report)[0]?.failures, [{ came: 'no response within 2 s', expected: ['a response'] }])
})

t.test('responses that are no HTTP, or far too long, are failures', async t => {
  const garbage = createTcpServer(socket => socket.on('error', () => {}).end('hello\r\n\r\n'))
  await new Promise<void>(resolve => garbage.listen(0, '127.0.0.1', resolve))
  t.teardown(() => garbage.close())
  const url = `http://127.0.0.1:${(garbage.address() as AddressInfo).port}`
  t.match(failed(await checkServer(url, { ...credentials, only: ['menu-without-token'] }))[0]?.failures, [
    { came: /Parse Error/ }
  ])

  const long = await serve(t, (_, response) => response.end('x'.repeat(2 ** 21)))
  t.match(failed(await checkServer(long, { ...credentials, only: ['menu-without-token'] }))[0]?.failures, [
    { came: /longer than 1 MiB/ }
  ])
})

t.test('requests that HTTP cannot carry are left out', async t => {
  const report = await check(t, () => ({ issue: () => '漢字' }), {
    only: ['login-token-fits-header', 'token-admits', 'changed-token', 'wrong-password']
  })
  t.ok(failed(report).some(({ id }) => id === 'login-token-fits-header'))
  t.ok(skipped(report).some(({ id }) => id === 'token-admits'))
  t.ok(report.results.some(({ id, status }) => id === 'wrong-password' && status === 'ok'))
  const password = 'пароль\n{{token}}'
  const checks: Parts['checks'] = (username, given) => username === USERNAME && given === password
  const only = [...LOGINS, 'login-answers', 'basic-credentials', 'incomplete-login', 'malformed-login']
  t.equal((await check(t, () => ({ checks }), { password, only })).conforms, true)
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

t.test('responses may be compressed, although the request does not ask for it', async t => {
  const bare = conforming('opaque')
  const inner = await listen(t, 'opaque', bare)
  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync]
  ] as const) {
    const url = await serve(t, async (request, outgoing) => {
      const response = await fetch(inner + request.url, { headers: { accept: 'application/json' } })
      const headers = { 'content-type': 'application/json', 'content-encoding': coding }
      outgoing.writeHead(response.status, headers).end(compress(await response.text()))
    })
    const { results } = await checkServer(url, { ...credentials, only: ['form-layout'] })
    t.match(results, [{ status: 'ok' }], coding)
  }
})

t.test('responses that break off, switch protocols, or cannot be read are failures', async t => {
  const cases: [RequestListener, RegExp, number?][] = [
    [(_, response) => void response.writeHead(200).write('{'), /no response within 2 s/, 2],
    [
      (request, response) =>
        void response.writeHead(200, { 'content-length': 9 }).write('{', () => request.socket.destroy()),
      /aborted/
    ],
    [
      request =>
        void request.socket.end(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'
        ),
      /status 101/
    ],
    [(_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'), /header/]
  ]
  for (const [listener, came, timeout = credentials.timeout] of cases) {
    const report = await checkServer(await serve(t, listener), {
      ...credentials,
      timeout,
      only: ['menu-without-token']
    })
    t.match(failed(report)[0]?.failures, [{ came }])
  }
})

t.test('unusual but valid responses do not end the run', async t => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const report = await check(t, parts => ({
    accept: (token, screen) => parts.accept(token, { ...(screen as object), toString: 1 }),
    menu: isLogin => ({ ...(parts.menu(isLogin) as object), toString: 1 }),
    form(request) {
      const { body, ...response } = parts.form(request)
      return { ...response, body: JSON.stringify(body).replace('"Willkommen"', deep) }
    }
  }))
  t.match(
    failed(report).map(({ id }) => id),
    ['form-title']
  )
  t.match(report.results.find(({ id }) => id === 'form-app-name')?.note, /\[Array\]/)
  t.match(report.results.find(({ id }) => id === 'menu-is-login-screen')?.note, 'no')
  const only = ['token-admits', 'token-in-query', 'token-in-cookie', 'basic-credentials', 'changed-token']
  await t.resolves(check(t, () => ({ issue: () => 'half \uD800' }), { only }))
})

t.test('no false alarm: what a server may do', async t => {
  const one = new Map<string, string>()
  const habits: Record<string, (parts: Parts) => Partial<Parts>> = {
    'a user has one session: a new login ends the old one': parts => ({
      issue(username) {
        const token = parts.issue(username)
        one.set(username, token)
        return token
      },
      isValid: token => [...one.values()].includes(token)
    }),
    'a request in chunks is refused with 411': parts => ({
      raw({ headers }, _, response) {
        if (headers['transfer-encoding'] === undefined) return false
        response.writeHead(411).end()
        return true
      },
      form: parts.form
    }),
    'every connection is closed after a response': parts => ({
      raw(_, __, response) {
        response.shouldKeepAlive = false
        return false
      },
      form: parts.form
    }),
    'HEAD has the headers of a compressed GET': parts => ({
      raw({ method }, _, response) {
        if (method === 'HEAD') response.setHeader('content-encoding', 'gzip')
        return false
      },
      form: parts.form
    }),
    'a WebSocket that does not exist is 404': parts => ({
      raw({ headers }, _, response) {
        if (headers.upgrade === undefined) return false
        response.writeHead(404).end()
        return true
      },
      form: parts.form
    })
  }
  for (const [habit, change] of Object.entries(habits)) {
    const report = await check(t, change, {
      secondUsername: SECOND.username,
      secondPassword: SECOND.password
    })
    t.strictSame(failed(report), [], habit)
  }
})

t.test('a token that ends soon is replaced by that of a new login', async t => {
  let logins = 0
  const now = Math.floor(Date.now() / 1000)
  const report = await check(
    t,
    () => ({
      issue: () => sign({ sub: USERNAME, iat: now, exp: now, login: ++logins }),
      isValid: token => isSigned(token) && decode(token).login === logins
    }),
    { only: ['token-admits', 'token-admits-again', 'unknown-with-token', 'changed-token'] }
  )
  t.strictSame(failed(report), [])
  t.ok(logins > 3)
})

t.test('on a shared connection, a server may be busy, hang, or get nothing that HTTP can carry', async t => {
  const only = ['connection-after-token', 'pipelined-after-token', 'token-admits']
  const limited = await check(
    t,
    () => ({
      missing: () => ({ status: 429, headers: { 'retry-after': '900' } })
    }),
    { only }
  )
  t.match(skipped(limited)[0], { id: 'connection-after-token', note: /limits requests/ })
  const hanging = await check(
    t,
    parts => ({
      form: parts.form,
      raw: request => request.path === '/menu/main' && request.headers.authorization === undefined
    }),
    { only, timeout: 2 }
  )
  t.match(failed(hanging)[0], {
    id: 'connection-after-token',
    failures: [{ came: 'no response within 2 s' }]
  })
  t.match(skipped(await check(t, () => ({ issue: () => '漢字' }), { only: [...only, 'form-layout'] })), [
    {},
    {},
    {}
  ])
})

t.test(
  'each request is shown as a command, also in chunks, in bytes, on one connection or as to a proxy',
  async t => {
    const { results } = await check(
      t,
      parts => ({
        accept: (token, screen) => ({ ...parts.accept(token, screen), status: 500 }),
        missing: ({ method }) => ({ status: method === 'HEAD' ? 404 : 200 })
      }),
      { only: ['login-chunked', 'broken-body', 'menu-spellings', 'connection-after-token', 'menu-head'] }
    )
    const sent = results.flatMap(({ failures = [] }) => failures.map(one => one.sent)).join('\n')
    t.match(sent, "-H 'Transfer-Encoding: chunked' --data-raw")
    t.match(sent, /--data-binary @<\(echo eyJ.*\| base64 -d\)/)
    t.match(sent, /--request-target 'http:/)
    t.match(sent, /<token>' --next -i --path-as-is/)
  }
)

t.test('a server may go over from JWTs to opaque tokens', async t => {
  let logins = 0
  const report = await check(
    t,
    parts => ({
      issue: username =>
        logins++ === 0 ? sign({ sub: username, exp: 9_999_999_999 }) : parts.issue(username)
    }),
    { only: ['login-with-stale-token', 'jwt-alg-none'] }
  )
  t.match(skipped(report), [{ id: 'jwt-alg-none', note: 'none of its requests is possible here' }])
})
