// No secret is in a report, and nothing in it that a terminal would execute.
import t from 'tap'
import { check, failed } from './check.ts'
import { json, USERNAME } from './minimal-server.ts'

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
