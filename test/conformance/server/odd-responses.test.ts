// Responses that are no HTTP, compressed, cut off, or hold what nobody expects.
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { checkServer } from '../../../conformance/index.ts'
import { check, credentials, failed, serve, skipped } from './check.ts'
import { conforming, listen, type Parts, USERNAME } from './minimal-server.ts'

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
      /switched protocols/
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
  await t.resolves(check(t, () => ({ issue: () => 'half \uD800' })))
})
