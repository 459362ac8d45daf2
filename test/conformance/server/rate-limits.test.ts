// Servers that limit requests, or stop responding.
import t from 'tap'
import { checkServer } from '../../../conformance/index.ts'
import { check, credentials, failed, serve, skipped } from './check.ts'

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
